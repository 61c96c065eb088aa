import { compileDdl, defineSchema, defineTable, IsothermError, openDatabase } from '@isotherm/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dialects, sharedEmulator, testDatabase } from '../support/spanner.js'
import { anyText, hostileText, inheritedByAll, named, RESERVED_WORDS } from './hostile.js'
import { NAMES, places, renamed, schemaNamed, unchecked } from './named-schema.js'
import { spanner } from '@isotherm/core/spanner'

// What the tests without an engine have looked at, on the engine itself.

const item = defineTable(
  'Item',
  (t) => ({
    shard: t.shardKey({ shards: 4, of: ['name'] }),
    name: t.string().key(),
    n: t.int64().key(),
    note: t.string({ nullable: true }),
    tags: t.array({ kind: 'string', length: 'max' }, { nullable: true }),
    body: t.json({ nullable: true }),
  }),
  { indexes: [{ name: 'ItemByNote', on: ['note'], storing: ['tags', 'body'] }] },
)
const canary = defineTable('Canary', (t) => ({ id: t.uuidV4(), song: t.string() }))
const schema = defineSchema([item, canary])
const at = { exactStaleness: 0 }
const strategies = ['read-ranges', 'merge-shards', 'push-down'] as const

const before = inheritedByAll()

describe.each(dialects)('in %s', { timeout: 120_000 }, async (dialect) => {
  const { db, empty } = await testDatabase(schema, dialect)
  const [song] = await db.insert(canary, [{ song: 'tweet' }])

  /** A key has room for 8 KiB, and jsonb no character 0. */
  const text = hostileText.filter((each) => Buffer.byteLength(each) < 8000)
  const documentOf = (each: string): unknown => {
    const kept = dialect === 'googlesql' ? each : each.replaceAll('\0', '')
    return { [kept]: [kept, { nested: kept }] }
  }

  it('values arrive as they were sent, and are found again by themselves', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(text, { minLength: 6, maxLength: 6 }), async (given) => {
        await empty('Item')
        const rows = given.map((each, place) => ({
          name: each,
          n: BigInt(place),
          note: each,
          tags: [each, null, each],
          body: documentOf(each) as never,
        }))
        await db.insert(item, rows.slice(0, 2))
        await db.upsert(item, rows.slice(2, 3))
        await db.transaction(async (tx) => {
          await tx.insert(item, rows.slice(3, 5))
          await tx.upsert(item, rows.slice(5))
        })
        for (const row of rows) {
          const { shard: _, ...found } = (await db.get(item, { name: row.name, n: row.n }, { at }))!
          expect(found).toEqual(row)
        }
        const query = db.fanOut(item).readAt(at)
        for (const { note, n } of rows) {
          for (const strategy of strategies) {
            const all = await query.where({ note }).via(strategy).all()
            expect(all.map((row) => row.n)).toEqual([n])
          }
          const others = await query.where({ note: { ne: note, notIn: [note] } }).count()
          expect(others).toBe(rows.length - 1)
          const beginning = rows.filter((row) => row.note.startsWith(note)).length
          expect(await query.where({ note: { startsWith: note } }).count()).toBe(beginning)
        }
        const groups = await query.groupBy('note').count()
        expect(new Set(groups.map(({ note }) => note))).toEqual(new Set(given))
        const keys = rows.map(({ name, n }) => ({ name, n }))
        await db.transaction((tx) =>
          tx.update(
            item,
            keys.slice(0, 3).map((key) => ({ ...key, note: null })),
          ),
        )
        await db.update(
          item,
          keys.slice(3).map((key) => ({ ...key, note: null })),
        )
        expect(await query.where({ note: null }).count()).toBe(rows.length)
        await db.delete(item, keys.slice(0, 3))
        await db.transaction((tx) => tx.delete(item, keys.slice(3)))
        expect(await query.count()).toBe(0)
      }),
      { numRuns: 25, endOnFailure: true },
    )
    expect(await db.get(canary, song!)).toEqual(song)
  })

  it('a moment is one, or refused by name', async () => {
    const query = db.fanOut(item)
    await fc.assert(
      fc.asyncProperty(
        anyText.filter((each) => each !== 'strong'),
        async (given) => {
          for (const moment of [
            given,
            { exactStaleness: given },
            { maxStaleness: given },
            { readTimestamp: given },
            { [given]: 1 },
          ]) {
            for (const read of [
              () =>
                query
                  .readAt(moment as never)
                  .limit(1)
                  .page(),
              () => query.readAt(moment as never).count(),
              () => db.get(item, { name: 'x', n: 1n }, { at: moment as never }),
            ]) {
              const error: unknown = await (async () => read())().catch((caught: unknown) => caught)
              expect(error).toBeInstanceOf(IsothermError)
            }
          }
        },
      ),
      { numRuns: 10, endOnFailure: true },
    )
  })

  it('names that nobody has checked harm nothing', async () => {
    const plain = unchecked(schemaNamed())
    const tables = async (): Promise<unknown[]> => {
      const listed = await db.driver.query(
        {
          text:
            'SELECT table_name FROM information_schema.tables ' +
            "WHERE table_schema NOT IN ('INFORMATION_SCHEMA', 'information_schema', 'SPANNER_SYS', 'spanner_sys', 'pg_catalog')",
          parameters: [],
        },
        [{ kind: 'string', length: 'max' }],
      )
      return listed.map(([name]) => name)
    }
    let known = await tables()
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), hostileText, async (place, given) => {
        let statements: string[]
        try {
          statements = compileDdl(renamed(plain, new Map([[NAMES[place] as string, given]])), { dialect })
        } catch (error) {
          named(error)
          return
        }
        // The one statement that has the name first: what comes after it would only fail for want of it.
        const first = statements.find((statement) => statement.includes(given)) ?? ''
        await db.driver.applyDdl([first]).catch(named)
        const own = [...Object.values(NAMES), given, given.split('.').at(-1)]
        const now = await tables()
        expect(now.filter((each) => !known.includes(each) && !own.includes(each as never))).toEqual([])
        expect(known.filter((each) => !now.includes(each))).toEqual([])
        known = now
      }),
      { numRuns: 60, endOnFailure: true },
    )
    expect(await db.get(canary, song!)).toEqual(song)
  })

  it.each(RESERVED_WORDS)('%s is a name like any other', async (word) => {
    const parent = defineTable(word, (t) => ({ id: t.uuidV4({ name: word }), note: t.string({ name: 'n' }) }))
    const child = defineTable(
      `${word}_child`,
      (t) => ({
        id: t.parentKey<string>(),
        line: t.bitReversedId({ from: 'sequence', sequence: `${word}_s` }),
        text: t.string({ nullable: true }),
        back: t.string({ nullable: true, name: `${word}_` }),
        at: t.timestamp({ default: 'now', name: 'moment' }),
      }),
      {
        interleaveIn: () => parent,
        onDelete: 'cascade',
        indexes: [
          { name: `${word}_i`, on: ['text'] },
          { name: `${word}_t`, on: ['at'], shard: { shards: 2, of: ['text'] } },
        ],
        checks: [{ name: `${word}_c`, expression: 'line > 0' }],
      },
    )
    const own = defineSchema([parent, child], { changeStreams: [{ name: `${word}_w`, watch: [parent] }] })
    const emulator = await sharedEmulator()
    const client = await emulator.database({ dialect, ddl: compileDdl(own, { dialect }) })
    const words = openDatabase({ driver: spanner(client), schema: own })
    const [row] = await words.insert(parent, [{ note: word }])
    const [line] = await words.transaction((tx) => tx.insert(child, [{ id: row!.id, text: word }]))
    expect(await words.get(parent, row!)).toEqual(row)
    for (const strategy of strategies) {
      const byText = words.fanOut(child).where({ text: word }).via(strategy)
      expect(await byText.all()).toEqual([line])
      expect(await byText.byIndex(`${word}_i`).orderBy('text').all()).toEqual([line])
      expect(await words.fanOut(child).orderBy('at').via(strategy).all()).toEqual([line])
    }
    await words.transaction((tx) => tx.update(child, { id: row!.id, line: line!.line, back: word }))
    await words.delete(parent, row!)
    expect(await words.fanOut(child).count()).toBe(0)
  })

  it('an index may have the name of a word that SQL reserves', async () => {
    const chosen = RESERVED_WORDS.filter((word) => word !== 'select' && word !== 'USER').slice(0, 10)
    const table = defineTable(
      'Words',
      (t) => ({
        id: t.uuidV4(),
        ...Object.fromEntries(chosen.map((_, place) => [`c${place}`, t.string({ nullable: true })])),
      }),
      { indexes: chosen.map((name, place) => ({ name, on: [`c${place}`] })) as never },
    )
    const own = defineSchema([table])
    const emulator = await sharedEmulator()
    const client = await emulator.database({ dialect, ddl: compileDdl(own, { dialect }) })
    const words = openDatabase({ driver: spanner(client), schema: own })
    for (const [place, name] of chosen.entries()) {
      for (const strategy of strategies) {
        const query = words.fanOut('Words').byIndex(name).orderBy(`c${place}`).via(strategy)
        expect(await query.all()).toEqual([])
      }
    }
  })
})

it('leaves what every object inherits as it was', () => {
  expect(inheritedByAll()).toEqual(before)
})
