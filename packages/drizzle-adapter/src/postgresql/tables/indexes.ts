import { IsothermError } from '@isotherm/core'
import { checkArgument, kind, known } from '@isotherm/core/adapter'
import { Column, SQL, type Table, is } from 'drizzle-orm'
import {
  ExtraConfigColumn,
  type Index,
  IndexedColumn,
  type IndexedExtraConfigType,
  type PgColumn,
} from 'drizzle-orm/pg-core'
import { columnsOf, nameOf } from '../../drizzle-internals.js'
import { type Token, tokensOf } from '../../sql/tokens.js'
import { IndexBuilderOn, columnInOrder } from '../../googlesql/tables/indexes.js'
import type { DeclaredIndex, OrderedColumn } from '../../table-kind/table-kind.js'

/** A column of an index: `t.name`, `t.at.desc()`, or `desc(t.at)`. */
export type PgIndexPart = PgColumn | Partial<ExtraConfigColumn> | SQL

/**
 * An index with Spanner's additional options: `storing`, `shard`, `interleaveIn`, `nullFiltered` and `whereNotNull`.
 * Drizzle's own `index` is accepted too.
 *
 * `t.at.desc()` means `NULLS LAST`, as in Drizzle; `desc(t.at)` leaves NULL where the database sorts it, which is first.
 *
 * @param name default: the table's and the columns' names, joined by `_`
 * @example
 * index('users_by_name').on(t.lastName, desc(t.createdAt)).storing(t.email)
 */
export function index(name?: string): IndexBuilderOn<PgColumn, PgIndexPart> {
  return new IndexBuilderOn<PgColumn, PgIndexPart>(name, false, pgOrderedColumn)
}

/** An index in which no two rows have the same values. */
export function uniqueIndex(name?: string): IndexBuilderOn<PgColumn, PgIndexPart> {
  return new IndexBuilderOn<PgColumn, PgIndexPart>(name, true, pgOrderedColumn)
}

type PgOrderedColumn = OrderedColumn & { readonly column: PgColumn }

const INDEX_PART = kind(
  'a column, such as t.name or t.at.desc()',
  (value) => is(value, SQL) || is(value, Column),
)

function pgOrderedColumn(part: PgIndexPart): PgOrderedColumn {
  checkArgument('index', 'on', INDEX_PART, part)
  if (is(part, SQL)) return columnInOrder(part) as PgOrderedColumn
  const column = part as PgColumn
  if (!is(column, ExtraConfigColumn)) return { column, order: 'asc' }
  const said = column.indexConfig
  // The column is the table's, and the next index has an order of its own.
  column.indexConfig = { ...column.defaultConfig }
  return { column, ...orderOf(column, said) }
}

/** An index of Drizzle's own. @throws {IsothermError} `UNSUPPORTED_MODEL` for what Spanner's indexes do not support. */
export function declaredIndex(table: Table, { config }: Index): DeclaredIndex {
  const { name, columns, unique, where, method = 'btree', concurrently, with: storage } = config
  const called = `The index ${name === undefined ? `of ${nameOf(table)}` : `${nameOf(table)}.${name}`}`
  for (const [isThere, what, fix] of [
    [method !== 'btree', `the method ${method}`, 'Leave using(…) out: Spanner has one kind of index.'],
    [concurrently, 'CONCURRENTLY', 'Leave it out: Spanner builds indexes without a lock.'],
    [storage, 'storage parameters', 'Leave with(…) out.'],
  ] as const) {
    if (isThere) throw refused(`${called} has ${what}, which Spanner does not support.`, fix)
  }
  const parts = columns.map((part) => declaredPart(table, part, called))
  return {
    name,
    columns: parts,
    unique,
    nullFiltered: false,
    notNull: where ? notNullIn(where, parts, called) : [],
    storing: [],
    interleaveIn: undefined,
    shard: undefined,
  }
}

function declaredPart(table: Table, part: Partial<IndexedColumn | SQL>, called: string): OrderedColumn {
  if (!is(part, IndexedColumn)) return columnInOrder(part)
  const columns = new Map(Object.values(columnsOf(table)).map((each) => [each.name, each]))
  const column = known(columns, part.name)
  if (part.indexConfig.opClass !== undefined) {
    throw refused(
      `${called} has the operator class ${part.indexConfig.opClass}, which Spanner does not support.`,
      'Leave op(…) out.',
    )
  }
  return { column, ...orderOf(column, part.indexConfig) }
}

function orderOf(
  column: Column,
  { order = 'asc', nulls }: IndexedExtraConfigType,
): Omit<OrderedColumn, 'column'> {
  const natural = order === 'asc' ? 'last' : 'first'
  // A column that cannot be NULL has no position for NULL.
  return column.notNull || nulls === natural || nulls === undefined ? { order } : { order, nulls }
}

/** `a is not null and b is not null`, of columns that the index is over. */
function notNullIn(condition: SQL, parts: readonly OrderedColumn[], called: string): readonly Column[] {
  const tokens = tokensOf(condition).filter((token) => !isWord(token, '(') && !isWord(token, ')'))
  const found: Column[] = []
  for (let at = 0; at < tokens.length; at += 5) {
    const [first, is, not, nothing, and] = tokens.slice(at, at + 5)
    const isCondition = isWord(is, 'is') && isWord(not, 'not') && isWord(nothing, 'null')
    const column = first?.kind === 'column' ? first.column : undefined
    const isPart = column && parts.some((part) => part.column.name === column.name)
    const hasNext = tokens.length > at + 5
    if (!isCondition || !isPart || (and !== undefined && (!hasNext || !isWord(and, 'and')))) {
      throw refused(
        `${called} has a condition other than that columns of its own are not NULL.`,
        'Write where(isNotNull(column)), of columns of the index, with and(…) between several. For others, generate a column that is NULL where the row is to be left out: generatedAlwaysAs(sql`case when … end`).',
      )
    }
    found.push(column)
  }
  return found
}

function isWord(token: Token | undefined, text: string): boolean {
  return token?.kind === 'word' && token.text === text
}

function refused(message: string, fix: string): IsothermError {
  return new IsothermError('UNSUPPORTED_MODEL', message, { fix })
}
