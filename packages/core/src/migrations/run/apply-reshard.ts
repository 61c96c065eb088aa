import { defineSchema } from '../../model/define-schema.js'
import { findTable, type Schema } from '../../model/schema.js'
import { invalid } from '../files/invalid.js'
import type { Migration } from '../files/migration.js'
import { parseReshardCommand, type ReshardAction } from '../reshard/command.js'
import { runReshardCommand } from '../reshard/run.js'
import { attemptOf, begin, type Attempt } from './apply-dml.js'
import type { MigrationRun } from './session.js'

/** What cannot be done without knowing the tables. */
const READ_TABLES: ReadonlySet<ReshardAction> = new Set(['PREPARE', 'COPY', 'VERIFY', 'FINISH'])

/** Runs a step of a change of a key; after a crash it goes on where it was. */
export async function applyReshard(run: MigrationRun, number: number, attempt: Attempt): Promise<void> {
  const { driver, signal, tell, settle, migrations } = run.services
  const { sql } = run.statement(number)
  const schema = schemaFor(sql, run.migration, migrations)
  await begin(run, number, attempt)
  await attemptOf(run, number, async () => {
    await runReshardCommand(driver, schema, sql, {
      signal,
      ...(settle !== undefined && { settle }),
      onProgress: ({ done, parts }) => {
        const percent = parts === 0 ? 100 : Math.floor((100 * done) / parts)
        tell({ type: 'statement-progress', percent, ...run.place(number) })
      },
    })
    await run.write(...run.done(number, number))
    return undefined
  })
}

/** Most steps need none. One that was written by hand goes by the last migration that knows its tables. */
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
    `has a step ${action} of a change of a key, and no snapshot.json tells of its tables.`,
    'Take the snapshots that were generated with the other steps from version control.',
  )
}
