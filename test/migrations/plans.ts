import { introspect, type SqlDialect } from '@isotherm/core'
import { compareWithLive, planMigration } from '@isotherm/migrations'
import { spanner } from '@isotherm/spanner'
import { expect, it } from 'vitest'
import { planCases } from '../../packages/migrations/test/plans/cases.js'
import { someCases } from '../support/runs.js'
import { sharedEmulator } from '../support/spanner.js'
import { onEmulator } from './on-emulator.js'
import { ddlOf, recordedOf, statement, withDatabaseAfter } from './planned.js'

/** An added column is the last one of its table, of the stored columns of an index and of the watched columns of a stream. */
function inAnyOrder(ddl: readonly string[]): string[] {
  return ddl
    .map((text) => {
      const lines = text
        .replace(/(?<=\b(?:STORING|INCLUDE) ?\()[^)]*/g, sorted)
        .split('\n')
        .map((line) => line.trim().replace(/,$/, ''))
      return text.startsWith('CREATE CHANGE STREAM') ? sorted(text) : lines.toSorted().join('\n')
    })
    .toSorted()
}

function sorted(list: string): string {
  return list
    .split(/[\s,()]+/)
    .toSorted()
    .join(' ')
}

/** Executes the plans of a dialect. */
export function testPlans(dialect: SqlDialect): void {
  const executed = planCases.filter(
    ({ statements, notInEmulator = [] }) => statements[dialect.name] && !notInEmulator.includes(dialect),
  )

  it.each(someCases(executed))(
    'a database after a plan that $name equals a new database with the target schema',
    async ({ from, to, renames }) => {
      const plan = planMigration(from, to, { dialect, ...(renames && { renames }) })
      const after = await withDatabaseAfter(onEmulator, from, dialect, plan, async (driver) => ({
        ddl: await driver.readDdl!(),
        schema: await introspect({ driver, dialect }),
      }))
      const fresh = await withDatabaseAfter(onEmulator, to, dialect, [], (driver) => driver.readDdl!())
      expect(inAnyOrder(after.ddl)).toEqual(inAnyOrder(fresh))
      const recorded = await recordedOf(onEmulator, to, dialect)
      expect(compareWithLive(to, after.schema, { dialect, recorded })).toEqual({ changes: [], refusals: [] })
    },
  )

  it('a renamed column keeps its values, also when its values are copied twice', async () => {
    const { from, to, renames } = planCases.find(({ name }) => name === 'gives a column another name')!
    const emulator = await sharedEmulator()
    const client = await emulator.database({ dialect, ddl: ddlOf(from, dialect) })
    const driver = spanner(client)
    await client.table('T').insert([
      { id: 1, mail: 'a@b', seen: null, rank: 8 },
      { id: 2, mail: 'c@d', seen: new Date(5).toISOString(), rank: 9 },
    ])
    for (const { kind, sql } of planMigration(from, to, { dialect, renames: renames! })) {
      if (kind === 'ddl') await driver.applyDdl([sql])
      else for (const _ of [1, 2]) await driver.executePartitioned!(statement(sql))
    }
    const [rows] = await client
      .table('T')
      .read({ columns: ['email', 'place', 'seenAt'], keySet: { all: true }, json: true })
    expect(rows).toMatchObject([
      { email: 'a@b', place: 8, seenAt: null },
      { email: 'c@d', place: 9, seenAt: new Date(5) },
    ])
    const recorded = await recordedOf(onEmulator, to, dialect)
    expect(compareWithLive(to, await introspect({ driver, dialect }), { dialect, recorded })).toEqual({
      changes: [],
      refusals: [],
    })
  })
}
