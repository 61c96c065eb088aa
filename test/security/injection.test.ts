import { defineSchema, defineTable, IsothermError, openDatabase, type Database } from '@isotherm/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dialects } from '../support/spanner.js'
import { anyText, hostileText, inheritedByAll, named, PROTOTYPE_NAMES } from './hostile.js'
import { recordingDriver, type Recorded } from './recording-driver.js'
import { tokensOf } from './sql-tokens.js'

// Whatever a user types reaches the database as data, or is refused by name. Without an engine: what the driver would be
// asked for is looked at.

const item = defineTable(
  'Item',
  (t) => ({
    shard: t.shardKey({ shards: 4, of: ['name'] }),
    name: t.string().key(),
    n: t.int64().key(),
    note: t.string({ nullable: true }),
    tags: t.array({ kind: 'string', length: 'max' }, { nullable: true }),
    body: t.json({ nullable: true }),
    raw: t.bytes({ nullable: true }),
  }),
  { indexes: [{ name: 'ItemByNote', on: ['note'] }] },
)
const schema = defineSchema([item])

const before = inheritedByAll()

type Operation = (db: Database, text: string) => Promise<unknown>

function rowOf(text: string) {
  return {
    name: text,
    n: 1n,
    note: text,
    tags: [text, null, text],
    body: { [text]: [text, { [`x${text}`]: text }] },
    raw: Buffer.from(text),
  }
}

const strategies = ['read-ranges', 'merge-shards', 'push-down'] as const

/** Everything that takes a value, by a name for each. */
const operations: Record<string, Operation> = {
  insert: (db, text) => db.insert(item, [rowOf(text), rowOf(text)]),
  upsert: (db, text) => db.upsert(item, [rowOf(text)]),
  update: (db, text) => db.update(item, rowOf(text)),
  get: (db, text) => db.get(item, { name: text, n: 1n }),
  delete: (db, text) => db.delete(item, [{ name: text, n: 1n }]),
  'insert by statement': (db, text) => db.transaction((tx) => tx.insert(item, [rowOf(text), rowOf(text)])),
  'upsert by statement': (db, text) => db.transaction((tx) => tx.upsert(item, [rowOf(text)])),
  'update by statement': (db, text) => db.transaction((tx) => tx.update(item, rowOf(text))),
  'delete by statement': (db, text) => db.transaction((tx) => tx.delete(item, { name: text, n: 1n })),
  'get in a transaction': (db, text) => db.transaction((tx) => tx.get(item, { name: text, n: 1n })),
  'buffered writes': (db, text) =>
    db.transaction(async (tx) => {
      await tx.insert(item, [rowOf(text)], { buffered: true })
      await tx.update(item, rowOf(text), { buffered: true })
      await tx.upsert(item, [rowOf(text)], { buffered: true })
      await tx.delete(item, { name: text, n: 1n }, { buffered: true })
    }),
  ...Object.fromEntries(
    strategies.flatMap((strategy): [string, Operation][] => [
      [`where via ${strategy}`, (db, text) => db.fanOut(item).where({ note: text }).via(strategy).all()],
      [
        `every operator via ${strategy}`,
        (db, text) =>
          db
            .fanOut(item)
            .where({
              note: { eq: text, ne: text, lt: text, lte: text, gt: text, gte: text, startsWith: text },
              OR: [{ note: { in: [text, text] } }, { note: { notIn: [text] } }, { NOT: { note: text } }],
              AND: [{ raw: Buffer.from(text) }],
            })
            .orderBy('note', 'desc')
            .limit(7)
            .via(strategy)
            .page(),
      ],
    ]),
  ),
  count: (db, text) => db.fanOut(item).where({ note: text }).count(),
  groupBy: (db, text) =>
    db
      .fanOut(item)
      .where({ note: { startsWith: text } })
      .groupBy('note')
      .count(),
  byIndex: (db, text) => db.fanOut(item).where({ note: text }).byIndex('ItemByNote').orderBy('note').all(),
}

/** With the values taken out: what is left must not depend on them. */
function shapeOf({ statements, reads, mutations }: Recorded): unknown {
  return {
    statements: statements.map(({ text, parameters }) => ({
      text,
      parameters: parameters.map(({ name, type }) => ({ name, type })),
    })),
    reads: reads.map(({ layout, index, columns, limit }) => ({
      table: layout.table.name,
      index,
      limit,
      columns: columns.map(({ name }) => name),
    })),
    mutations: mutations.map((mutation) => ({
      ...mutation,
      ...('rows' in mutation && { rows: mutation.rows.length }),
      ...('keys' in mutation && { keys: mutation.keys.length }),
    })),
  }
}

/** Every value that was sent, in order. */
function valuesOf({ statements, mutations }: Recorded): unknown[] {
  return [
    ...statements.flatMap(({ parameters }) => parameters.map(({ value }) => value)),
    ...mutations.flatMap((mutation) => ('rows' in mutation ? mutation.rows.flat() : mutation.keys.flat())),
  ]
}

const PLAIN = 'plain'

/** What a value of the plain call is, in the call with this text. */
function replaced(value: unknown, text: string): unknown {
  if (value === PLAIN) return text
  if (Array.isArray(value)) return value.map((each) => replaced(each, text))
  if (value === Buffer.from(PLAIN).toString('base64')) return Buffer.from(text).toString('base64')
  return value === JSON.stringify(rowOf(PLAIN).body) ? JSON.stringify(rowOf(text).body) : value
}

/** Shards follow from the text, and the order of a document's names says nothing. */
function comparable(value: unknown): unknown {
  if (/^[0-3]$/.test(String(value))) return 'a shard, or the number 1'
  return typeof value === 'string' && value.startsWith('{') ? sorted(value) : value
}

describe.each(dialects)('a value in %s', (dialect) => {
  const { driver, take, answerNext } = recordingDriver(dialect)
  const db = openDatabase({ driver, schema })

  it('never enters the text of a statement, and arrives unchanged', { timeout: 120_000 }, async () => {
    const plain = new Map<string, Recorded>()
    for (const [name, operation] of Object.entries(operations)) {
      await operation(db, PLAIN)
      plain.set(name, take())
    }
    await fc.assert(
      fc.asyncProperty(hostileText, async (text) => {
        for (const [name, operation] of Object.entries(operations)) {
          const refusal = await operation(db, text).then(
            () => undefined,
            (error: unknown) => named(error, 'INVALID_VALUE'),
          )
          const recorded = take()
          // jsonb has no character 0.
          if (refusal?.column === 'body' && dialect !== 'googlesql' && text.includes('\0')) continue
          expect(refusal).toBeUndefined()
          const expected = plain.get(name)!
          expect(shapeOf(recorded)).toEqual(shapeOf(expected))
          for (const statement of recorded.statements) tokensOf(statement.text, dialect)
          expect(valuesOf(recorded).map(comparable)).toEqual(
            valuesOf(expected).map((value) => comparable(replaced(value, text))),
          )
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('comes back from a page as a cursor, and goes on from there as a parameter', async () => {
    const query = db.fanOut(item).orderBy('note').via('push-down').limit(1)
    const pageAfter = async (text: string): Promise<Recorded> => {
      const cells = (types: readonly { readonly kind: string }[]) =>
        types.map(({ kind }) => (kind === 'int64' ? 1n : kind === 'string' ? text : null))
      answerNext((types) => [cells(types), cells(types)])
      const { next } = await query.page()
      take()
      await query.after(next).page()
      return take()
    }
    const expected = await pageAfter(PLAIN)
    expect(valuesOf(expected)).toContain(PLAIN)
    await fc.assert(
      fc.asyncProperty(hostileText, async (text) => {
        const recorded = await pageAfter(text)
        expect(shapeOf(recorded)).toEqual(shapeOf(expected))
        expect(valuesOf(recorded)).toEqual(valuesOf(expected).map((value) => replaced(value, text)))
      }),
      { numRuns: 500 },
    )
  })

  it('is a document of any names and texts', async () => {
    const documents = fc.letrec<{ document: unknown }>((tie) => ({
      document: fc.oneof(
        { maxDepth: 3 },
        hostileText,
        fc.array(tie('document'), { maxLength: 3 }),
        fc.dictionary(hostileText, tie('document'), { maxKeys: 3, noNullPrototype: false }),
      ),
    })).document
    await fc.assert(
      fc.asyncProperty(documents, async (body) => {
        const row = { name: '', n: 1n, body }
        const inserted = await db.insert('Item', [row]).then(
          (rows) => rows[0] as Record<string, unknown>,
          (error: unknown) => named(error, 'INVALID_VALUE'),
        )
        const written = valuesOf(take()).map(String).map(sorted)
        const isRefused = inserted instanceof IsothermError
        expect(isRefused).toBe(dialect !== 'googlesql' && JSON.stringify(body).includes('\\u0000'))
        if (isRefused) return
        expect(written).toContain(sorted(JSON.stringify(body)))
        expect(sorted(JSON.stringify(inserted['body']))).toBe(sorted(JSON.stringify(body)))
        expect(Object.getPrototypeOf(inserted)).toBe(Object.prototype)
      }),
      { numRuns: 500 },
    )
  })
})

/** A document's text, its names in one order. */
function sorted(text: string): string {
  try {
    return JSON.stringify(ordered(JSON.parse(text)))
  } catch {
    return text
  }
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .map(([name, each]) => [name, ordered(each)])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
}

/** Where the API takes the name of something, or a word: each call is wrong unless the text happens to be right. */
const misnomers: Record<string, Operation> = {
  'a table': async (db, text) => db.fanOut(text),
  'a table to insert into': (db, text) => db.insert(text, [{ n: 1n }]),
  'a table to get from': (db, text) => db.get(text, { n: 1n }),
  'a property to insert': (db, text) => db.insert('Item', [own(text, 'x', { name: '', n: 1n })]),
  'a property to upsert': (db, text) => db.upsert('Item', [own(text, 'x', { name: '', n: 1n })]),
  'a property to update': (db, text) => db.update('Item', own(text, 'x', { name: '', n: 1n, note: 'x' })),
  'a property of a key': (db, text) => db.get('Item', own(text, 'x', { name: '', n: 1n })),
  'a property of a key to delete': (db, text) => db.delete('Item', own(text, 'x', { name: '', n: 1n })),
  'a property in a transaction': (db, text) =>
    db.transaction((tx) => tx.update('Item', own(text, 'x', { name: '', n: 1n, note: 'x' }))),
  'a property to filter by': async (db, text) => db.fanOut('Item').where(own(text, 'x')),
  'an operator': async (db, text) => db.fanOut('Item').where({ note: own(text, 'x') }),
  'a filter': async (db, text) => db.fanOut('Item').where(text as never),
  'what AND joins': async (db, text) => db.fanOut('Item').where({ AND: text as never }),
  'what NOT negates': async (db, text) => db.fanOut('Item').where({ NOT: text as never }),
  'a list': async (db, text) => db.fanOut('Item').where({ note: { in: text as never } }),
  'a prefix of a number': async (db, text) => db.fanOut('Item').where({ n: { startsWith: text } as never }),
  'a number': async (db, text) => db.fanOut('Item').where({ n: text as never }),
  'a property to order by': async (db, text) => db.fanOut('Item').orderBy(text),
  'a direction': async (db, text) => db.fanOut('Item').orderBy('note', text as never),
  'a property to group by': async (db, text) => db.fanOut('Item').groupBy(text),
  'an index': async (db, text) => db.fanOut('Item').byIndex(text),
  'a strategy': async (db, text) => db.fanOut('Item').via(text as never),
  'a limit': async (db, text) => db.fanOut('Item').limit(text as never),
  'a cursor': (db, text) => db.fanOut('Item').after(text).page(),
  'a forged cursor': (db, text) =>
    db
      .fanOut('Item')
      .after(Buffer.from(JSON.stringify([1, text, [[text]]])).toString('base64url'))
      .page(),
  'an integer in a key': (db, text) => db.get('Item', { name: '', n: text }),
  rows: (db, text) => db.insert('Item', text as never),
  'a row': (db, text) => db.insert('Item', [text] as never),
  'a key': (db, text) => db.get('Item', text as never),
}

/** An object with this property of its own, whatever its name means to JavaScript. */
function own(name: string, value: unknown, others: Record<string, unknown> = {}): Record<string, unknown> {
  return Object.defineProperty({ ...others }, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  })
}

describe.each(dialects)('a word in %s', (dialect) => {
  const { driver, take } = recordingDriver(dialect)
  const db = openDatabase({ driver, schema })
  // What is right, each in its place, and the names of the filter's own.
  const right = /^(Item|ItemByNote|shard|name|n|note|tags|body|raw|AND|OR|NOT|asc|desc|read-ranges|)$/

  it.each(Object.entries(misnomers))('that stands for %s is refused by name', async (_, operation) => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .oneof({ weight: 4, arbitrary: anyText }, fc.constantFrom(...PROTOTYPE_NAMES))
          .filter((text) => !right.test(text)),
        async (text) => {
          const outcome: unknown = await operation(db, text).catch((error: unknown) => error)
          expect(outcome).toBeInstanceOf(IsothermError)
          expect(outcome).toMatchObject({
            code: expect.stringMatching(/^(UNKNOWN_|INVALID_|KEY_INCOMPLETE)/),
          })
          expect(take()).toEqual({ statements: [], reads: [], mutations: [] })
        },
      ),
      { numRuns: 40 },
    )
  })
})

it('leaves what every object inherits as it was', () => {
  expect(inheritedByAll()).toEqual(before)
})
