import { Limits, withRetries } from '../../database/retries.js'
import { IsothermError } from '../../errors.js'
import { excerpt } from '../files/statement-start.js'
import { isEnd, isRefusal, type MigrationRun } from './session.js'

/** How often a statement is begun, and whether nobody saw the end of the last time: it did not fail then. */
export interface Attempt {
  readonly attempt: number
  readonly resumed: boolean
}

/** Runs DML and writes down that it ran: exactly once where the engine has transactions, else at least once. */
export async function applyInTransaction(run: MigrationRun, number: number, attempt: Attempt): Promise<void> {
  const { store, lease, signal } = run.services
  await begin(run, number, attempt)
  await attemptOf(run, number, () => {
    const [key] = run.keys(number, number)
    const { sql } = run.statement(number)
    return store.runDml(lease, { key: key!, sql, signal, done: (rows) => run.done(number, number, rows) })
  })
}

/** Runs DML over as many rows as there are; after a crash it is run again. */
export async function applyPartitioned(run: MigrationRun, number: number, attempt: Attempt): Promise<void> {
  const { driver, lease, signal } = run.services
  const { executePartitioned } = driver
  if (!executePartitioned) throw notPartitioned(run.statement(number).sql, driver.name)
  await begin(run, number, attempt)
  await attemptOf(run, number, async () => {
    const statement = { text: run.statement(number).sql, parameters: [] }
    const limits = new Limits({ signal })
    const rows = await withRetries(async () => {
      // This statement asks for no lease, and what a sleeper sends late could undo what others have done since.
      await lease.ensureHeld()
      return executePartitioned.call(driver, statement, limits.options)
    }, limits)
    await run.write(...run.done(number, number, rows))
    return rows
  })
}

function notPartitioned(sql: string, engine: string): IsothermError {
  return new IsothermError(
    'UNSUPPORTED',
    `${engine} runs no statement over as many rows as there are: ${excerpt(sql)}.`,
    {
      fix: 'Change such rows in the application, a partition at a time, and take the statement out of the migration.',
    },
  )
}

export async function begin(run: MigrationRun, number: number, { attempt, resumed }: Attempt): Promise<void> {
  await run.write(...run.begun(), { to: 'started', records: [run.record(number, attempt, null)] })
  run.services.tell({ type: 'statement-started', resumed, ...run.place(number) })
}

export async function attemptOf(
  run: MigrationRun,
  number: number,
  work: () => Promise<number | undefined>,
): Promise<void> {
  try {
    run.told(number, number, await work())
  } catch (error) {
    if (isEnd(error, run.services.signal)) throw error
    if (isRefusal(error)) await run.fail(number, number, error)
    throw run.unknown(number, error)
  }
}
