import { defineSchema, defineTable, type Database, type TableBuilder } from '@isotherm/core'
import { split } from '@isotherm/testing/data/by-statement'
import type { Traits } from '@isotherm/testing'

// Every parameter of the API that takes a value.

const texts = (t: TableBuilder) => ({
  shard: t.shardKey({ shards: 4, of: ['name'] }),
  name: t.string().key(),
  n: t.int64().key(),
  note: t.string({ nullable: true }),
  tags: t.array({ kind: 'string', length: 'max' }, { nullable: true }),
  body: t.json({ nullable: true }),
})
const columns = (t: TableBuilder) => ({ ...texts(t), raw: t.bytes({ nullable: true }) })
/** The table of engines without transactions. */
export const item = defineTable('Item', columns, { writesExpire: true })
/** The same table without bytes, for tests on an engine. */
export const held = defineTable('Item', texts)
export const heldIndexed = defineTable('Item', texts, {
  indexes: [{ name: 'ItemByNote', on: ['note'], storing: ['tags', 'body'] }],
})
const indexed = defineTable('Item', columns, { indexes: [{ name: 'ItemByNote', on: ['note'] }] })

export const schemaFor = ({ transactions }: Traits) => defineSchema([transactions ? indexed : item])

export type Operation = (db: Database, text: string) => Promise<unknown>

export function rowOf(text: string, nullItems = true) {
  return {
    name: text,
    n: 1n,
    note: text,
    tags: nullItems ? [text, null, text] : [text, text],
    body: { [text]: [text, { [`x${text}`]: text }] },
    raw: Buffer.from(text),
  }
}

/** Calls with values in transactions, and reads of an index. */
const inTransactions: Record<string, Operation> = {
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
  useIndex: (db, text) =>
    db.fanOut(indexed).where({ note: text }).useIndex('ItemByNote').orderBy('note').all(),
}

/** Calls with options that only engines without transactions have. */
const optional: Record<string, Operation> = {
  'insert for a while': (db, text) => db.insert(item, [rowOf(text, false)], { ttlSeconds: 60 }),
  'insert without a check': (db, text) => db.insert(item, [rowOf(text, false)], { conditional: false }),
  'update as of a time': (db, text) =>
    db.update(item, rowOf(text, false), { conditional: false, writeTime: 1_000_000n, ttlSeconds: 60 }),
  'delete as of a time': (db, text) => db.delete(item, { name: text, n: 1n }, { writeTime: 1_000_000n }),
  'upsert at a consistency': (db, text) =>
    db.upsert(item, [rowOf(text, false)], { consistency: 'local-quorum' }),
  'rows of one partition': (db, text) =>
    db.upsert(
      item,
      [1n, 2n].map((n) => ({ name: text, n, note: text })),
    ),
}

/** All calls that take a value, by name. */
export function operationsOf({
  transactions,
  nullItems,
  readStrategies: strategies,
}: Traits): Record<string, Operation> {
  const row = (text: string) => rowOf(text, nullItems)
  return {
    insert: (db, text) => db.insert(item, [row(text), row(text)], split),
    upsert: (db, text) => db.upsert(item, [row(text)]),
    update: (db, text) => db.update(item, row(text)),
    get: (db, text) => db.get(item, { name: text, n: 1n }),
    delete: (db, text) => db.delete(item, [{ name: text, n: 1n }]),
    ...(transactions ? inTransactions : optional),
    ...Object.fromEntries(
      strategies.flatMap((strategy): [string, Operation][] => [
        [
          `where via ${strategy}`,
          (db, text) => db.fanOut(item).where({ note: text }).strategy(strategy).all(),
        ],
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
              // In key order, if the engine cannot read pages in another order.
              .orderBy(transactions ? 'note' : 'name', 'desc')
              .limit(7)
              .strategy(strategy)
              .page(),
        ],
      ]),
    ),
    'where a part of the key is': (db, text) => db.fanOut(item).where({ name: text }).all(),
    'where the whole key is': (db, text) => db.fanOut(item).where({ name: text, n: 1n }).all(),
    'where a part of the key is less': (db, text) =>
      db
        .fanOut(item)
        .where({ shard: 0n, name: { lt: text } })
        .all(),
    count: (db, text) => db.fanOut(item).where({ note: text }).count(),
    groupBy: (db, text) =>
      db
        .fanOut(item)
        .where({ note: { startsWith: text } })
        .groupBy('note')
        .count(),
  }
}

/** Key ranges that are derived from the text. A range may be empty, and then there is no call. */
export const ranges: Record<string, Operation> = {
  'a beginning': (db, text) =>
    db
      .fanOut(item)
      .where({ name: { startsWith: text } })
      .all(),
  'a beginning from behind': (db, text) =>
    db
      .fanOut(item)
      .where({ name: { startsWith: text, gt: text } })
      .orderBy('name', 'desc')
      .limit(3)
      .page(),
  'several at once': (db, text) =>
    db
      .fanOut(item)
      .where({ OR: [{ name: { in: [text, `${text}x`] }, n: { gte: 1n, lt: 9n } }, { name: { gt: text } }] })
      .all(),
}
