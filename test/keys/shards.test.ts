import { compileDdl, defineSchema } from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import { describe, expect, it } from 'vitest'
import { hashTables, SHARDS, variantsBy } from '@isotherm/testing/data/hashed-tables'
import { dialects, testDatabase } from '../support/spanner.js'
import { byOtherWriter, inDialect } from './support.js'

const computedBy = ['database', 'client'] as const

// The DDL of a shard. The values of shards are tested on every engine elsewhere.

const range = {
  googlesql: (table: string) =>
    `CONSTRAINT \`${table}_shard_range\` CHECK (\`shard\` >= 0 AND \`shard\` < 16)`,
  'spanner-postgresql': (table: string) =>
    `CONSTRAINT "${table}_shard_range" CHECK ("shard" >= 0 AND "shard" < 16)`,
}
const generated = {
  googlesql: '  `shard` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(',
  'spanner-postgresql': '  "shard" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint(',
}
const plain = {
  googlesql: '  `shard` INT64 NOT NULL,\n',
  'spanner-postgresql': '  "shard" bigint NOT NULL,\n',
}

describe.each(dialects)('shard columns in $name', async (dialect) => {
  const variants = variantsBy(computedBy)
  const schema = defineSchema(hashTables(variants, computedBy, dialect.name === 'googlesql'))
  const own = await testDatabase(schema, dialect)
  const { db } = own
  const ddl = new Map(
    schema.tables.map(({ name }, at) => [name, compileDdl(schema, { dialect })[at]!] as const),
  )

  it.each(variants)(
    'the hash of %s, computed by the %s, is a generated column or a plain column with a CHECK on its range',
    (name, by) => {
      const table = `Of_${name}_by_${by}`
      const text = ddl.get(table)!
      expect(text.includes(generated[dialect.name])).toBe(by === 'database')
      expect(text.includes(plain[dialect.name])).toBe(by === 'client')
      expect(text.includes(range[dialect.name](table))).toBe(by === 'client')
    },
  )

  it('the database computes the hash of an immutable column outside the key', () => {
    expect(ddl.get('Given')).toContain(generated[dialect.name])
    expect(ddl.get('Given')).toContain(inDialect(dialect, 'PRIMARY KEY (`shard`, `id`)'))
  })

  describe('a shard in the writes of other writers', () => {
    const insert = (by: 'database' | 'client', shard: number, id: number): string =>
      `INSERT INTO \`Of_int64_by_${by}\` (\`shard\`, \`value\`, \`id\`) VALUES (${shard}, 7, ${id})`

    it('is rejected by a CHECK when out of range, if the client computes the shard', async () => {
      for (const shard of [-1, 16, -(2 ** 31)]) {
        await expect(byOtherWriter(own, insert('client', shard, 400))).rejects.toThrow(
          /Check constraint.*Of_int64_by_client_shard_range/,
        )
      }
      expect(await byOtherWriter(own, insert('client', 15, 400))).toBe(1)
    })

    it('cannot be given, and is generated, if the database computes the shard', async () => {
      await expect(byOtherWriter(own, insert('database', shardOf(7n, SHARDS), 400))).rejects.toThrow(/shard/)
      const sql = 'INSERT INTO `Of_int64_by_database` (`value`, `id`) VALUES (7, 400)'
      expect(await byOtherWriter(own, sql)).toBe(1)
      expect(await db.get('Of_int64_by_database', { value: 7n, id: 400n })).toMatchObject({
        shard: BigInt(shardOf(7n, SHARDS)),
      })
    })
  })
})
