/** The end that was asked for: by a signal, or by a reader of the output that has gone (`demo | head`). */
export class Stopped extends Error {
  override readonly name = 'Stopped'
  readonly signal: NodeJS.Signals | undefined

  constructor(signal?: NodeJS.Signals) {
    super('stopped')
    this.signal = signal
  }
}

/** Fires, with a {@link Stopped} as its reason, once this process is to end. From now on it must see to that itself. */
export function listenForStop(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // Once: a second Ctrl+C ends this process at once, and the emulator with it.
    process.once(signal, () => stop.abort(new Stopped(signal)))
  }
  process.stdout.on('error', () => stop.abort(new Stopped()))
  return stop.signal
}

/** Rejects when `signal` fires. */
export function rejectedOn(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** Ends this process as the signal would have, without the clean-up: even if a read of a pipe is still waiting. */
export function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}
