import { EventEmitter } from 'node:events'
import { expect, it, vi } from 'vitest'
import { type FromWorker, type Job, runProcesses } from '../../src/bench/run-processes.js'
import { type Failure, failureOf } from '../../src/command-error.js'

const failure: Failure = { code: 'CONFIG', message: 'No such database.', fix: 'Name one.', exitCode: 2 }

vi.mock('node:child_process', () => ({
  fork: () => {
    const child = Object.assign(new EventEmitter(), {
      exitCode: 0,
      send: () => child.emit('message', { type: 'failed', failure } satisfies FromWorker),
    })
    return child
  },
}))

it('runProcesses() fails with the code and the exit code of the failed process', async () => {
  const { signal } = new AbortController()
  const error: unknown = await runProcesses({} as Job, 2, { signal, onStart: () => {} }).catch(
    (thrown: unknown) => thrown,
  )
  expect(failureOf(error)).toEqual(failure)
})
