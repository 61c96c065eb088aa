import { compileDdl, defineSchema, defineTable } from '@isotherm/core'
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { fingerprint, hashOf } from '@isotherm/core/keys'
import { precise } from '../support/precise.js'
import { dialects, testDatabase } from '../support/spanner.js'
import { byOtherWriter, inDialect, inPages, strategies } from './support.js'

const algorithms = ['farm-fingerprint', 'sha256', 'sha512'] as const
const computedBy = ['database', 'client'] as const
type Algorithm = (typeof algorithms)[number]
type By = (typeof computedBy)[number]

const variants = algorithms.flatMap((algorithm) => computedBy.map((by) => [algorithm, by] as const))
const suffix = (algorithm: Algorithm, by: By): string => `${algorithm.replace('-', '_')}_${by}`

/** The hash before what is unique, which stays in the key. */
const before = (algorithm: Algorithm, by: By) =>
  defineTable(`Before_${suffix(algorithm, by)}`, (t) => ({
    hash: t.hashKey({ of: ['tenant', 'url'], algorithm, computedBy: by }),
    tenant: t.int64().key(),
    url: t.string({ length: 200 }).key(),
    hits: t.int64({ nullable: true }),
  }))

/** The hash alone; what it hashes lies beside the key. */
const alone = (algorithm: Algorithm, by: By) =>
  defineTable(`Alone_${suffix(algorithm, by)}`, (t) => ({
    digest: t.hashKey({ of: ['url'], algorithm, computedBy: by, name: 'url_hash' }),
    url: t.string({ length: 200, immutable: true }),
    hits: t.int64({ nullable: true }),
  }))

const models = {
  before: new Map(variants.map(([algorithm, by]) => [suffix(algorithm, by), before(algorithm, by)])),
  alone: new Map(variants.map(([algorithm, by]) => [suffix(algorithm, by), alone(algorithm, by)])),
}
/** Bytes, a time and NULL in one digest; two columns outside the key, which only the client may hash; a child of it. */
const Mixed = defineTable('Mixed', (t) => ({
  digest: t.hashKey({ of: ['raw', 'at', 'note'], algorithm: 'sha256' }),
  raw: t.bytes({ length: 50 }).key(),
  at: t.timestamp().key(),
  note: t.string({ length: 50, nullable: true, immutable: true }),
}))
const TwoOutside = defineTable('TwoOutside', (t) => ({
  digest: t.hashKey({ of: ['region', 'city'], algorithm: 'sha512' }),
  region: t.string({ length: 20, immutable: true }),
  city: t.string({ length: 20, immutable: true }),
}))
const Visit = defineTable('Visit', (t) => ({ digest: t.parentKey<Uint8Array>(), visitId: t.uuidV4() }), {
  interleaveIn: () => TwoOutside,
  onDelete: 'cascade',
})

const schema = defineSchema([...models.before.values(), ...models.alone.values(), Mixed, TwoOutside, Visit])

const urls = [
  '',
  '\\N',
  '|',
  'https://例え.jp/ä',
  'a|b',
  "it's",
  ...Array.from({ length: 44 }, (_, at) => `/page/${at}`),
]

/** Written as plainly as can be, without the code under test. */
function expectedHash(algorithm: Algorithm, text: string | Buffer): bigint | Buffer {
  return algorithm === 'farm-fingerprint' ? fingerprint(text) : createHash(algorithm).update(text).digest()
}

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

for (const dialect of dialects) {
  const own = await testDatabase(schema, dialect)
  const { db } = own
  const statements = compileDdl(schema, { dialect })
  const ddl = (table: string): string => statements[schema.tables.findIndex(({ name }) => name === table)]!

  describe.each(variants)(`a %s as a key, computed by the %s, in ${dialect}`, (algorithm, by) => {
    const Before = models.before.get(suffix(algorithm, by))!
    const Alone = models.alone.get(suffix(algorithm, by))!

    it('is a generated column, or a plain one', () => {
      const [type, expression] = column[dialect][algorithm]
      const text = by === 'database' ? `  \`hash\` ${type} ` : `  \`hash\` ${type},\n`
      expect(ddl(Before.name)).toContain(inDialect(dialect, text))
      expect(ddl(Before.name).includes(expression)).toBe(by === 'database')
      expect(ddl(Before.name)).toContain(inDialect(dialect, 'PRIMARY KEY (`hash`, `tenant`, `url`)'))
      expect(ddl(Alone.name)).toContain(inDialect(dialect, 'PRIMARY KEY (`url_hash`)'))
    })

    it('is the hash of the text that the columns make, in the database as in the rows of insert', async () => {
      const given = urls.map((url, at) => ({ tenant: BigInt(at - 20), url }))
      const wanted = given.map((row) => ({
        hash: expectedHash(algorithm, `${row.tenant}|${row.url}`),
        ...row,
        hits: null,
      }))
      expect(await db.insert(Before, given)).toEqual(wanted)
      const sorted = wanted.toSorted((a, b) => compareHashes(a.hash, b.hash))
      expect(await db.fanOut(Before).all()).toEqual(sorted)
      for (const via of strategies) expect(await inPages(db.fanOut(Before).via(via), 13)).toEqual(sorted)
      expect(await inPages(db.fanOut(Before).orderBy('hash', 'desc'), 13)).toEqual(sorted.toReversed())
      expect(wanted.map(({ hash }) => hash)).toEqual(
        given.map(({ tenant, url }) => hashOf([tenant, url], algorithm)),
      )
    })

    it('before what is unique: rows are got, changed and deleted by that alone', async () => {
      const key = { tenant: 99n, url: '/x' }
      const [row] = await db.insert(Before, [{ ...key, hits: 1n }])
      expect(await db.get(Before, key)).toEqual(row)
      await db.update(Before, { ...key, hits: 2n })
      await db.upsert(Before, [
        { ...key, hits: 3n },
        { tenant: 100n, url: '/x' },
      ])
      expect(await db.get(Before, key)).toEqual({ ...row, hits: 3n })
      expect(await db.fanOut(Before).where(key).all()).toEqual([{ ...row, hits: 3n }])
      expect(await db.fanOut(Before).where({ hash: row!.hash }).all()).toEqual([{ ...row, hits: 3n }])
      await db.transaction(async (tx) => {
        await tx.update(Before, { ...key, hits: 4n })
        await tx.upsert(Before, [
          { ...key, hits: 5n },
          { tenant: 101n, url: '/x' },
        ])
        expect(await tx.get(Before, key)).toEqual({ ...row, hits: 5n })
        const [inside] = await tx.insert(Before, [{ tenant: 102n, url: '/x' }])
        expect(await tx.get(Before, { tenant: 102n, url: '/x' })).toEqual(inside)
        await tx.delete(
          Before,
          [100n, 101n, 102n].map((tenant) => ({ tenant, url: '/x' })),
        )
      })
      await expect(db.insert(Before, [key])).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
      await db.delete(Before, key)
      expect(await db.fanOut(Before).where({ url: '/x' }).count()).toBe(0)
    })

    it('alone: a row is got by what is hashed, or by the hash, and what is hashed is unique', async () => {
      const [row] = await db.insert(Alone, [{ url: '/y' }])
      expect(row).toEqual({ digest: expectedHash(algorithm, '/y'), url: '/y', hits: null })
      expect(await db.get(Alone, { url: '/y' })).toEqual(row)
      expect(await db.get(Alone, { digest: row!.digest })).toEqual(row)
      await expect(db.get(Alone, {})).rejects.toMatchObject({ code: 'KEY_INCOMPLETE' })
      await expect(db.insert(Alone, [{ url: '/y' }])).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
      await db.update(Alone, { url: '/y', hits: 1n })
      await db.transaction((tx) => tx.update(Alone, { url: '/y', hits: 2n }))
      expect(await db.get(Alone, { url: '/y' })).toEqual({ ...row, hits: 2n })
      await db.delete(Alone, { url: '/y' })
      expect(await db.get(Alone, { url: '/y' })).toBeUndefined()
    })

    it('is checked where it is given', async () => {
      const [row] = await db.insert(Alone, [{ url: '/z', digest: expectedHash(algorithm, '/z') as never }])
      expect(await db.get(Alone, { url: '/z' })).toEqual(row)
      const wrong = { url: '/zz', digest: row!.digest }
      const refused = {
        code: 'INVALID_VALUE',
        column: 'digest',
        message: expect.stringContaining('reads would look in'),
      }
      await expect(db.insert(Alone, [wrong])).rejects.toMatchObject(refused)
      await expect(db.transaction((tx) => tx.insert(Alone, [wrong]))).rejects.toMatchObject(refused)
    })
  })

  describe(`whole hashes among other columns and writers, in ${dialect}`, () => {
    it('of bytes, times and NULL', async () => {
      const at = precise('1969-12-31T23:59:59.999999499Z')
      const rows = await db.insert(Mixed, [
        { raw: Buffer.from('ff7c00', 'hex'), at, note: 'ß' },
        { raw: Buffer.alloc(0), at, note: null },
      ])
      const hashed = [
        Buffer.concat([Buffer.from('ff7c00', 'hex'), Buffer.from('|-1|ß')]),
        Buffer.from('|-1|\\N'),
      ]
      expect(rows.map(({ digest }) => digest)).toEqual(hashed.map((text) => expectedHash('sha256', text)))
      for (const row of rows) {
        const { raw, note } = row
        expect(await db.get(Mixed, { raw, at, note })).toEqual(row)
      }
      expect(await db.fanOut(Mixed).orderBy('raw').all()).toEqual(rows.toReversed())
    })

    it('of two columns outside the key, which the client computes and a child inherits', async () => {
      expect(ddl('TwoOutside')).not.toMatch(/sha512/i)
      const place = { region: 'eu', city: 'Zürich' }
      const [row] = await db.insert(TwoOutside, [place])
      expect(row!.digest).toEqual(createHash('sha512').update('eu|Zürich').digest())
      expect(await db.get(TwoOutside, place)).toEqual(row)
      const [visit] = await db.insert(Visit, [{ digest: row!.digest }])
      expect(await db.get(Visit, visit!)).toEqual(visit)
      await db.delete(TwoOutside, place)
      expect(await db.fanOut(Visit).count()).toBe(0)
    })

    it('finds what others wrote, where the database computes it', async () => {
      for (const algorithm of algorithms) {
        const table = `Before_${suffix(algorithm, 'database')}`
        await byOtherWriter(own, `INSERT INTO \`${table}\` (\`tenant\`, \`url\`) VALUES (-7, 'theirs')`)
        expect(await db.get(table, { tenant: -7n, url: 'theirs' })).toMatchObject({
          hash: expectedHash(algorithm, '-7|theirs'),
        })
      }
    })
  })
}
