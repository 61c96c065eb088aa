import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** A proxy to an engine, which continues while this process is suspended. */
export interface ThreadedProxy {
  /** The address of the proxy: `host:port`. */
  readonly host: string
  /** Holds all answers until the pause. */
  hold(): void
  /** Waits until this many requests have been sent since `hold()`. */
  sent(requests: number): Promise<void>
  /** Suspends this process for this many milliseconds, in which the held answers and later answers arrive. */
  pause(milliseconds: number): void
  close(): Promise<unknown>
}

/** @param target address of the engine: `host:port` */
export async function startThreadedProxy(target: string, protocol: 'http2' | 'cql'): Promise<ThreadedProxy> {
  const shared = new SharedArrayBuffer(12)
  const [REQUESTED, HOLDS, NEVER] = [0, 1, 2]
  const state = new Int32Array(shared)
  const thread = new Worker(new URL('proxy-thread.mjs', import.meta.url), {
    workerData: { target, protocol, shared },
  })
  const [host] = (await once(thread, 'message')) as [string]
  return {
    host,
    hold() {
      Atomics.store(state, HOLDS, 1)
      Atomics.store(state, REQUESTED, 0)
    },
    async sent(requests) {
      while (Atomics.load(state, REQUESTED) < requests) await new Promise(setImmediate)
    },
    pause(milliseconds) {
      Atomics.store(state, HOLDS, 0)
      Atomics.wait(state, NEVER, 0, milliseconds)
    },
    close: () => thread.terminate(),
  }
}
