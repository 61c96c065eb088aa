/** Where a process is to die. */
export interface KillPoint {
  /** At which of its calls to the database, from 1. */
  readonly dieAt?: number
  /** How many milliseconds after that call was sent. Absent: before that. */
  readonly after?: number
  /** Once which change of the schema has been made, from 1: before the next call, which would write that down. */
  readonly dieAfterBegun?: number
}

type Call<Args extends readonly unknown[], T> = (...args: Args) => Promise<T>

/** Calls to a database at which this process may die. */
export class KillableCalls {
  readonly #place: KillPoint
  #count = 0
  #begun = 0

  constructor(place: KillPoint) {
    this.#place = place
  }

  get count(): number {
    return this.#count
  }

  of<Args extends readonly unknown[], T>(call: Call<Args, T>): Call<Args, T> {
    return async (...args) => {
      const { dieAt, after, dieAfterBegun } = this.#place
      if (this.#begun === dieAfterBegun) die()
      if (++this.#count !== dieAt) return call(...args)
      if (after === undefined) die()
      const answer = call(...args)
      setTimeout(die, after)
      await answer.catch(() => {})
      // Whatever came of it, this process never learns.
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
