import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { scriptFolder } from '../../../core/test/local/support/child-script.js'
import type { ChildScript, ScriptFolder } from '../../../core/test/local/support/child-script.js'
import { childrenOf, isAlive, isOpen } from '../../../core/test/local/support/processes.js'
import { until } from '../../../core/test/local/support/until.js'

// An emulator starts in half a second, but not on a machine that is busy with other tests.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 })

let scripts: ScriptFolder

beforeAll(async () => {
  scripts = await scriptFolder('spanner')
})
afterAll(() => scripts.remove())

interface Started {
  readonly script: ChildScript
  readonly emulator: number
  readonly watchers: readonly number[]
  readonly host: string
}

/** A process that has an emulator with a database in use, and never stops it. `rest` is its code after SIGUSR2. */
async function start(rest: string): Promise<Started> {
  const script = scripts.run(`
    import { startSpannerEmulator } from './engines.mjs'
    const hold = setInterval(() => {}, 1000)
    const told = new Promise((resolve) => process.once('SIGUSR2', resolve))
    const emulator = await startSpannerEmulator({ launchers: ['binary'] })
    const database = await emulator.database({ ddl: ['CREATE TABLE T (Id INT64) PRIMARY KEY (Id)'] })
    await database.run('SELECT Id FROM T')
    console.log(JSON.stringify({ pid: emulator.pid, host: emulator.host }))
    await told
    clearInterval(hold)
    ${rest}
  `)
  const { pid, host } = (await script.firstLine) as { pid: number; host: string }
  expect(isAlive(pid)).toBe(true)
  const watchers = childrenOf(pid)
  expect(watchers).toHaveLength(1)
  return { script, emulator: pid, watchers, host }
}

async function expectGone({ emulator, watchers, host }: Started): Promise<void> {
  await until('the emulator is gone', () => !isAlive(emulator))
  await until('its watcher is gone', () => !watchers.some(isAlive))
  // The last of its threads ends a moment after the first, and only then are its files closed.
  await until('its port is free', async () => !(await isOpen(host)))
}

describe('an emulator whose process ends', () => {
  it.each([
    { end: 'has nothing left to do', rest: '', code: 0 },
    { end: 'calls process.exit', rest: 'process.exit(7)', code: 7 },
    { end: 'does not catch an error', rest: `setTimeout(() => { throw new Error('bang') })`, code: 1 },
    { end: 'aborts', rest: 'process.abort()', signal: 'SIGABRT' },
  ])('ends when its process $end', async ({ rest, code, signal }) => {
    const started = await start(rest)
    started.script.process.kill('SIGUSR2')
    const end = await started.script.ended
    expect(end).toMatchObject({ code: code ?? null, signal: signal ?? null })
    await expectGone(started)
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
    'ends when its process is ended by %s',
    async (signal) => {
      const started = await start('')
      started.script.process.kill(signal)
      // The signal itself ended the process: Isotherm has no handler for the signal.
      expect(await started.script.ended).toMatchObject({ code: null, signal })
      await expectGone(started)
    },
  )

  it('ends when its worker thread is terminated', async () => {
    const script = scripts.run(`
      import { Worker, isMainThread, parentPort } from 'node:worker_threads'
      if (isMainThread) {
        const worker = new Worker(new URL(import.meta.url))
        const message = await new Promise((resolve) => worker.once('message', resolve))
        await worker.terminate()
        console.log(JSON.stringify(message))
        setInterval(() => {}, 1000)
      } else {
        const { startSpannerEmulator } = await import('./engines.mjs')
        const { pid, host } = await startSpannerEmulator({ launchers: ['binary'] })
        parentPort.postMessage({ pid, host })
        setInterval(() => {}, 1000)
      }
    `)
    const { pid, host } = (await script.firstLine) as { pid: number; host: string }
    await expectGone({ script, emulator: pid, watchers: [], host })
    expect(script.process.exitCode).toBeNull()
  })
})

describe('a process with an emulator', () => {
  it('the emulator is in another process group, and stop() ends the emulator without a warning', async () => {
    const started = await start(`
      await emulator.stop()
      console.log('clean')
    `)
    const { emulator, script } = started
    // The emulator is in its own process group, which a terminal's Ctrl+C does not reach.
    expect(() => process.kill(-emulator, 0)).not.toThrow()
    script.process.kill('SIGUSR2')
    const end = await script.ended
    expect(end).toMatchObject({ code: 0 })
    expect(end.output).toMatch(/^\{.*\}\nclean\n$/)
    await expectGone(started)
  })
})
