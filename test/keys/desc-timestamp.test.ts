import { PreciseDate } from '@google-cloud/precise-date'
import { compileDdl, defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { googlesql, spanner, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { precise } from '@isotherm/testing/data/precise'
import { dialects, sharedEmulator, testDatabase } from '../support/spanner.js'
import { Given, nanos, newestFirst, Now, Sharded } from '@isotherm/testing/data/newest-first'
import { inPages } from '@isotherm/testing/data/paging'
import { byOtherWriter } from './support.js'

// The work of the database for a descending timestamp: its column, its clock, its commits.

const Committed = defineTable('Committed', (t) => ({
  sensor: t.string({ length: 20 }).key(),
  at: t.descTimestamp({ default: 'commit' }),
  id: t.int64().key(),
}))

const common = defineSchema([Given, Now, Sharded])

const columns = {
  googlesql: [
    '`at` TIMESTAMP NOT NULL,',
    'PRIMARY KEY (`sensor`, `at` DESC, `id`)',
    '`seen_at` TIMESTAMP NOT NULL DEFAULT (CURRENT_TIMESTAMP()),',
    'PRIMARY KEY (`shard`, `at` DESC, `id`)',
  ],
  'spanner-postgresql': [
    '"at_desc" bigint NOT NULL GENERATED ALWAYS AS ((-(EXTRACT(epoch FROM "at") * 1000000))::bigint) STORED,\n  "at" timestamptz NOT NULL,',
    'PRIMARY KEY ("sensor", "at_desc", "at", "id")',
    '"seen_at_desc" bigint NOT NULL GENERATED ALWAYS AS ((-(EXTRACT(epoch FROM "seen_at") * 1000000))::bigint) STORED,\n  "seen_at" timestamptz NOT NULL DEFAULT (CURRENT_TIMESTAMP),',
    'PRIMARY KEY ("shard", "at_desc", "at", "id")',
  ],
}

describe.each(dialects)('a descending timestamp in $name', async (dialect) => {
  const own = await testDatabase(common, dialect)
  const { db } = own

  it('is declared with DESC in GoogleSQL and with a mirror column in PostgreSQL', () => {
    const ddl = compileDdl(common, { dialect }).join('\n')
    for (const column of columns[dialect.name]) expect(ddl).toContain(column)
  })

  it('is set by the clock of the database for rows of other writers', async () => {
    const before = Date.now()
    await byOtherWriter(own, "INSERT INTO `Now` (`sensor`, `id`) VALUES ('c', 3)")
    const [row] = await db.fanOut(Now).where({ sensor: 'c' }).all()
    expect(row!.seen).toBeInstanceOf(PreciseDate)
    expect(Math.abs(row!.seen.getTime() - before)).toBeLessThan(60_000)
    expect(await db.get(Now, row!)).toEqual(row)
  })

  it('bounds statements and key ranges, in PostgreSQL by its mirror column', () => {
    const since = precise('2026-11-21T12:00:00.123456789Z')
    const query = db.fanOut(Given).where({ sensor: 'a', at: { gte: since } })
    const micros = String(-nanos(since) / 1000n)
    const { statement, range } = {
      googlesql: {
        statement: ' WHERE (`sensor` = @p1 AND `at` >= @p2) ORDER BY `at` DESC, ',
        range: { start: ['a'], end: ['a', since.toISOString()] },
      },
      'spanner-postgresql': {
        statement: ' WHERE ("sensor" = $1 AND ("at_desc" <= $3 AND "at" >= $2)) ORDER BY "at" DESC, ',
        range: { start: ['a'], end: ['a', micros] },
      },
    }[dialect.name]
    const [pushed] = query.strategy('push-down').orderBy('at', 'desc').explain().calls
    expect(pushed).toMatchObject({ statement: { text: expect.stringContaining(statement) } })
    const [read] = query.strategy('merge-shards').explain().calls
    expect(read).toMatchObject({ kind: 'read', ranges: [{ ...range, startOpen: false, endOpen: false }] })
  })
})

describe('a descending commit timestamp', async () => {
  const { db } = await testDatabase(defineSchema([Committed]), googlesql)
  const schema = defineSchema([Committed])

  it('equals the stored commit timestamp, and sorts the newest rows first, in GoogleSQL', async () => {
    expect(compileDdl(schema, { dialect: googlesql })[0]).toContain(
      '`at` TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),',
    )
    const inserted = []
    for (const id of [1n, 2n, 3n]) inserted.push(...(await db.insert(Committed, [{ sensor: 'a', id }])))
    const inside = await db.transaction((tx) =>
      tx.insert(Committed, [
        { sensor: 'a', id: 4n },
        { sensor: 'a', id: 5n },
      ]),
    )
    expect(inside[0]!.at).toEqual(inside[1]!.at)
    for (const row of [...inserted, ...inside]) expect(await db.get(Committed, row)).toEqual(row)
    const wanted = [...inserted, ...inside].toSorted(newestFirst)
    expect(wanted.map(({ id }) => id)).toEqual([4n, 5n, 3n, 2n, 1n])
    for (const size of [1, 2]) expect(await inPages(db.fanOut(Committed), size)).toEqual(wanted)
  })

  it('is rejected with UNSUPPORTED_MODEL in PostgreSQL, where a generated column cannot read the timestamp', async () => {
    const emulator = await sharedEmulator()
    const driver = spanner(await emulator.database({ dialect: spannerPostgresql }))
    const refused = expect.objectContaining({
      code: 'UNSUPPORTED_MODEL',
      table: 'Committed',
      column: 'at',
      message: expect.stringContaining('Committed.at is a descending commit timestamp'),
    })
    expect(() => compileDdl(schema, { dialect: spannerPostgresql })).toThrow(refused)
    expect(() => openDatabase({ driver, schema })).toThrow(refused)
  })
})
