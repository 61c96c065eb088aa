import {
  compileDdl,
  defineSchema,
  defineTable,
  IsothermError,
  openDatabase,
  type FanOutQuery,
} from '@isotherm/core'
import { googlesql, spanner } from '@isotherm/spanner'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byStatement, split, splitByStatement } from '@isotherm/testing/data/by-statement'
import { engines } from '../../support/engines.js'
import { isCql } from '../../support/languages.js'
import { sharedEmulator } from '../../support/spanner.js'
import { anyText, hostileText, inheritedByAll, named, RESERVED_WORDS } from './hostile.js'
import { renamed, unchecked } from './named-schema.js'
import { namingOf } from './naming.js'
import { held as item, heldIndexed as indexed } from './operations.js'

// The checks of the tests without an engine, on an engine.

const canary = defineTable('Canary', (t) => ({ id: t.uuidV4(), song: t.string() }))
const at = { exactStaleness: 0 }

const before = inheritedByAll()

describe.each(engines)('hostile input in $name', async (engine) => {
  const { dialect, traits } = engine
  const { transactions, pastReads, nullItems, readStrategies: strategies } = traits
  const { db, empty } = await engine.database(defineSchema([transactions ? indexed : item, canary]))
  const statements = byStatement(db, traits)
  const current = <Fields>(query: FanOutQuery<Fields>) => (pastReads ? query.timestampBound(at) : query)
  const [song] = await db.insert(canary, [{ song: 'tweet' }])

  const sqlDialect = isCql(dialect) ? googlesql : dialect

  /** A key holds at most 8 KiB, and jsonb does not support the character 0. */
  const text = hostileText.filter((each) => Buffer.byteLength(each) < 8000)
  const documentOf = (each: string): unknown => {
    const kept = dialect.name !== 'spanner-postgresql' ? each : each.replaceAll('\0', '')
    return { [kept]: [kept, { nested: kept }] }
  }

  it('is stored unchanged, and is found by filters, orders and groups', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(text, { minLength: 6, maxLength: 6 }), async (texts) => {
        await empty('Item')
        const rows = texts.map((each, index) => ({
          name: each,
          n: BigInt(index),
          note: each,
          tags: nullItems ? [each, null, each] : [each, each],
          body: documentOf(each) as never,
        }))
        await db.insert(item, rows.slice(0, 2), split)
        await db.upsert(item, rows.slice(2, 3))
        await statements(async (tx) => {
          await tx.insert(item, rows.slice(3, 5), splitByStatement(traits))
          await tx.upsert(item, rows.slice(5))
        })
        for (const row of rows) {
          const { shard: _, ...found } = (await db.get(
            item,
            { name: row.name, n: row.n },
            pastReads ? { at } : {},
          ))!
          expect(found).toEqual(row)
        }
        const query = current(db.fanOut(item))
        for (const { note, n } of rows) {
          for (const strategy of strategies) {
            const all = await query.where({ note }).strategy(strategy).all()
            expect(all.map((row) => row.n)).toEqual([n])
          }
          const others = await query.where({ note: { ne: note, notIn: [note] } }).count()
          expect(others).toBe(rows.length - 1)
          const inKey = { name: { gte: note, startsWith: note }, n: { gte: 0n } }
          expect(await query.where(inKey).count()).toBe(
            rows.filter(({ name }) => name.startsWith(note)).length,
          )
          expect((await query.where({ name: note }).all()).map((row) => row.n)).toEqual([n])
          const beginning = rows.filter((row) => row.note.startsWith(note)).length
          expect(await query.where({ note: { startsWith: note } }).count()).toBe(beginning)
        }
        const sorted = rows
          .map(({ name }) => name)
          .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        const paged: string[] = []
        for (
          let cursor: string | undefined, page;
          page === undefined || cursor !== undefined;
          cursor = page.next
        ) {
          page = await query.orderBy('name').limit(2).after(cursor).page()
          paged.push(...page.rows.map((row) => row.name))
        }
        expect(paged).toEqual(sorted)
        const groups = await query.groupBy('note').count()
        expect(new Set(groups.map(({ note }) => note))).toEqual(new Set(texts))
        const keys = rows.map(({ name, n }) => ({ name, n }))
        await statements((tx) =>
          tx.update(
            item,
            keys.slice(0, 3).map((key) => ({ ...key, note: null })),
            splitByStatement(traits),
          ),
        )
        await db.update(
          item,
          keys.slice(3).map((key) => ({ ...key, note: null })),
          split,
        )
        expect(await query.where({ note: null }).count()).toBe(rows.length)
        await db.delete(item, keys.slice(0, 3), split)
        await statements((tx) => tx.delete(item, keys.slice(3), splitByStatement(traits)))
        expect(await query.count()).toBe(0)
      }),
      { numRuns: transactions ? 25 : 5, endOnFailure: true },
    )
    expect(await db.get(canary, song!)).toEqual(song)
  })

  it('is rejected with an IsothermError as a timestamp bound', async () => {
    const query = db.fanOut(item)
    await fc.assert(
      fc.asyncProperty(
        anyText.filter((each) => each !== 'strong'),
        async (input) => {
          for (const moment of [
            input,
            { exactStaleness: input },
            { maxStaleness: input },
            { readTimestamp: input },
            { [input]: 1 },
          ]) {
            for (const read of [
              () =>
                query
                  .timestampBound(moment as never)
                  .limit(1)
                  .page(),
              () => query.timestampBound(moment as never).count(),
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

  // A request of CQL has one statement: a name that ends the statement causes an error.
  it.each(isCql(dialect) ? [] : [dialect])(
    'unchecked names in DDL create and drop no other table in $name',
    async () => {
      const { kinds, plainOf, schema, ddl } = namingOf(engine)
      const plain = unchecked(schema())
      const listTables =
        'SELECT table_name FROM information_schema.tables ' +
        "WHERE table_schema NOT IN ('INFORMATION_SCHEMA', 'information_schema', 'SPANNER_SYS', 'spanner_sys', 'pg_catalog')"
      const tables = async (): Promise<unknown[]> => {
        const listed = await db.driver.query({ text: listTables, parameters: [] }, [
          { kind: 'string', length: 'max' },
        ])
        return listed.map(([name]) => name)
      }
      let known = await tables()
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...kinds), hostileText, async (kind, name) => {
          let made: string[]
          try {
            made = ddl(renamed(plain, new Map([[plainOf(kind), name]])))
          } catch (error) {
            named(error)
            return
          }
          // Only the first statement with the name: later statements would fail because they depend on this statement.
          const first = made.find((statement) => statement.includes(name)) ?? ''
          await db.driver.applyDdl([first]).catch(named)
          const own = [...kinds.map(plainOf), name, name.split('.').at(-1)]
          const now = await tables()
          expect(now.filter((each) => !known.includes(each) && !own.includes(each as never))).toEqual([])
          expect(known.filter((each) => !now.includes(each))).toEqual([])
          known = now
        }),
        { numRuns: 60, endOnFailure: true },
      )
      expect(await db.get(canary, song!)).toEqual(song)
    },
  )

  // One table for all words, because schema changes are the most expensive part.
  it.each(isCql(dialect) ? ['CQL'] : [])(
    'words that %s reserves work as names of a table and its columns',
    async () => {
      const [first, ...others] = RESERVED_WORDS.filter((word) => word !== 'select') as [string, ...string[]]
      const table = defineTable(
        'TABLE',
        (t) => ({
          id: t.string({ name: first }).key(),
          line: t.int64({ name: 'token' }).key('desc'),
          ...Object.fromEntries(
            others.map((word) => [`of${word}`, t.string({ nullable: true, name: word })]),
          ),
        }),
        { writesExpire: true },
      )
      const { db: words } = await engine.database(defineSchema([table]))
      const notes = Object.fromEntries(others.map((word) => [`of${word}`, word]))
      const [row] = await words.insert(table, [{ id: first, line: 1n, ...notes }], { ttlSeconds: 600 })
      const key = { id: first, line: 1n }
      for (const word of Object.keys(notes)) {
        await words.update(table, { ...key, [word]: 'b' })
        const found = words.fanOut(table).where({ id: first, line: { gte: 0n }, [word]: 'b' })
        expect(await found.orderBy(word as never).all()).toMatchObject([{ ...key, [word]: 'b' }])
      }
      await words.delete(table, row!)
      expect(await words.get(table, row!)).toBeUndefined()
    },
  )

  it.each(isCql(dialect) ? [] : RESERVED_WORDS)(
    'the reserved word %s works as a name of tables, columns, indexes, sequences and change streams',
    async (word) => {
      const parent = defineTable(word, (t) => ({
        id: t.uuidV4({ name: word }),
        note: t.string({ name: 'n' }),
      }))
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
      const client = await emulator.database({
        dialect: sqlDialect,
        ddl: compileDdl(own, { dialect: sqlDialect }),
      })
      const words = openDatabase({ driver: spanner(client), schema: own })
      const [row] = await words.insert(parent, [{ note: word }])
      const [line] = await words.transaction((tx) => tx.insert(child, [{ id: row!.id, text: word }]))
      expect(await words.get(parent, row!)).toEqual(row)
      for (const strategy of strategies) {
        const byText = words.fanOut(child).where({ text: word }).strategy(strategy)
        expect(await byText.all()).toEqual([line])
        expect(await byText.useIndex(`${word}_i`).orderBy('text').all()).toEqual([line])
        expect(await words.fanOut(child).orderBy('at').strategy(strategy).all()).toEqual([line])
      }
      await words.transaction((tx) => tx.update(child, { id: row!.id, line: line!.line, back: word }))
      await words.delete(parent, row!)
      expect(await words.fanOut(child).count()).toBe(0)
    },
  )

  it.each(isCql(dialect) ? [] : ['SQL'])('words that %s reserves work as names of indexes', async () => {
    const chosen = RESERVED_WORDS.filter((word) => word !== 'select' && word !== 'USER').slice(0, 10)
    const table = defineTable(
      'Words',
      (t) => ({
        id: t.uuidV4(),
        ...Object.fromEntries(chosen.map((_, index) => [`c${index}`, t.string({ nullable: true })])),
      }),
      { indexes: chosen.map((name, index) => ({ name, on: [`c${index}`] })) as never },
    )
    const own = defineSchema([table])
    const emulator = await sharedEmulator()
    const client = await emulator.database({
      dialect: sqlDialect,
      ddl: compileDdl(own, { dialect: sqlDialect }),
    })
    const words = openDatabase({ driver: spanner(client), schema: own })
    for (const [index, name] of chosen.entries()) {
      for (const strategy of strategies) {
        const query = words.fanOut('Words').useIndex(name).orderBy(`c${index}`).strategy(strategy)
        expect(await query.all()).toEqual([])
      }
    }
  })
})

it('hostile input does not change the built-in prototypes of JavaScript', () => {
  expect(inheritedByAll()).toEqual(before)
})
