import { introspect } from '@isotherm/core'
import { compareWithLive, planMigration } from '@isotherm/migrations'
import { spanner } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { planCases } from '../../packages/migrations/test/plans/cases.js'
import { dialects, sharedEmulator } from '../support/spanner.js'
import { databaseAfter, ddlOf, statement, unordered } from './planned.js'

const executed = planCases.flatMap(({ name, from, to, renames, statements, notInEmulator = [] }) =>
  dialects.flatMap((dialect) =>
    statements[dialect.name] && !notInEmulator.includes(dialect)
      ? [{ name, dialect, from, to, renames }]
      : [],
  ),
)

describe('a database', () => {
  // The emulator lets each read wait: several wait together.
  it.concurrent.each(executed)(
    'after a plan that $name reads as a new one in $dialect.name',
    async ({ from, to, renames, dialect }) => {
      const plan = planMigration(from, to, { dialect, ...(renames && { renames }) })
      const after = await databaseAfter(from, dialect, plan)
      expect(unordered(after)).toEqual(unordered(await databaseAfter(to, dialect)))
      expect(compareWithLive(to, after, { dialect })).toEqual({ changes: [], refusals: [] })
    },
  )

  it.each(dialects)(
    'keeps the values of a renamed column in $name, and copies them again unharmed',
    async (dialect) => {
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
      expect(compareWithLive(to, await introspect({ driver, dialect }), { dialect })).toEqual({
        changes: [],
        refusals: [],
      })
    },
  )
})
