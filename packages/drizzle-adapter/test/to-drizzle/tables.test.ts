import {
  BitReversedId,
  Column,
  defineSchema,
  defineTable,
  DescTimestamp,
  HashKey,
  Index,
  Key,
  ParentKey,
  ShardKey,
  Table,
  UuidV4,
  type Generated,
  sql,
} from '@isotherm/core'
import {
  alias,
  drizzle,
  getTableConfig,
  int64,
  interleaveIn,
  parentKey,
  spannerTable,
  spannerTableCreator,
  toDrizzle,
  toSchema,
} from '@isotherm/drizzle-adapter'
import { drizzle as pgDrizzle, toDrizzle as toPgTable } from '@isotherm/drizzle-adapter/postgresql'
import { eq, getTableColumns, getTableName, is } from 'drizzle-orm'
import { getTableConfig as getPgTableConfig, PgTable } from 'drizzle-orm/pg-core'
import { describe, expect, it } from 'vitest'
import { refusal } from '../support/refusal.js'

// Run in both decorator modes.

@Table('Customer')
class Customer {
  static readonly cities = ['Graz']

  @UuidV4()
  customerId!: Generated<string>

  @Column.string({ length: 100, name: 'full_name' })
  name!: string

  @Column.json({ nullable: true })
  settings!: { theme: string } | null

  greeting(): string {
    return `Hello ${this.name}`
  }
}

// Refers to a class that is declared later and that refers back.
@Table('crm.Order', {
  interleaveIn: () => Customer,
  onDelete: 'cascade',
  foreignKeys: [{ columns: ['ticketId'], references: () => Ticket }],
  rowDeletion: { property: 'placed', days: 30 },
})
@Index({ on: ['note', { property: 'placed', order: 'desc' }], storing: ['ticketId'] })
class Order {
  @ParentKey<Customer['customerId']>()
  customerId!: string

  @BitReversedId()
  orderId!: Generated<bigint>

  @Column.timestamp({ default: 'commit' })
  placed!: Generated<Date>

  @Column.string({ nullable: true })
  note!: string | null

  @Column.int64({ nullable: true })
  ticketId!: bigint | null
}

const early = toDrizzle(Order)

@Table('Ticket', {
  foreignKeys: [{ columns: ['customerId', 'orderId'], references: () => Order, onDelete: 'cascade' }],
})
class Ticket {
  @BitReversedId({ from: 'sequence' })
  ticketId!: Generated<bigint>

  @Column.uuid({ nullable: true })
  customerId!: string | null

  @Column.int64({ nullable: true })
  orderId!: bigint | null
}

@Table('Log')
class Log {
  @ShardKey({ shards: 8, of: ['userId'] })
  shardId!: Generated<bigint>

  @DescTimestamp({ default: 'now' })
  at!: Generated<Date>

  @HashKey({ of: ['userId'], algorithm: 'sha256' })
  digest!: Generated<Buffer>

  @Key()
  @Column.int64({ as: 'number' })
  userId!: number

  @Column.float64({ default: sql({ googlesql: 'RAND()', 'spanner-postgresql': 'spanner.rand()' }) })
  ratio!: Generated<number>

  @Column.array({ kind: 'date' })
  days!: readonly string[]
}

describe('toDrizzle()', () => {
  it('makes a column of each property, with its name, type, nullability, default and key membership', () => {
    const facts = Object.entries(getTableColumns(toDrizzle(Log))).map(([property, column]) => [
      property,
      column.name,
      column.getSQLType(),
      column.dataType,
      column.columnType,
      column.notNull,
      column.hasDefault,
      column.primary,
    ])
    expect(facts).toEqual([
      ['shardId', 'shardId', 'INT64', 'bigint', 'SpannerShardKey', true, true, true],
      ['at', 'at', 'TIMESTAMP', 'date', 'SpannerDescTimestamp', true, true, true],
      ['digest', 'digest', 'BYTES(32)', 'buffer', 'SpannerHashKey', true, true, true],
      ['userId', 'userId', 'INT64', 'number', 'SpannerInt64', true, false, true],
      ['ratio', 'ratio', 'FLOAT64', 'number', 'SpannerFloat64', true, true, false],
      ['days', 'days', 'ARRAY<DATE>', 'array', 'SpannerArray', true, false, false],
    ])
    const customers = toDrizzle(Customer)
    expect(customers.name.name).toBe('full_name')
    expect(customers.settings.notNull).toBe(false)
    expect(Object.keys(getTableColumns(customers))).toEqual(['customerId', 'name', 'settings'])
  })

  it('the PostgreSQL entry makes a pgTable with the matching column types', () => {
    const logs = toPgTable(Log)
    expect(is(logs, PgTable)).toBe(true)
    expect(
      Object.values(getTableColumns(logs)).map((column) => [
        column.getSQLType(),
        column.dataType,
        column.notNull,
      ]),
    ).toEqual([
      ['bigint', 'bigint', true],
      ['timestamptz', 'date', true],
      ['bytea', 'buffer', true],
      ['bigint', 'number', true],
      ['double precision', 'number', true],
      ['date[]', 'array', true],
    ])
  })

  it('returns the same table for a model in every call, and refers to this table from other tables', () => {
    expect(toDrizzle(Order)).toBe(early)
    expect(toPgTable(Order)).toBe(toPgTable(Order))
    const { interleaving, foreignKeys, schema, name, rowDeletion } = getTableConfig(early)
    expect([schema, name, rowDeletion?.days]).toEqual(['crm', 'Order', 30])
    expect(interleaving?.parent).toBe(toDrizzle(Customer))
    expect(foreignKeys[0]!.reference().foreignTable).toBe(toDrizzle(Ticket))
    const back = getTableConfig(toDrizzle(Ticket)).foreignKeys[0]!
    expect(back.getName()).toBe('Ticket_customerId_orderId_fk')
    expect(back.reference().foreignColumns).toEqual([early.customerId, early.orderId])
    const pg = getPgTableConfig(toPgTable(Order))
    expect([pg.schema, pg.name]).toEqual(['crm', 'Order'])
    expect(pg.foreignKeys[0]!.reference().foreignTable).toBe(toPgTable(Ticket))
    expect(getPgTableConfig(toPgTable(Ticket)).foreignKeys[0]!.onDelete).toBe('cascade')
  })

  it('keeps the column names of the model under the casing snake_case', () => {
    const models = [Customer, Order, Ticket, Log]
    expect(
      toSchema(
        models.map((model) => toDrizzle(model)),
        { casing: 'snake_case' },
      ),
    ).toStrictEqual(defineSchema(models))
  })

  it('makes a table that a spannerTable() can be interleaved in', () => {
    const customers = toDrizzle(Customer)
    const visits = spannerTable(
      'Visit',
      { customerId: parentKey(customers.customerId), visit: int64().primaryKey() },
      () => [interleaveIn(customers)],
    )
    const [, visit] = toSchema({ customers, visits }).tables
    expect(visit).toMatchObject({
      parent: { table: 'Customer' },
      primaryKey: [{ property: 'customerId' }, { property: 'visit' }],
    })
  })
})

describe('the table names in the results of joins', () => {
  const [Left, Right, Third] = ['Left', 'Right', 'Third'].map((name) =>
    defineTable(name, (t) => ({ id: t.uuidV4() })),
  ) as [typeof base, typeof base, typeof base]

  it('a join names its results after the keys of the object that was passed to toDrizzle()', () => {
    const { lefts, rights } = toDrizzle({ lefts: Left, rights: Right })
    expect([getTableName(lefts), getTableName(rights)]).toEqual(['Left', 'Right'])
    const select = drizzle.mock().select().from(lefts).leftJoin(rights, eq(lefts.id, rights.id))
    expect(Object.keys(select._.selectedFields)).toEqual(['lefts', 'rights'])
    expect(select.toSQL().sql).toContain('from `Left` left join `Right` on `Left`.`id` = `Right`.`id`')
    expect(toDrizzle(Left)).toBe(lefts)
    expect(toDrizzle(Left, { name: 'lefts' })).toBe(lefts)
  })

  it('a PostgreSQL join keeps the table names of the database in its SQL', () => {
    const { lefts, rights } = toPgTable({ lefts: Left, rights: Right })
    const select = pgDrizzle.mock().select().from(lefts).leftJoin(rights, eq(lefts.id, rights.id))
    // Drizzle exposes no names before it has rows.
    expect(select.toSQL().sql).toContain('from "Left" left join "Right" on "Left"."id" = "Right"."id"')
  })

  it('a join uses the database name of a table until toDrizzle() is called with a name for the table', () => {
    const db = drizzle.mock()
    const third = toDrizzle(Third)
    const on = eq(third.id, toDrizzle(Left).id)
    const keys = () => Object.keys(db.select().from(third).innerJoin(toDrizzle(Left), on)._.selectedFields)
    expect(keys()).toEqual(['Third', 'lefts'])
    expect(toDrizzle(Third, { name: 'thirds' })).toBe(third)
    expect(keys()).toEqual(['thirds', 'lefts'])
    expect(Object.keys(db.select().from(alias(third, 't')).innerJoin(third, on)._.selectedFields)).toEqual([
      't',
      'thirds',
    ])
  })

  it('a join uses the name of a table before spannerTableCreator() renamed the table', () => {
    const users = spannerTableCreator((name) => `app_${name}`)('User', { id: int64().primaryKey() })
    const lefts = toDrizzle(Left)
    const select = drizzle.mock().select().from(users).crossJoin(lefts)
    expect(Object.keys(select._.selectedFields)).toEqual(['User', 'lefts'])
    expect(select.toSQL().sql).toContain('from `app_User` cross join `Left`')
  })

  it('toDrizzle() rejects a second result name for a table with UNSUPPORTED_MODEL', () => {
    toDrizzle({ lefts: Left })
    expect(refusal(() => toDrizzle({ others: Left }))).toMatchObject({
      code: 'UNSUPPORTED_MODEL',
      message:
        'The table Left would be called others in the results of joins, but already has the name lefts. ' +
        "Use one name for it everywhere, or alias(table, 'others').",
    })
  })
})

const base = defineTable('Base', (t) => ({ id: t.uuidV4() }))

describe('toDrizzle() with an invalid model', () => {
  it.each([
    ['a class without @Table', class Plain {}, 'Plain is not a model.'],
    ['undefined', undefined, 'undefined is not a model.'],
    ['a function', () => base, 'this object is not a model.'],
  ])('rejects %s with SCHEMA_INVALID', (_, model, message) => {
    for (const table of [toDrizzle, toPgTable as unknown as typeof toDrizzle]) {
      const error = refusal(() => table(model as unknown as typeof base))
      expect(error.code).toBe('SCHEMA_INVALID')
      expect(error.message).toContain(message)
    }
  })

  it('rejects an object in which one of several values is not a model', () => {
    expect(refusal(() => toDrizzle({ base, wrong: {} as typeof base })).message).toContain('is not a model')
  })

  it('reports all invalid columns of a model in one error', () => {
    const wrong = defineTable('Wrong', (t) => ({
      id: t.uuidV4(),
      a: t.string({ length: -1 }),
      b: t.parentKey(),
    }))
    expect(refusal(() => toDrizzle(wrong))).toMatchObject({
      code: 'SCHEMA_INVALID',
      findings: [{ column: 'b' }, { column: 'a' }],
    })
  })

  it('rejects a parent that is not a model, and a table that is its own parent', () => {
    const orphan = defineTable('Orphan', (t) => ({ id: t.uuidV4() }), {
      interleaveIn: () => class Nothing {},
    })
    expect(refusal(() => toDrizzle(orphan)).message).toContain('Nothing is not a model.')
    const own: typeof base = defineTable('Own', (t) => ({ id: t.uuidV4() }), { interleaveIn: () => own })
    expect(refusal(() => toDrizzle(own)).code).toBe('SCHEMA_INVALID')
  })

  it('reports an index of an unknown property when getTableConfig() reads the table', () => {
    const typo = defineTable('Typo', (t) => ({ id: t.uuidV4() }), { indexes: [{ on: ['nmae' as 'id'] }] })
    expect(refusal(() => getTableConfig(toDrizzle(typo)))).toMatchObject({
      code: 'SCHEMA_INVALID',
      table: 'Typo',
      column: 'nmae',
    })
  })

  it('rejects a nullable key part and an unenforced foreign key in the PostgreSQL entry', () => {
    const open = defineTable('Open', (t) => ({ id: t.int64({ nullable: true }).key() }))
    expect(refusal(() => toPgTable(open))).toMatchObject({ code: 'UNSUPPORTED_MODEL', column: 'id' })
    const loose = defineTable('Loose', (t) => ({ id: t.uuidV4(), other: t.uuid() }), {
      foreignKeys: [{ columns: ['other'], references: 'self', enforced: false }],
    })
    expect(refusal(() => toPgTable(loose))).toMatchObject({ code: 'UNSUPPORTED_MODEL', table: 'Loose' })
  })
})

describe('SQL expressions of a model', () => {
  const OnlyPg = defineTable(
    'OnlyPg',
    (t) => ({ id: t.uuidV4(), n: t.int64({ default: sql({ 'spanner-postgresql': '7' }) }) }),
    { checks: [{ name: 'n_is_small', expression: { googlesql: 'n < 9', 'spanner-postgresql': '"n" < 9' } }] },
  )

  it('keep their text for each dialect, but are rejected in a query of a dialect without text', () => {
    const table = toDrizzle(OnlyPg)
    expect(toSchema([table])).toStrictEqual(defineSchema([OnlyPg]))
    const db = drizzle.mock()
    const [check] = getTableConfig(table).checks
    expect(db.select().from(table).where(check!.value).toSQL().sql).toContain('where n < 9')
    const error = refusal(() =>
      db
        .select({ n: table.n })
        .from(table)
        .where(table.n.default as never)
        .toSQL(),
    )
    expect(error.message).toContain('OnlyPg.n has no SQL for googlesql.')
  })

  it('a nextval() default of a model stays SQL instead of becoming a sequence key', () => {
    const Numbered = defineTable('Numbered', (t) => ({
      id: t.uuidV4(),
      n: t.int64({ default: sql({ 'spanner-postgresql': "nextval('Numbers')" }) }),
    }))
    expect(toSchema([toPgTable(Numbered)])).toStrictEqual(defineSchema([Numbered]))
  })
})
