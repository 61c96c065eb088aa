import { defineSchema, defineTable, defineUserType, type Database, type Schema } from '@isotherm/core'

// The counterpart of `named-schema` for CQL: a keyspace in which everything that can have a name has one.

export const CQL_NAMES = {
  table: 'PlainTable',
  child: 'PlainChild',
  beside: 'PlainBeside',
  counters: 'PlainCounters',
  shard: 'plain_shard',
  column: 'plain_column',
  bucket: 'plain_bucket',
  pair: 'plain_pair',
  day: 'plain_day',
  owner: 'plain_owner',
  note: 'plain_note',
  line: 'plain_line',
  counter: 'plain_counter',
  index: 'PlainIndex',
  type: 'plain_type',
  field: 'plain_field',
} as const

export type CqlNameKind = keyof typeof CQL_NAMES

/** @throws {SchemaError} for names that no schema can have. */
export function keyspaceNamed(changed: Partial<Record<CqlNameKind, string>>, hasIndexes: boolean): Schema {
  const names: Record<CqlNameKind, string> = { ...CQL_NAMES, ...changed }
  const address = defineUserType(names.type, (t) => ({ [names.field]: t.string() }))
  const table = defineTable(
    names.table,
    (t) => ({
      shard: t.shardKey({ shards: 4, of: ['key'], name: names.shard }),
      bucket: t.timeBucket({ by: 'year', of: 'at', since: '2026-01-01', name: names.bucket }),
      key: t.string({ name: names.column }).key(),
      day: t.date({ name: names.day }).key('desc'),
      at: t.timestamp({ name: 'plain_at' }).key(),
      pair: t.uuid({ storage: 'int64-pair', name: names.pair }),
      owner: t.string({ nullable: true, static: true, name: names.owner }),
      note: t.string({ nullable: true, name: names.note }),
      home: t.udt(address, { nullable: true, frozen: true, name: 'plain_home' }),
    }),
    {
      ttlSeconds: 86_400,
      ...(hasIndexes && { indexes: [{ name: names.index, on: ['note'] }] }),
    },
  )
  const child = defineTable(
    names.child,
    (t) => ({ id: t.parentKey<string>(), line: t.int64({ name: names.line }).key('desc') }),
    { interleaveIn: () => beside, onDelete: 'cascade' },
  )
  const beside = defineTable(names.beside, (t) => ({ id: t.uuidV4(), note: t.string({ nullable: true }) }))
  const counters = defineTable(names.counters, (t) => ({
    id: t.string().key(),
    hits: t.counter({ name: names.counter }),
  }))
  return defineSchema([table, beside, child, counters])
}

/** Every statement that a client sends for such a schema. */
export async function useKeyspace(db: Database, nameOf: (plain: string) => string): Promise<void> {
  const [table, beside, child, counters] = [
    CQL_NAMES.table,
    CQL_NAMES.beside,
    CQL_NAMES.child,
    CQL_NAMES.counters,
  ].map(nameOf) as [string, string, string, string]
  const key = { key: 'k', day: '2026-01-01', at: new Date('2026-01-02T03:04:05Z') }
  const row = {
    ...key,
    pair: '0f0e0d0c-0b0a-4908-8706-050403020100',
    owner: 'o',
    note: 'x',
    home: { [nameOf(CQL_NAMES.field)]: 's' },
  }
  await db.insert(table, [row])
  await db.upsert(table, [row, { ...row, day: '2026-01-03' }], { ttlSeconds: 60 })
  await db.update(table, row)
  await db.get(table, key)
  const query = db.fanOut(table).where({ at: key.at })
  await query.orderBy('key').limit(3).page()
  await query.where({ key: 'k', day: { gt: '2026-01-01' }, note: 'x' }).all()
  await query.groupBy('note').count()
  await db.delete(table, key)
  const id = '0f0e0d0c-0b0a-4908-8706-050403020100'
  await db.insert(beside, [{ id, note: 'x' }])
  await db.insert(child, [{ id, line: 1n }])
  await db.get(beside, { id })
  await db.fanOut(child).where({ id }).all()
  await db.delete(child, { id, line: 1n })
  await db.delete(beside, { id })
  await db.increment(counters, { id: 'x', hits: 2n })
  await db.get(counters, { id: 'x' })
}
