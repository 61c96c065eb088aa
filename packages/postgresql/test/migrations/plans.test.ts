import { IsothermError, introspect } from '@isotherm/core'
import { compareWithLive, diffSchemas, planMigration } from '@isotherm/migrations'
import { postgresql as dialect } from '@isotherm/postgresql'
import { expect, it } from 'vitest'
import { ddlOf, recordedOf, unordered, withDatabaseAfter } from '../../../../test/migrations/planned.js'
import type { PlanCase } from '../../../migrations/test/plans/case.js'
import { planCases } from '../../../migrations/test/plans/cases.js'
import { onEmptyPglite } from '../support/pglite.js'

/** A case whose query has names without quotes, which PostgreSQL folds to lower case. */
const FOLDED = /^renames a table with a child, and recreates/

/** Whether both schemas have their SQL for this dialect, and nothing that PostgreSQL lacks or cannot change. */
function isPlanned({ name, from, to, renames }: PlanCase): boolean {
  if (FOLDED.test(name)) return false
  try {
    for (const schema of [from, to]) ddlOf(schema, dialect)
    return diffSchemas(from, to, { dialect, ...(renames && { renames }) }).refusals.length === 0
  } catch (error) {
    if (error instanceof IsothermError && error.code === 'UNSUPPORTED_MODEL') return false
    throw error
  }
}

/** The cases of `spanner-postgresql`, with their SQL under the name `postgresql`. */
const cases = (
  JSON.parse(JSON.stringify(planCases).replaceAll('"spanner-postgresql":', '"postgresql":')) as PlanCase[]
).filter(isPlanned)

it.each(cases)(
  'a database after a plan that $name has the same schema as a new database',
  async ({ from, to, renames }) => {
    const plan = planMigration(from, to, { dialect, ...(renames && { renames }) })
    const read = (schema: typeof from, statements: typeof plan = []) =>
      withDatabaseAfter(onEmptyPglite, schema, dialect, statements, (driver) =>
        introspect({ driver, dialect }),
      )
    const after = await read(from, plan)
    expect(unordered(after)).toEqual(unordered(await read(to)))
    const recorded = await recordedOf(onEmptyPglite, to, dialect)
    expect(compareWithLive(to, after, { dialect, recorded })).toEqual({ changes: [], refusals: [] })
  },
)

it('more than 30 plans of the other dialects are tested on PGlite', () => {
  expect(cases.length).toBeGreaterThan(30)
})
