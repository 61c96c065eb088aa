import { defineSchema } from '../../model/define-schema.js'
import type { Schema } from '../../model/schema.js'
import { invalid } from '../files/invalid.js'
import type { Migration } from '../files/migration.js'
import { parseReshardCommand } from '../reshard/command.js'
import { runReshardCommand } from '../reshard/run.js'
import { attemptOf, begin } from './apply-dml.js'
import type { MigrationRun } from './session.js'

/** Runs a step of a change of a key; after a crash it goes on where it was. */
export async function applyReshard(run: MigrationRun, number: number, attempt: number): Promise<void> {
  const { driver, signal, tell, settle } = run.services
  const { sql } = run.statement(number)
  const schema = schemaFor(sql, run.migration)
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

/** Most steps need none: a way back may stand in a migration that somebody has written by hand. */
function schemaFor(command: string, { name, snapshot }: Migration): Schema {
  if (snapshot) return snapshot.schema
  const { action } = parseReshardCommand(command)
  if (action !== 'COPY' && action !== 'VERIFY') return defineSchema([])
  throw invalid(
    name,
    `has a step ${action} of a change of a key, and no snapshot.json.`,
    'Take the snapshot that was generated with it from version control.',
  )
}
