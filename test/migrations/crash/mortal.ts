/** Where a process is to die. */
export interface Death {
  /** At which of its calls to the database, from 1. */
  readonly dieAt?: number
  /** How many milliseconds after that call was sent. Absent: before that. */
  readonly after?: number
  /** When which change of the schema has been begun, from 1, and nothing has been written down of that. */
  readonly dieAfterBegun?: number
}

type Call<Args extends readonly unknown[], T> = (...args: Args) => Promise<T>

/** Calls to a database at which this process may die. */
export class MortalCalls {
  readonly #death: Death
  #count = 0
  #begun = 0

  constructor(death: Death) {
    this.#death = death
  }

  get count(): number {
    return this.#count
  }

  of<Args extends readonly unknown[], T>(call: Call<Args, T>): Call<Args, T> {
    return async (...args) => {
      const { dieAt, after } = this.#death
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
    const mortal = this.of(begin)
    return async (...args) => {
      const value = await mortal(...args)
      if (++this.#begun === this.#death.dieAfterBegun) die()
      return value
    }
  }
}

function die(): void {
  process.kill(process.pid, 'SIGKILL')
}
