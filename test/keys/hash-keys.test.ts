import { compileDdl, defineSchema } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import {
  algorithms,
  alone,
  before,
  expectedHash,
  suffix,
  TwoOutside,
  urls,
  variantsBy,
} from '@isotherm/testing/data/hash-tables'
import { dialects, testDatabase } from '../support/spanner.js'
import { inPages } from '@isotherm/testing/data/paging'
import { byOtherWriter, inDialect, strategies } from './support.js'

// The DDL of a hash key, and the order of fan-outs over whole tables.

const variants = variantsBy(['database', 'client']).map(([algorithm, by]) => ({
  algorithm,
  by,
  Before: before(algorithm, by),
  Alone: alone(algorithm, by),
}))
const schema = defineSchema([...variants.flatMap(({ Before, Alone }) => [Before, Alone]), TwoOutside])

function compareHashes(a: bigint | Uint8Array, b: bigint | Uint8Array): number {
  if (typeof a === 'bigint') return a < (b as bigint) ? -1 : a > (b as bigint) ? 1 : 0
  return Buffer.compare(a, b as Uint8Array)
}

const column = {
  googlesql: {
    'farm-fingerprint': [
      'INT64 NOT NULL',
      "AS (FARM_FINGERPRINT(CONCAT(CAST(`tenant` AS STRING), '|', `url`))) STORED",
    ],
    sha256: ['BYTES(32) NOT NULL', "AS (SHA256(CONCAT(CAST(`tenant` AS STRING), '|', `url`))) STORED"],
    sha512: ['BYTES(64) NOT NULL', "AS (SHA512(CONCAT(CAST(`tenant` AS STRING), '|', `url`))) STORED"],
  },
  'spanner-postgresql': {
    'farm-fingerprint': [
      'bigint NOT NULL',
      `GENERATED ALWAYS AS (spanner.farm_fingerprint("tenant"::text || '|' || "url")) STORED`,
    ],
    sha256: [
      'bytea NOT NULL',
      `GENERATED ALWAYS AS (sha256(("tenant"::text || '|' || "url")::bytea)) STORED`,
    ],
    sha512: [
      'bytea NOT NULL',
      `GENERATED ALWAYS AS (sha512(("tenant"::text || '|' || "url")::bytea)) STORED`,
    ],
  },
} as const

describe.each(dialects)('hash keys in $name', async (dialect) => {
  const own = await testDatabase(schema, dialect)
  const { db } = own
  const statements = compileDdl(schema, { dialect })
  const ddl = (table: string): string => statements[schema.tables.findIndex(({ name }) => name === table)]!

  describe.each(variants)(
    'a $algorithm hash key that the $by computes',
    ({ algorithm, by, Before, Alone }) => {
      it('is a generated column if the database computes the hash, and a plain column otherwise', () => {
        const [type, expression] = column[dialect.name][algorithm]
        const text = by === 'database' ? `  \`hash\` ${type} ` : `  \`hash\` ${type},\n`
        expect(ddl(Before.name)).toContain(inDialect(dialect, text))
        expect(ddl(Before.name).includes(expression)).toBe(by === 'database')
        expect(ddl(Before.name)).toContain(inDialect(dialect, 'PRIMARY KEY (`hash`, `tenant`, `url`)'))
        expect(ddl(Alone.name)).toContain(inDialect(dialect, 'PRIMARY KEY (`url_hash`)'))
      })

      it('orders the rows of fan-outs over the whole table, also page by page and descending', async () => {
        const input = urls.map((url, at) => ({ tenant: BigInt(at - 20), url }))
        const rows = await db.insert(Before, input)
        const sorted = rows.toSorted((a, b) => compareHashes(a.hash, b.hash))
        expect(await db.fanOut(Before).all()).toEqual(sorted)
        for (const strategy of strategies)
          expect(await inPages(db.fanOut(Before).strategy(strategy), 13)).toEqual(sorted)
        expect(await inPages(db.fanOut(Before).orderBy('hash', 'desc'), 13)).toEqual(sorted.toReversed())
      })
    },
  )

  it('the DDL does not compute a hash of two columns outside the key', () => {
    expect(ddl('TwoOutside')).not.toMatch(/sha512/i)
  })

  it('get() finds rows of other writers by a hash that the database computes', async () => {
    for (const algorithm of algorithms) {
      const table = `Before_${suffix(algorithm, 'database')}`
      await byOtherWriter(own, `INSERT INTO \`${table}\` (\`tenant\`, \`url\`) VALUES (-7, 'theirs')`)
      expect(await db.get(table, { tenant: -7n, url: 'theirs' })).toMatchObject({
        hash: expectedHash(algorithm, '-7|theirs'),
      })
    }
  })
})
