import { compileDdl } from '@isotherm/core'
import * as google from '@isotherm/drizzle-adapter'
import * as postgres from '@isotherm/drizzle-adapter/postgresql'
import { type Column, type SQL, and, asc, eq, exists, gt, inArray, ne, not, sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import fc from 'fast-check'
import type { Cache } from 'drizzle-orm/cache/core'
import { type dialects, sharedEmulator } from '../../support/spanner.js'

// Random Drizzle statements over four tables: selects with nested queries, updates, deletes.

const TABLES = 4
const ROWS = 5

/** Where each table is: two schemas and the default one, and only two names. */
const COLLIDING = ['thing', 'one.thing', 'two.thing', 'other'] as const
const DISTINCT = ['first', 'one.second', 'two.third', 'fourth'] as const
/** A view of each table, which reads the next one too. */
const COLLIDING_VIEWS = ['seen', 'one.other', 'two.other', 'one.seen'] as const
const DISTINCT_VIEWS = ['seen_first', 'one.seen_second', 'two.seen_third', 'one.seen_fourth'] as const

const positionOf = (qualifiedName: string): readonly [name: string, schema: string | undefined] => {
  const [name = '', schema] = qualifiedName.split('.').toReversed()
  return [name, schema]
}

const ownTable = (qualifiedName: string) => {
  const [name, schema] = positionOf(qualifiedName)
  const columns = {
    id: google.int64({ mode: 'number' }).primaryKey(),
    a: google.int64({ mode: 'number' }),
    thing: google.int64({ mode: 'number' }),
  }
  return schema === undefined
    ? google.spannerTable(name, columns)
    : google.spannerSchema(schema).table(name, columns)
}

type Thing = ReturnType<typeof ownTable>

const pgTable = (qualifiedName: string) => {
  const [name, schema] = positionOf(qualifiedName)
  const columns = {
    id: pg.bigint({ mode: 'number' }).primaryKey(),
    a: pg.bigint({ mode: 'number' }),
    thing: pg.bigint({ mode: 'number' }),
  }
  return schema === undefined ? pg.pgTable(name, columns) : pg.pgSchema(schema).table(name, columns)
}

type View = ReturnType<ReturnType<typeof google.spannerView>['as']>

const viewOf = (qualifiedName: string, isOwn: boolean, [table, other]: readonly [Thing, Thing]): View => {
  const [name, schema] = positionOf(qualifiedName)
  const pgView = schema === undefined ? pg.pgView(name) : pg.pgSchema(schema).view(name)
  const ownView = schema === undefined ? google.spannerView(name) : google.spannerSchema(schema).view(name)
  const view = (isOwn ? ownView : pgView) as typeof ownView
  return view.as((qb) =>
    qb
      .select({ id: table.id, a: table.a, thing: table.thing })
      .from(table)
      .where(inArray(table.id, qb.select({ id: other.id }).from(other).where(ne(other.a, 0)))),
  ) as never
}

/** How a query reads a table: as it is, by an alias, as a subquery, through a view. */
interface Reading {
  readonly table: number
  readonly as: 'itself' | 'alias' | 'subquery' | 'view'
  /** The number of the alias or the subquery: few numbers, so that names collide in one of the two worlds. */
  readonly name: number
}

interface Condition {
  /** A column of the source of this level, counted from the innermost. */
  readonly level: number
  readonly column: 'id' | 'a' | 'thing'
  readonly operator: 'eq' | 'ne' | 'gt'
  /** Another such column. */
  readonly otherLevel: number
  readonly otherColumn: 'id' | 'a' | 'thing'
}

interface Query {
  readonly reading: Reading
  readonly conditions: readonly Condition[]
  readonly within: 'exists' | 'not exists' | 'in' | 'count'
  readonly inner: Query | undefined
}

export interface Statement {
  readonly kind: 'select' | 'with' | 'union' | 'relational' | 'delete' | 'update'
  readonly query: Query
}

const reading = fc.record<Reading>({
  table: fc.nat(TABLES - 1),
  as: fc.constantFrom('itself', 'itself', 'alias', 'subquery', 'view'),
  name: fc.nat(1),
})
const column = fc.constantFrom('id' as const, 'a' as const, 'thing' as const)
const condition = fc.record<Condition>({
  level: fc.nat(2),
  column,
  operator: fc.constantFrom('eq', 'eq', 'ne', 'gt'),
  otherLevel: fc.nat(2),
  otherColumn: column,
})
const queries = (depth: number): fc.Arbitrary<Query> =>
  fc.record<Query>({
    reading,
    conditions: fc.array(condition, { minLength: 1, maxLength: 2 }),
    within: fc.constantFrom('exists', 'not exists', 'in', 'count'),
    inner: depth === 0 ? fc.constant(undefined) : fc.option(queries(depth - 1), { nil: undefined, freq: 5 }),
  })
const ofKinds = (...kinds: readonly Statement['kind'][]) =>
  fc.record<Statement>({ kind: fc.constantFrom(...kinds), query: queries(2) })

export const reads = ofKinds('select', 'select', 'with', 'union', 'relational')
export const writes = ofKinds('delete', 'update')
export const statements = fc.oneof({ weight: 2, arbitrary: reads }, { weight: 1, arbitrary: writes })
const cells = fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { minLength: ROWS, maxLength: ROWS })
export const data = fc.tuple(...Array.from({ length: TABLES }, () => cells))

type Columns = Readonly<Record<'id' | 'a' | 'thing', Column>>

export interface World {
  readonly db: google.SpannerDatabase
  readonly tables: readonly Thing[]
  readonly alias: typeof google.alias
  readonly views: readonly View[]
  /** The names of the tables in relational queries. */
  readonly queried: readonly string[]
  /** Names of aliases and subqueries: the same for all, or one for each. */
  readonly nameOf: (reading: Reading, level: number) => string
}

const OPERATORS = { eq, ne, gt }

function sourceOf({ db, tables, views, alias, nameOf }: World, reading: Reading, level: number) {
  const table = tables[reading.table]!
  if (reading.as === 'itself') return { source: table, columns: table as Columns }
  if (reading.as === 'alias') {
    const named = alias(table, nameOf(reading, level))
    return { source: named, columns: named as Columns }
  }
  if (reading.as === 'view') {
    const view = views[reading.table]!
    return { source: view as never as Thing, columns: view as never as Columns }
  }
  const subquery = db.select().from(table).where(gt(table.id, 0)).as(nameOf(reading, level))
  return { source: subquery as never as Thing, columns: subquery as never as Columns }
}

/** @param around the columns of the queries around, the innermost first */
function conditionOf(world: World, query: Query, own: Columns, around: readonly Columns[]): SQL {
  const scopes = [own, ...around]
  const at = (level: number): Columns => scopes[level % scopes.length]!
  const parts = query.conditions.map((each) =>
    OPERATORS[each.operator](at(each.level)[each.column], at(each.otherLevel)[each.otherColumn]),
  )
  if (query.inner) parts.push(innerOf(world, query.inner, own, scopes))
  return and(...parts)!
}

function innerOf(world: World, query: Query, outer: Columns, scopes: readonly Columns[]): SQL {
  const { source, columns } = sourceOf(world, query.reading, scopes.length)
  const where = conditionOf(world, query, columns, scopes)
  if (query.within === 'count') return gt(world.db.$count(source, where), 1)
  const select = world.db.select({ id: columns.id }).from(source).where(where)
  if (query.within === 'in') return inArray(outer.id, select as never)
  return query.within === 'exists' ? exists(select) : not(exists(select))
}

/** The result of a statement and the rows of the tables after it; undefined if the statement is rejected. */
export async function outcome(world: World, { kind, query }: Statement): Promise<unknown> {
  const { db, tables } = world
  const table = tables[query.reading.table]!
  const own = conditionOf(world, query, table as Columns, [])
  const written = async ({ rowCount }: { rowCount: number | null }): Promise<unknown> => ({
    rowCount,
    rows: await Promise.all(tables.map((each) => db.select().from(each).orderBy(asc(each.id)))),
  })
  switch (kind) {
    case 'delete':
      return written(await db.delete(table).where(own))
    case 'update':
      return written(
        await db
          .update(table)
          .set({ a: sql`${(table as Columns).a} + 1` })
          .where(own),
      )
    case 'relational':
      return (db.query as unknown as Record<string, { findMany(config: object): Promise<unknown> }>)[
        world.queried[query.reading.table]!
      ]!.findMany({ where: own, orderBy: asc(table.id) })
    default: {
      const { source, columns } = sourceOf(world, query.reading, 0)
      const where = conditionOf(world, query, columns, [])
      const count = query.inner
        ? innerOf(world, { ...query.inner, within: 'count' }, columns, [columns])
        : sql`true`
      const select = db.select({ id: columns.id, a: columns.a, isCounted: count }).from(source).where(where)
      if (kind === 'select') return select.orderBy(asc(columns.id))
      if (kind === 'union') {
        const other = db.select({ id: columns.id, a: columns.a, isCounted: sql`true` }).from(source)
        return (await select.union(other as never)).map((row) => JSON.stringify(row)).toSorted()
      }
      const named = db.$with('thing_').as(db.select({ id: columns.id }).from(source).where(where))
      return db.with(named).select().from(named).orderBy(asc(named.id))
    }
  }
}

/** One world whose names collide, and one whose names are distinct. */
export const WORLDS = {
  colliding: {
    names: COLLIDING,
    views: COLLIDING_VIEWS,
    queried: ['thing', 'other', 'a', 'id'],
    nameOf: ({ name }: Reading) => ['thing', 'other'][name]!,
  },
  distinct: {
    names: DISTINCT,
    views: DISTINCT_VIEWS,
    queried: ['q0', 'q1', 'q2', 'q3'],
    nameOf: ({ name }: Reading, level: number) => `named_${name}_${level}`,
  },
}

/** A database of its own with the tables and views. @returns what makes a Drizzle database of it */
export async function openWorld(
  dialect: (typeof dialects)[number],
  { names, views: viewNames, queried, nameOf }: (typeof WORLDS)[keyof typeof WORLDS],
): Promise<(config?: { readonly cache?: Cache }) => World> {
  const isOwn = dialect.name === 'googlesql'
  const { toSchema, drizzle } = (isOwn ? google : postgres) as typeof google
  const alias = (isOwn ? google.alias : pg.alias) as typeof google.alias
  const tables = names.map((name) => (isOwn ? ownTable(name) : (pgTable(name) as never as Thing)))
  const views = viewNames.map((name, at) =>
    viewOf(name, isOwn, [tables[at]!, tables[(at + 1) % tables.length]!]),
  )
  const schema = Object.fromEntries(tables.map((table, at) => [queried[at]!, table]))
  const emulator = await sharedEmulator()
  const ddl = compileDdl(toSchema([...tables, ...views]), { dialect })
  const connection = await emulator.database({ dialect, ddl })
  return ({ cache } = {}) => {
    const db = drizzle(connection, { schema, ...(cache && { cache }) })
    return { db: db as never, tables, views, alias, queried, nameOf }
  }
}

export async function fill({ db, tables }: World, rows: readonly (readonly (readonly [number, number])[])[]) {
  for (const [at, table] of tables.entries()) {
    await db.delete(table)
    await db.insert(table).values(rows[at]!.map(([a, thing], id) => ({ id: id + at, a, thing })))
  }
}
