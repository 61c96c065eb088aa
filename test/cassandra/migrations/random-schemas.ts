import { defineSchema, defineTable, defineUserType, type Schema } from '@isotherm/core'
import fc from 'fast-check'

// Schemas as people change them: the same tables mostly, with columns that come and go, and now and then what cannot be
// changed in place.

interface TableDraw {
  readonly isThere: boolean
  readonly columns: readonly string[]
  readonly statics: readonly string[]
  readonly indexes: readonly string[]
  readonly ttlSeconds: number | undefined
  /** Another key, type or kind than all others have: seldom. */
  readonly odd: 'key' | 'order' | 'type' | 'static' | undefined
}

interface SchemaDraw {
  readonly tables: readonly TableDraw[]
  readonly fields: number
  readonly hasType: boolean
  readonly isFolded: boolean
}

const COLUMNS = ['a', 'b', 'c', 'd', 'e', 'f'] as const
const NAMES = ['first', 'Second', 'third'] as const

const table: fc.Arbitrary<TableDraw> = fc.record({
  isThere: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
  columns: fc.subarray([...COLUMNS]),
  statics: fc.subarray(['s', 't']),
  indexes: fc.subarray(['a', 'b']),
  ttlSeconds: fc.constantFrom(undefined, undefined, 60, 3_600),
  odd: fc.oneof(
    { weight: 40, arbitrary: fc.constant(undefined) },
    fc.constantFrom('key' as const, 'order' as const, 'type' as const, 'static' as const),
  ),
})

export const randomKeyspaces: fc.Arbitrary<Schema> = fc
  .record({
    tables: fc.tuple(table, table, table),
    fields: fc.integer({ min: 1, max: 3 }),
    hasType: fc.boolean(),
    isFolded: fc.oneof({ weight: 30, arbitrary: fc.constant(true) }, fc.constant(false)),
  })
  .map(schemaOf)

function schemaOf({ tables, fields, hasType, isFolded }: SchemaDraw): Schema {
  const Shape = defineUserType('Shape', (t) => ({
    ...(fields > 0 && { one: t.int32({ nullable: true }) }),
    ...(fields > 1 && { two: t.string({ nullable: true }) }),
    ...(fields > 2 && { three: t.set({ kind: 'int32' }, { nullable: true, frozen: true }) }),
  }))
  const made = tables.flatMap((draw, at) =>
    draw.isThere ? [tableOf(NAMES[at]!, draw, hasType ? Shape : undefined)] : [],
  )
  const Owner = defineTable('owner', (t) => ({ id: t.uuidV4(), name: t.string({ nullable: true }) }))
  const Thing = defineTable(
    'thing',
    (t) => ({ id: t.parentKey(), line: t.int32().key('desc'), what: t.string({ nullable: true }) }),
    { interleaveIn: () => Owner, ...(isFolded ? { onDelete: 'cascade' } : { rows: 'own' }) },
  )
  return defineSchema([...made, Owner, Thing])
}

function tableOf(
  name: string,
  { columns, statics, indexes, ttlSeconds, odd }: TableDraw,
  shape: ReturnType<typeof defineUserType> | undefined,
): object {
  const has = (column: string): boolean => columns.includes(column)
  return defineTable(
    name,
    (t) => ({
      p: t.int64().key(),
      k: odd === 'type' ? t.int64().key() : t.int32().key(odd === 'order' ? 'desc' : 'asc'),
      id: t.uuidV4(),
      ...(has('a') && { a: t.string({ nullable: true }) }),
      ...(has('b') && { b: odd === 'type' ? t.decimal({ nullable: true }) : t.int32({ nullable: true }) }),
      ...(has('c') && { c: t.set({ kind: 'string', length: 'max' }, { nullable: true }) }),
      ...(has('d') && shape && { d: t.udt(shape, { nullable: true, frozen: true }) }),
      ...(has('e') && { e: t.map({ kind: 'int32' }, { kind: 'inet' }, { nullable: true }) }),
      ...(has('f') && { f: t.duration({ nullable: true }) }),
      ...(statics.includes('s') && { s: t.string({ nullable: true, static: true }) }),
      ...(statics.includes('t') && { t: t.int64({ nullable: true, static: odd !== 'static' }) }),
    }),
    {
      partitionKey: odd === 'key' ? ['p', 'k'] : ['p'],
      ...(ttlSeconds !== undefined && { ttlSeconds }),
      indexes: indexes
        .filter((column) => has(column))
        .map((column) => ({ name: `${name}_${column}`, on: [column as 'p'] })),
    } as object,
  )
}
