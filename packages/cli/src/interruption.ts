import { exitCodes } from './exit-codes.js'
import type { Output } from './terminal/output.js'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** What becomes of Ctrl+C while a command runs. */
export class Interruption {
  readonly #controller = new AbortController()
  readonly #onSignal: () => void

  /** @param said by a command that heeds the signal, at the first Ctrl+C; without it the process ends at once. */
  constructor(said: string | undefined, output: Output) {
    this.#onSignal = () => {
      if (said === undefined || this.signal.aborted) process.exit(exitCodes.interrupted)
      output.warn(said)
      this.#controller.abort()
    }
    for (const signal of SIGNALS) process.on(signal, this.#onSignal)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  end(): void {
    for (const signal of SIGNALS) process.off(signal, this.#onSignal)
  }
}
