import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { failureOf } from '../command-error.js'
import type { FromWorker, Job, ThreadTaken, ToWorker } from './run-processes.js'

// A process of the load tool, and each of its threads: they connect, report that they are ready, begin together, and report
// the numbers that they took.

/** Of this process, in microseconds. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

function failed(error: unknown): FromWorker {
  // Details may contain values that cannot be passed between processes.
  const { details: _, ...failure } = failureOf(error)
  return { type: 'failed', failure }
}

async function runThread(job: Job, port: NonNullable<typeof parentPort>): Promise<void> {
  const { registerHooks } = await import('../modules/register-hooks.js')
  await registerHooks(job.settings.directory)
  const { openDatabase } = await import('@isotherm/core')
  const { connect } = await import('../project/connection.js')
  const { takeNumbers } = await import('./load.js')
  const { benchSchema, openSequenceWork } = await import('./sequence-work.js')
  const { mode, sizes, callers, warmUp, milliseconds } = job
  await using connection = await connect({ settings: job.settings }, 'create')
  const { driver } = connection
  const db = openDatabase({ driver, schema: benchSchema(driver.dialect) })
  const work = await openSequenceWork(mode, db, mode, sizes)
  const started = new Promise<void>((resolve) => {
    port.once('message', () => resolve())
  })
  port.postMessage({ type: 'ready' } satisfies FromWorker)
  await started
  const before = await takeNumbers(work, { callers, milliseconds: warmUp })
  const cpu = cpuTime()
  const taken = await takeNumbers(work, { callers, milliseconds })
  const used = cpuTime() - cpu
  await work.close()
  const threads: readonly ThreadTaken[] = [{ warmUp: before.numbers, taken }]
  port.postMessage({ type: 'done', threads, cpu: used } satisfies FromWorker)
}

function say(message: FromWorker): void {
  process.send!(message)
}

function runProcess(): void {
  // The command decides when it ends: at Ctrl+C, it has a table to take away.
  process.on('SIGINT', () => {})
  // Once all results are sent, threads close their connections; if the command has gone, there is nothing left to wait for.
  process.on('disconnect', () => {
    if (threads.length === 0 || done.length < threads.length) process.exit()
  })
  const threads: Worker[] = []
  const done: ThreadTaken[] = []
  let ready = 0
  let cpu = 0
  const onMessage = (job: Job, message: FromWorker): void => {
    if (message.type === 'failed') say(message)
    else if (message.type === 'ready') {
      if (++ready === job.threads) say(message)
    } else {
      for (const taken of message.threads) done.push(taken)
      // The threads of a process share its clock: the last one to end has seen all of it.
      cpu = Math.max(cpu, message.cpu)
      if (done.length === job.threads) say({ type: 'done', threads: done, cpu })
    }
  }
  process.on('message', (message: ToWorker) => {
    if (message.type === 'start') {
      for (const thread of threads) thread.postMessage(message)
      return
    }
    const { job } = message
    for (let at = 0; at < job.threads; at++) {
      const thread = new Worker(new URL(import.meta.url), { workerData: job })
      thread.on('message', (said: FromWorker) => onMessage(job, said))
      thread.on('error', (error) => say(failed(error)))
      threads.push(thread)
    }
  })
}

if (isMainThread) runProcess()
else {
  const port = parentPort!
  runThread(workerData as Job, port).catch((error: unknown) => port.postMessage(failed(error)))
}
