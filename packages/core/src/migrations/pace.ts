import { IsothermError } from '../errors.js'

/** Milliseconds between two looks at something that takes its time: few at first, then more. */
export class Pace {
  readonly #first: number
  readonly #longest: number
  #next: number

  constructor(first = 20, longest = 3_000) {
    this.#first = first
    this.#longest = longest
    this.#next = first
  }

  next(): number {
    const now = this.#next
    this.#next = Math.min(now * 1.5, this.#longest)
    return now
  }

  /** Something has happened, so more may soon. */
  hurry(): void {
    this.#next = this.#first
  }
}

/** @throws {IsothermError} why it was stopped, at once or on the way. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  refuseStopped(signal)
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal?.addEventListener('abort', end)
  })
  refuseStopped(signal)
}

/** @throws {IsothermError} `CANCELLED`, or what whoever stopped it has said. */
export function refuseStopped(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return
  if (signal.reason instanceof IsothermError) throw signal.reason
  throw new IsothermError('CANCELLED', 'The migration was stopped by its signal.', {
    fix: 'Migrate again to go on: what has run is written down.',
    cause: signal.reason,
  })
}
