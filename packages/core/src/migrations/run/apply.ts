import { refuseStopped } from '../pace.js'
import { beginBatch, ddlBatch, resumeBatch } from './apply-ddl.js'
import { applyInTransaction, applyPartitioned } from './apply-dml.js'
import { applyReshard } from './apply-reshard.js'
import type { OpenMigration } from './selection.js'
import { MigrationRun, type RunServices } from './session.js'

/**
 * Applies what is left of a migration, statement by statement, or batch by batch where statements change the schema.
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

  /** Up to here, statements go one by one: the database refused them together. */
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
      // Nothing more can be learnt from that operation: what is left is begun anew.
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
