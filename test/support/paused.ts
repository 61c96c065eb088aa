import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** A way to an engine which goes on while this process stands still. */
export interface ThreadedProxy {
  /** Its own address: `host:port`. */
  readonly host: string
  /** Holds all answers until the pause. */
  hold(): void
  /** Waits until so many requests have been sent since. */
  sent(requests: number): Promise<void>
  /** Stands still for so many milliseconds, in which held answers, and those that are still to come, arrive. */
  pause(milliseconds: number): void
  close(): Promise<unknown>
}

/** @param target where the engine listens: `host:port` */
export async function startThreadedProxy(target: string, protocol: 'http2' | 'cql'): Promise<ThreadedProxy> {
  const shared = new SharedArrayBuffer(12)
  const [ASKED, HOLDS, NEVER] = [0, 1, 2]
  const state = new Int32Array(shared)
  const thread = new Worker(new URL('proxy-thread.mjs', import.meta.url), {
    workerData: { target, protocol, shared },
  })
  const [host] = (await once(thread, 'message')) as [string]
  return {
    host,
    hold() {
      Atomics.store(state, HOLDS, 1)
      Atomics.store(state, ASKED, 0)
    },
    async sent(requests) {
      while (Atomics.load(state, ASKED) < requests) await new Promise(setImmediate)
    },
    pause(milliseconds) {
      Atomics.store(state, HOLDS, 0)
      Atomics.wait(state, NEVER, 0, milliseconds)
    },
    close: () => thread.terminate(),
  }
}
