/** The point at which a process dies. */
export interface KillPoint {
  /** The number of the call to the database at which the process dies, from 1. */
  readonly dieAt?: number
  /** Milliseconds after this call was sent. Absent: before the call. */
  readonly after?: number
  /** The number of the schema change, from 1, before whose record in the history the process dies. */
  readonly dieAfterBegun?: number
}

type Call<Args extends readonly unknown[], T> = (...args: Args) => Promise<T>

/** Calls to a database at which this process may die. */
export class KillableCalls {
  readonly #killPoint: KillPoint
  #count = 0
  #begun = 0

  constructor(killPoint: KillPoint) {
    this.#killPoint = killPoint
  }

  get count(): number {
    return this.#count
  }

  of<Args extends readonly unknown[], T>(call: Call<Args, T>): Call<Args, T> {
    return async (...args) => {
      const { dieAt, after, dieAfterBegun } = this.#killPoint
      if (this.#begun === dieAfterBegun) die()
      if (++this.#count !== dieAt) return call(...args)
      if (after === undefined) die()
      const answer = call(...args)
      setTimeout(die, after)
      await answer.catch(() => {})
      // This process never learns the result.
      return new Promise(() => {})
    }
  }

  ofBegin<Args extends readonly unknown[], T>(begin: Call<Args, T>): Call<Args, T> {
    const killable = this.of(begin)
    return async (...args) => {
      const value = await killable(...args)
      this.#begun++
      return value
    }
  }
}

function die(): void {
  process.kill(process.pid, 'SIGKILL')
}
