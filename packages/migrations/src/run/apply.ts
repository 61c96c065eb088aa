import { defineSchema } from '@isotherm/core'
import { Limits, type Schema, withRetries, itemAt } from '@isotherm/core/engine'
import { findTable, partitionedOf } from '@isotherm/core/tools'
import { type Migration, excerpt, invalid } from '../files/migration.js'
import { refuseStopped } from '../options.js'
import { MigrationRun, type RunServices, isEnd, isRefusal } from './session.js'
import { type ReshardAction, parseReshardCommand } from '../reshard/command.js'
import { runReshardCommand } from '../reshard/run.js'
import { beginBatch, ddlBatch, resumeBatch } from './apply-ddl.js'
import type { OpenMigration } from './selection.js'

/** How often a statement was begun, and whether the end of the last attempt was not seen: that attempt did not fail. */
interface Attempt {
  readonly attempt: number
  readonly resumed: boolean
}

/** Runs DML and writes down that it ran: exactly once where the engine has transactions, else at least once. */
async function applyInTransaction(run: MigrationRun, number: number, attempt: Attempt): Promise<void> {
  const { store, lease, signal } = run.services
  await begin(run, number, attempt)
  await attemptOf(run, number, () => {
    const key = itemAt(run.keys(number, number), 0)
    const { sql } = run.statement(number)
    return store.runDml(lease, { key, sql, signal, done: (rows) => run.done(number, number, rows) })
  })
}

/** Runs DML over as many rows as there are; after a crash it is run again. */
async function applyPartitioned(run: MigrationRun, number: number, attempt: Attempt): Promise<void> {
  const { driver, lease, signal } = run.services
  const { sql } = run.statement(number)
  const executePartitioned = partitionedOf(driver, excerpt(sql, driver.dialect))
  await begin(run, number, attempt)
  await attemptOf(run, number, async () => {
    const statement = { text: sql, parameters: [] }
    const limits = new Limits({ signal })
    const rows = await withRetries(async () => {
      // This statement does not check the lease, and a statement that a sleeping process sends late could undo what others
      // have done since.
      await lease.ensureHeld()
      return executePartitioned(statement, limits.options)
    }, limits)
    await run.write(...run.done(number, number, rows))
    return rows
  })
}

async function begin(run: MigrationRun, number: number, { attempt, resumed }: Attempt): Promise<void> {
  await run.write(...run.begun(), { to: 'started', records: [run.record(number, attempt, null)] })
  run.services.tell({ type: 'statement-started', resumed, ...run.position(number) })
}

async function attemptOf(
  run: MigrationRun,
  number: number,
  work: () => Promise<number | undefined>,
): Promise<void> {
  try {
    run.reportDone(number, number, await work())
  } catch (error) {
    if (isEnd(error, run.services.signal)) throw error
    if (isRefusal(error)) await run.fail(number, number, error)
    throw run.unknown(number, error)
  }
}

/** The actions that cannot run without knowing the tables. */
const READ_TABLES: ReadonlySet<ReshardAction> = new Set(['PREPARE', 'COPY', 'VERIFY', 'FINISH'])

/** Runs a step of a change of a key; after a crash it goes on where it was. */
async function applyReshard(run: MigrationRun, number: number, attempt: Attempt): Promise<void> {
  const { driver, signal, tell, propagationWaitMs, migrations } = run.services
  const { sql } = run.statement(number)
  const schema = schemaFor(sql, run.migration, migrations)
  await begin(run, number, attempt)
  await attemptOf(run, number, async () => {
    await runReshardCommand(driver, schema, sql, {
      signal,
      ...(propagationWaitMs !== undefined && { propagationWaitMs }),
      onProgress: ({ done, parts }) => {
        const percent = parts === 0 ? 100 : Math.floor((100 * done) / parts)
        tell({ type: 'statement-progress', percent, ...run.position(number) })
      },
    })
    await run.write(...run.done(number, number))
    return undefined
  })
}

/**
 * Most steps do not need a schema. A step that was written by hand uses that of the last migration that knows its tables.
 */
function schemaFor(command: string, { name, snapshot }: Migration, migrations: readonly Migration[]): Schema {
  if (snapshot) return snapshot.schema
  const { action, tables } = parseReshardCommand(command)
  const knows = (schema: Schema): boolean =>
    tables.every(({ from, to }) => findTable(schema, from) && findTable(schema, to))
  const other = migrations.findLast((each) => each.snapshot && knows(each.snapshot.schema))?.snapshot
  if (other) return other.schema
  if (!READ_TABLES.has(action)) return defineSchema([])
  throw invalid(
    name,
    `has the reshard step ${action}, but no snapshot.json describes its tables.`,
    'Restore the snapshots of the other steps from version control.',
  )
}

/**
 * Applies the rest of a migration, statement by statement, or batch by batch where statements change the schema.
 *
 * @throws {IsothermError} `MIGRATION_FAILED` naming the statement.
 */
export async function applyMigration(services: RunServices, progress: OpenMigration): Promise<MigrationRun> {
  const { migration, whole, done } = progress
  const run = new MigrationRun(services, migration, (whole?.attempt ?? 0) + 1, done)
  const records = new Map(progress.statements)
  const length = migration.statements.length
  // Statements that were refused, and have been taken out since.
  const gone = [...records.keys()].filter((statement) => statement > length)
  if (gone.length > 0) await run.write({ to: 'forgotten', records: gone.flatMap((at) => run.keys(at, at)) })
  if (done === length) await run.write(...run.begun(), { to: 'done', records: run.keys(0, 0) })

  /** Up to this statement, statements go one by one: the database refused them together. */
  let aloneUntil = 0
  while (run.finished < length) {
    refuseStopped(services.signal)
    const number = run.finished + 1
    const record = records.get(number)
    const attempt = (record?.attempt ?? 0) + 1
    const { kind } = run.statement(number)
    const again = { attempt, resumed: record?.state === 'started' }
    if (kind === 'transaction') await applyInTransaction(run, number, again)
    else if (kind === 'partitioned') await applyPartitioned(run, number, again)
    else if (kind === 'reshard') await applyReshard(run, number, again)
    else if (record?.state === 'started' && record.operation !== null) {
      if (await resumeBatch(run, record, records)) continue
      // The operation has no more information: the remaining statements are begun again.
      for (const [left, known] of records) {
        if (known.operation === record.operation) records.set(left, { ...known, operation: null })
      }
    } else {
      const size = ddlBatch(run, number, number <= aloneUntil)
      if (!(await beginBatch(run, number, size, attempt))) aloneUntil = number + size - 1
    }
  }
  return run
}
