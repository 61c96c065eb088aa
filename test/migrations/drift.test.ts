import { defineSchema, defineTable, introspect, type Schema, type TableSchema } from '@isotherm/core'
import { compareWithLive, describeChange, planMigration } from '@isotherm/migrations'
import { spanner } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { dialects, sharedEmulator } from '../support/spanner.js'
import { onEmulator } from './on-emulator.js'
import { databaseAfter, ddlOf, unordered } from './planned.js'

describe.each(dialects)('the comparison of a live database with the models in $name', (dialect) => {
  it('finds a changed index filter in GoogleSQL, but not a filter on a column that is never NULL', async () => {
    const filtered = (notNull: ('m' | 'n')[]): Schema =>
      defineSchema([
        defineTable(
          'A',
          (t) => ({
            id: t.uuidV4(),
            n: t.int64(),
            m: t.int64({ nullable: true }),
          }),
          { indexes: [{ name: 'ByM', on: ['n', 'm'], notNull }] },
        ),
      ])
    const different = async (live: Schema, expected: Schema): Promise<string[]> =>
      compareWithLive(expected, await databaseAfter(onEmulator, live, dialect), { dialect }).changes.map(
        ({ kind }) => kind,
      )
    const remade = dialect.name === 'googlesql' ? ['drop-index', 'create-index'] : []
    expect(await different(filtered([]), filtered(['m']))).toEqual(remade)
    expect(await different(filtered(['m']), filtered([]))).toEqual(remade)
    expect(await different(filtered(['m', 'n']), filtered(['n', 'm']))).toEqual([])
    // n is never NULL, so this filter excludes no row.
    expect(await different(filtered([]), filtered(['n']))).toEqual([])
    expect(await different(filtered(['n']), filtered([]))).toEqual([])
  })

  it('finds tables, columns, indexes, defaults and checks that were changed by hand, with the change that restores each', async () => {
    const [quote, int64] = dialect.name === 'googlesql' ? ['`', 'INT64'] : ['"', 'bigint']
    const expected = defineSchema([
      defineTable(
        'A',
        (t) => ({ id: t.int64().key(), n: t.int64({ default: 1n }), m: t.int64({ nullable: true }) }),
        { checks: [{ name: 'Positive', expression: 'n > 0' }], indexes: [{ name: 'ByM', on: ['m'] }] },
      ),
      defineTable('B', (t) => ({ id: t.int64().key() })),
    ])
    const emulator = await sharedEmulator()
    const client = await emulator.database({ dialect, ddl: ddlOf(expected, dialect) })
    const driver = spanner(client)
    const isOther = (name: string): boolean => name.startsWith('isotherm_')
    const readTables = async (): Promise<readonly TableSchema[]> => {
      const { tables } = unordered(await introspect({ driver, dialect }))
      return tables.filter(({ name }) => !isOther(name))
    }
    const before = await readTables()
    const primary = dialect.name === 'googlesql' ? ') PRIMARY KEY (id)' : ', PRIMARY KEY (id))'
    await driver.applyDdl(
      [
        'DROP TABLE "B"',
        'DROP INDEX "ByM"',
        'ALTER TABLE "A" DROP CONSTRAINT "Positive"',
        'ALTER TABLE "A" ALTER COLUMN "n" DROP DEFAULT',
        `ALTER TABLE "A" ADD COLUMN "more" ${int64}`,
        `CREATE TABLE "Stranger" (id ${int64} NOT NULL${primary}`,
        `CREATE TABLE isotherm_history (id ${int64} NOT NULL${primary}`,
      ].map((sql) => sql.replaceAll('"', quote!)),
    )
    const live = await introspect({ driver, dialect })
    const { changes, refusals } = compareWithLive(expected, live, { dialect, ignore: isOther })
    expect(refusals).toEqual([])
    expect(changes.map(describeChange)).toEqual([
      `A: change the column n: default ${dialect.name === 'googlesql' ? '1' : "'1'::bigint"}`,
      'B: create the table',
      'A: create the index ByM (m)',
      'A: add the check Positive (n > 0)',
      'A: drop the column more, with its data',
      'Stranger: drop the table, with its data',
    ])
    // With the statements for these changes the database is as it was.
    const statements = planMigration(live, expected, { dialect, ignore: isOther, live: true })
    expect(await readTables()).not.toEqual(before)
    await driver.applyDdl(statements.map(({ sql }) => sql))
    expect(await readTables()).toEqual(before)
  })

  it('reports a different primary key and a different column type as refusals', async () => {
    const other = defineSchema([defineTable('A', (t) => ({ id: t.int64().key(), n: t.string() }))])
    const expected = defineSchema([defineTable('A', (t) => ({ id: t.int64().key(), n: t.int64().key() }))])
    const { refusals } = compareWithLive(expected, await databaseAfter(onEmulator, other, dialect), {
      dialect,
    })
    expect(refusals.map(({ kind }) => kind)).toEqual(['primary-key', 'column-type'])
  })
})
