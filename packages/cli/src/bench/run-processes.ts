import type { Settings } from '../config/settings.js'
import { CommandError, type Failure, RemoteError } from '../command-error.js'
import { type LoadResult, type Taken, loadResult, refuseTwice } from './load.js'
import type { SequenceMode } from './sequence-modes.js'
import type { SequenceSizes } from './sequence-work.js'
import { type ChildProcess, fork } from 'node:child_process'

/** The settings of one process of the load tool. */
export interface Job {
  readonly settings: Settings
  readonly mode: SequenceMode
  readonly sizes: SequenceSizes
  readonly threads: number
  /** In each thread. */
  readonly callers: number
  readonly warmUp: number
  readonly milliseconds: number
}

/** A message to a process, and to each of its threads. */
export type ToWorker = { readonly type: 'job'; readonly job: Job } | { readonly type: 'start' }

/** The calls of a thread: during the warm-up, and after it. */
export interface ThreadTaken {
  readonly warmUp: BigInt64Array
  readonly taken: Taken
}

/** A message from a process, or from a thread. */
export type FromWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'done'; readonly threads: readonly ThreadTaken[]; readonly cpu: number }
  | { readonly type: 'failed'; readonly failure: Failure }

/**
 * Runs a job in several processes at once.
 *
 * @param onStart called when all of them are connected and begin
 * @throws {RemoteError} what failed in one of them.
 * @throws {CommandError} `DATABASE` for a number that was given out twice; `CANCELLED`.
 */
export async function runProcesses(
  job: Job,
  processes: number,
  { signal, onStart }: { readonly signal: AbortSignal; readonly onStart: () => void },
): Promise<LoadResult> {
  const children = Array.from({ length: processes }, () =>
    fork(new URL('./worker.js', import.meta.url), { serialization: 'advanced' }),
  )
  const cancelled = rejectionOf(signal)
  try {
    const messages = children.map((child) => new Messages(child))
    for (const child of children) child.send({ type: 'job', job } satisfies ToWorker)
    await Promise.race([Promise.all(messages.map((each) => each.next())), cancelled.promise])
    onStart()
    for (const child of children) child.send({ type: 'start' } satisfies ToWorker)
    const ended = await Promise.race([Promise.all(messages.map((each) => each.next())), cancelled.promise])
    const done = ended.flatMap((message) => (message.type === 'done' ? [message] : []))
    const threads = done.flatMap((each) => each.threads)
    try {
      refuseTwice(threads.flatMap(({ warmUp, taken }) => [warmUp, taken.numbers]))
    } catch (cause) {
      throw new CommandError('DATABASE', (cause as Error).message, { cause })
    }
    return loadResult(
      threads.map(({ taken }) => taken),
      done.reduce((sum, { cpu }) => sum + cpu, 0),
    )
  } finally {
    cancelled.forget()
    await Promise.all(children.map(ended))
  }
}

/** The messages of a process, one after the other; if it failed, or ended too early, reading them throws an error. */
class Messages {
  readonly #said: FromWorker[] = []
  #failure: Error | undefined
  #heard = (): void => {}

  constructor(child: ChildProcess) {
    child.on('message', (message: FromWorker) => {
      if (message.type === 'failed') this.#failure ??= new RemoteError(message.failure)
      else this.#said.push(message)
      this.#heard()
    })
    child.on('exit', (code) => {
      this.#failure ??= new CommandError(
        'DATABASE',
        `A process of the load ended with ${code ?? 'a signal'}.`,
      )
      this.#heard()
    })
  }

  async next(): Promise<FromWorker> {
    for (;;) {
      const message = this.#said.shift()
      if (message) return message
      if (this.#failure) throw this.#failure
      await new Promise<void>((resolve) => (this.#heard = resolve))
    }
  }
}

function rejectionOf(signal: AbortSignal): { readonly promise: Promise<never>; readonly forget: () => void } {
  const forgotten = new AbortController()
  const promise = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(new CommandError('CANCELLED', 'Cancelled.'))
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true, signal: forgotten.signal })
  })
  promise.catch(() => {})
  return { promise, forget: () => forgotten.abort() }
}

/** How long connections may take to close. */
const CLOSE_MS = 5_000

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = new Promise((resolve) => child.once('exit', resolve))
  if (child.connected) child.disconnect()
  const timer = setTimeout(() => child.kill('SIGKILL'), CLOSE_MS)
  await exit
  clearTimeout(timer)
}
