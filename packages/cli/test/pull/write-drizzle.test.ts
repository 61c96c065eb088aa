import { defineSchema, defineTable, type ColumnSchema, type SqlDialect, type Schema } from '@isotherm/core'
import { diffSchemas } from '@isotherm/migrations'
import { googlesql } from '@isotherm/spanner'
import { createTableRelationsHelpers, extractTablesRelationalConfig, normalizeRelation } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { goldens } from '../../../spanner/test/golden/schemas.js'
import { modelSchema, writeModels } from '../../src/pull/write-models.js'
import { findingsOf, ModelFolders, sortedDdl } from './models.js'

const style = 'drizzle'

/** Golden schemas that Drizzle tables cannot declare, and the error for each. */
const refusals: Readonly<Record<string, RegExp>> = {
  'uuid-storages.googlesql': /PairParent\.id is a UUID in two integers/,
  'shards-by-database-uuids.googlesql': /Hash_int64_pair\.id is a UUID in two integers/,
  'uuid-storages.spanner-postgresql': /UuidBytes\.other is a UUID kept as bytes/,
  'uuid-native.spanner-postgresql': /NativeUuids\.other is a UUID kept as native/,
  'bit-reversed-ids.spanner-postgresql': /IdsSkipping passes over a range/,
  'objects.spanner-postgresql': /Receipts passes over a range/,
  'made-by-database.spanner-postgresql': /Person\.initial is computed whenever it is read/,
  'desc-keys.spanner-postgresql': /DescKeys\.a_number descends in the key/,
  'interleaving.spanner-postgresql': /\.line descends in the key/,
  'indexes.spanner-postgresql': /Customer\.customer_id descends in the key/,
  'indexes-partial.spanner-postgresql': /Customer\.\w+ descends in the key/,
  'key-types.spanner-postgresql': /\.a descends in the key/,
}

const cases = goldens.map(({ name, dialect, schema }) => ({
  name,
  dialect,
  schema: inDatabase(schema, dialect),
  folder: `${name}.${dialect.name}`,
}))

/** The PostgreSQL dialect does not store the length of bytes, so pgTable does not declare the length. */
function inDatabase(schema: Schema, dialect: SqlDialect): Schema {
  if (dialect.name === 'googlesql') return schema
  const column = (each: ColumnSchema): ColumnSchema =>
    each.type.kind === 'bytes' && !each.source ? { ...each, type: { kind: 'bytes', length: 'max' } } : each
  return {
    ...schema,
    tables: schema.tables.map((table) => ({ ...table, columns: table.columns.map(column) })),
  }
}

describe('writeModels() with the style drizzle', () => {
  let folders: ModelFolders

  beforeAll(async () => {
    folders = await ModelFolders.make()
    for (const { dialect, schema, folder } of cases)
      if (!(folder in refusals)) await folders.write(folder, writeModels(schema, { dialect, style }).files)
  })

  afterAll(() => folders.remove())

  it('writes tables of the golden schemas that compile', async () => {
    expect(await folders.compile('standard')).toBe('')
  })

  it('writes tables of the golden schemas as the formatter leaves them, except with very long names', async () => {
    // A name that fills a whole line leaves no layout to agree on.
    const files = await folders.unformatted()
    expect(files.filter((file) => !file.includes('names-long'))).toEqual([])
  })

  it.each(cases.filter(({ folder }) => !(folder in refusals)))(
    'writes tables with the DDL and the lint findings of the golden schema $name in $dialect.name',
    async ({ dialect, schema, folder }) => {
      const loaded = await folders.load(folder)
      expect(sortedDdl(loaded, dialect)).toEqual(sortedDdl(schema, dialect))
      expect(findingsOf(loaded, dialect)).toEqual(findingsOf(schema, dialect))
      const changes = diffSchemas(modelSchema(schema, dialect), loaded, { dialect })
      expect(changes).toEqual({ changes: [], refusals: [] })
    },
  )

  it.each(cases.filter(({ folder }) => !(folder in refusals)))(
    'writes at most two relations for each parent and foreign key of $name in $dialect.name',
    async ({ schema, folder }) => {
      const { schema: _, ...declared } = await folders.exports(folder)
      const { tables, tableNamesMap } = extractTablesRelationalConfig(declared, createTableRelationsHelpers)
      const relations = Object.values(tables).flatMap((table) => Object.values(table.relations))
      const targets = relations.map((relation) => normalizeRelation(tables, tableNamesMap, relation))
      // A foreign key to the parent may repeat the interleaving.
      const max = schema.tables.flatMap(({ parent, foreignKeys }) => [
        ...(parent ? [parent] : []),
        ...foreignKeys,
      ])
      expect(targets.length).toBeLessThanOrEqual(max.length * 2)
      expect(targets.length > 0).toBe(max.length > 0)
    },
  )

  it.each(cases.filter(({ folder }) => folder in refusals))(
    'rejects $name in $dialect.name and names the object that Drizzle cannot declare',
    ({ dialect, schema, folder }) => {
      expect(() => writeModels(schema, { dialect, style })).toThrow(refusals[folder]!)
    },
  )

  it('writes explicit column names when the casing of the project would change them', () => {
    const { dialect, schema } = cases.find(({ folder }) => folder === 'interleaving-loose.googlesql')!
    const [written] = writeModels(schema, { dialect, style, casing: 'snake_case' }).files
    const [plain] = writeModels(schema, { dialect, style }).files
    for (const { columns } of schema.tables) {
      for (const { name } of columns.filter(({ inherited }) => !inherited)) {
        expect(written!.text).toContain(`('${name}'`)
      }
    }
    expect(plain!.text).not.toBe(written!.text)
  })
})

it('writeModels() quotes the beginning of each statement that Drizzle cannot declare', () => {
  const schema = defineSchema([defineTable('T', (t) => ({ id: t.uuidV4() }))], {
    opaqueStatements: [
      'GRANT SELECT ON TABLE T TO ROLE reader',
      'CREATE SEARCH INDEX TByText ON T (text) STORING (one_column, another_column)',
    ],
  })
  expect(() => writeModels(schema, { dialect: googlesql, style })).toThrow(
    'GRANT SELECT ON TABLE T TO ROLE reader is a statement that Isotherm does not model; ' +
      'CREATE SEARCH INDEX TByText ON T (text) STORING (one_column… is a statement',
  )
})
