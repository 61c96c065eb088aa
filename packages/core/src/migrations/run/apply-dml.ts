import { Limits, withRetries } from '../../database/retries.js'
import { isEnd, isRefusal, type MigrationRun } from './session.js'

/** How often a statement is begun, and whether nobody saw the end of the last time: it did not fail then. */
export interface Attempt {
  readonly attempt: number
  readonly resumed: boolean
}

/** How long a statement in a transaction may take, in milliseconds: as long as locks may be held, and not for ever. */
const TRANSACTION_DEADLINE = 600_000

/** Runs DML in a transaction that also writes down that it ran: exactly once, even where the commit's answer is lost. */
export async function applyInTransaction(run: MigrationRun, number: number, attempt: Attempt): Promise<void> {
  const { history, lease } = run.services
  await begin(run, number, attempt)
  await attemptOf(run, number, async () => {
    const statement = { text: run.statement(number).sql, parameters: [] }
    const [key] = run.keys(number, number)
    return lease.commitBeside(
      async (context) => {
        const record = await history.readIn(context, key!)
        if (record?.state === 'done') return record.rows ?? 0
        const [rows] = await context.execute([statement])
        context.buffer(history.mutations(run.done(number, number, rows)))
        return rows!
      },
      { deadline: TRANSACTION_DEADLINE },
    )
  })
}

/** Runs DML over as many rows as there are; after a crash it is run again. */
export async function applyPartitioned(run: MigrationRun, number: number, attempt: Attempt): Promise<void> {
  const { driver, lease, signal } = run.services
  await begin(run, number, attempt)
  await attemptOf(run, number, async () => {
    const statement = { text: run.statement(number).sql, parameters: [] }
    const limits = new Limits({ signal })
    const rows = await withRetries(async () => {
      // This statement asks for no lease, and what a sleeper sends late could undo what others have done since.
      await lease.ensureHeld()
      return driver.executePartitioned(statement, limits.options)
    }, limits)
    await run.write(...run.done(number, number, rows))
    return rows
  })
}

export async function begin(run: MigrationRun, number: number, { attempt, resumed }: Attempt): Promise<void> {
  await run.write(run.begun(), { to: 'started', records: [run.record(number, attempt, null)] })
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
