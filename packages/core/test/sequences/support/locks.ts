/** A holder of locks: the older of two wins. */
export interface LockOwner {
  readonly age: number
  isAborted: boolean
  /** Nothing can take its locks any more: it is being committed. */
  isCommitting: boolean
}

interface Lock {
  readonly readers: Set<LockOwner>
  writer: LockOwner | undefined
}

/** Locks of rows as Spanner has them: who is older takes them away from who is younger, who is younger waits. */
export class Locks {
  readonly #locks = new Map<string, Lock>()
  #waiting: (() => void)[] = []

  /** @returns whether it has the lock; it is aborted if not */
  async acquire(owner: LockOwner, row: string, alone: boolean): Promise<boolean> {
    for (;;) {
      if (owner.isAborted) return false
      const lock = this.#lockOf(row)
      const others = [...lock.readers, ...(lock.writer ? [lock.writer] : [])].filter(
        (each) => each !== owner && (alone || each === lock.writer),
      )
      for (const other of others) {
        if (other.age > owner.age && !other.isCommitting) this.abort(other)
      }
      if (others.every(({ isAborted }) => isAborted)) {
        if (alone) lock.writer = owner
        else lock.readers.add(owner)
        return true
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  abort(owner: LockOwner): void {
    owner.isAborted = true
    this.release(owner)
  }

  release(owner: LockOwner): void {
    for (const lock of this.#locks.values()) {
      lock.readers.delete(owner)
      if (lock.writer === owner) lock.writer = undefined
    }
    const waiting = this.#waiting
    this.#waiting = []
    for (const go of waiting) go()
  }

  #lockOf(row: string): Lock {
    let lock = this.#locks.get(row)
    if (!lock) this.#locks.set(row, (lock = { readers: new Set(), writer: undefined }))
    return lock
  }
}
