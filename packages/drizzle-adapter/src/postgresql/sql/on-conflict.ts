import { present } from '@isotherm/core/adapter'
import { type Column, Name, Param, SQL, StringChunk, type Table, is } from 'drizzle-orm'
import { columnsOf, nameOf } from '../../drizzle-internals.js'
import { IsothermError } from '@isotherm/core'
import { type PgTable, getTableConfig } from 'drizzle-orm/pg-core'
import { codecOf } from '../columns/codec.js'

/** The SET of an update, as text and with the given values: `onConflictDoUpdate` has to check them. */
export class UpdateSet extends SQL {
  /** By the properties of the table; of a column that `$onUpdate` makes, undefined. */
  readonly values: ReadonlyMap<string, unknown>

  constructor(text: SQL, table: Table, set: Readonly<Record<string, unknown>>) {
    super(text.queryChunks)
    const columns = Object.entries(columnsOf(table))
    this.values = new Map(
      columns
        .filter(([property, { onUpdateFn }]) => set[property] !== undefined || onUpdateFn !== undefined)
        .map(([property]) => [property, set[property]]),
    )
  }
}

/** The rows of an insert whose key may be there already. */
interface ConflictingInsert {
  readonly table: Table
  /** The inserted rows, by their properties. Undefined if a query gives the rows. */
  readonly rows: readonly Readonly<Record<string, unknown>>[] | undefined
  readonly columns: readonly string[]
  columnName(column: Column): string
  /** SQL as text. */
  textOf(sql: SQL): string
}

/**
 * ` on conflict …`, as Spanner accepts it: the target is the primary key, and the existing row gets the values that would
 * have been inserted.
 *
 * @param clause the result of Drizzle's `onConflictDoNothing` or `onConflictDoUpdate`
 * @throws {IsothermError} `UNSUPPORTED_WRITE` for other conflicts, and for other values.
 * Source: https://cloud.google.com/spanner/docs/reference/postgresql/dml-syntax#insert
 */
export function conflictSql(clause: SQL, insert: ConflictingInsert): SQL {
  const { table, columnName } = insert
  const key = primaryKeyOf(table as PgTable)
  const names = key.map((column) => columnName(column))
  const set = clause.queryChunks.find((chunk) => chunk instanceof UpdateSet)
  refuseTarget(clause, names, table)
  const target = names.map((name) => new Name(name))
  if (!set) return new SQL([new StringChunk(' on conflict '), target, new StringChunk(' do nothing')])
  const assignments = assigned(set, insert, key).map((column) => {
    const name = new Name(columnName(column))
    return new SQL([name, new StringChunk(' = excluded.'), name])
  })
  return new SQL([
    new StringChunk(' on conflict '),
    target,
    new StringChunk(' do update set '),
    ...assignments.flatMap((each, at) => (at > 0 ? [new StringChunk(', '), each] : [each])),
  ])
}

/** Whether a conflict changes the existing row. */
export function isUpdate(clause: SQL): boolean {
  return clause.queryChunks.some((chunk) => chunk instanceof UpdateSet)
}

/** The columns of a table's primary key, in its order. */
function primaryKeyOf(table: PgTable): readonly Column[] {
  const { columns, primaryKeys } = getTableConfig(table)
  const declared = primaryKeys.at(-1)
  return declared ? declared.columns : columns.filter(({ primary }) => primary)
}

/** Drizzle has written it already: `("id") where … do update set … where …`. */
function refuseTarget(clause: SQL, key: readonly string[], table: Table): void {
  const texts = clause.queryChunks.map((chunk) =>
    is(chunk, StringChunk) ? chunk.value.join('') : is(chunk, SQL) ? chunk : '',
  )
  const [first, target, close] = texts
  const isTargeted = first === '(' && is(target, SQL)
  const conditions = texts.slice(3).filter((chunk) => is(chunk, SQL) && !(chunk instanceof UpdateSet))
  if (isTargeted && close === ')' && conditions.length > 0) {
    throw new IsothermError('UNSUPPORTED_WRITE', 'Spanner has no condition on a conflict.', {
      fix: 'Read the row and write it, in one transaction.',
    })
  }
  if (!isTargeted) return
  const named = target.queryChunks.flatMap((chunk) => (is(chunk, StringChunk) ? chunk.value : [])).join('')
  const quoted = new Set(key.map((name) => `"${name.replaceAll('"', '""')}"`))
  const wanted = [...quoted].sort().join(',')
  if (named.split(',').sort().join(',') === wanted) return
  throw new IsothermError(
    'UNSUPPORTED_WRITE',
    `Spanner supports a conflict on the primary key only, not on ${named}.`,
    {
      fix: `Name the columns of the primary key of ${nameOf(table)}, which are ${key.join(', ')}, or none for onConflictDoNothing().`,
    },
  )
}

function assigned(set: UpdateSet, insert: ConflictingInsert, key: readonly Column[]): Column[] {
  const all = columnsOf(insert.table)
  for (const property of set.values.keys()) {
    if (!insert.columns.includes(property)) throw notInserted(property)
  }
  return insert.columns.map((property) => {
    const column = present(all[property], `column ${property}`)
    if (insert.rows?.some((row) => row[property] === undefined)) throw missing(property)
    if (set.values.has(property)) {
      if (!isInserted(set.values.get(property), property, insert)) throw otherValue(property)
    } else if (!key.includes(column)) {
      throw notSet(property)
    }
    return column
  })
}

/** Whether a value is that which would have been inserted. */
function isInserted(value: unknown, property: string, insert: ConflictingInsert): boolean {
  const { rows, table, textOf, columnName } = insert
  // Made by `$onUpdate`, as that of the row itself is.
  if (value === undefined) return true
  const column = present(columnsOf(table)[property], `column ${property}`)
  if (is(value, SQL)) {
    const text = textOf(value)
      .trim()
      .replace(/^"?excluded"?\./i, '')
    return text !== textOf(value).trim() && text.replaceAll('"', '') === columnName(column)
  }
  const [row, ...others] = rows ?? []
  if (!row || others.length > 0 || !is(value, Param)) return false
  const own = row[property]
  if (is(own, SQL)) return own === (value as unknown)
  const wire = (each: unknown): string => {
    const plain = is(each, Param) ? each.value : each
    return JSON.stringify(plain === null ? null : codecOf(column).encode(plain))
  }
  return own !== undefined && wire(own) === wire(value)
}

const FIX = 'Or read the row and write it, in one transaction.'

function notInserted(property: string): IsothermError {
  return new IsothermError(
    'UNSUPPORTED_WRITE',
    `A conflict would set ${property}, which the insert has no value for.`,
    {
      fix: `Give ${property} a value in values(). ${FIX}`,
    },
  )
}

/** A default would replace an existing value. */
function missing(property: string): IsothermError {
  return new IsothermError(
    'INVALID_QUERY',
    `Some rows of onConflictDoUpdate() have a ${property}, and others do not.`,
    { fix: 'Give each row the same columns, or insert them by two statements.' },
  )
}

function notSet(property: string): IsothermError {
  return new IsothermError(
    'UNSUPPORTED_WRITE',
    `A conflict would leave ${property} as it is: Spanner sets all columns that are inserted.`,
    { fix: `Add ${property} to set, as sql\`excluded.…\`, or leave it out of values(). ${FIX}` },
  )
}

function otherValue(property: string): IsothermError {
  return new IsothermError(
    'UNSUPPORTED_WRITE',
    `A conflict would set ${property} to another value than the one that is inserted, which Spanner does not support.`,
    { fix: `Set it to sql\`excluded.…\`. ${FIX}` },
  )
}
