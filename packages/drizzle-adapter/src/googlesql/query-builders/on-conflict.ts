import { IsothermError } from '@isotherm/core'
import { Column, is, Name, SQL, StringChunk, type SQLChunk, type Table } from 'drizzle-orm'
import { columnsOf, extraConfigOf } from '../../drizzle-internals.js'
import { givenRow } from '../../sql/given-row.js'
import { PrimaryKeyBuilder } from '../primary-key.js'
import type { Fields } from '../../sql/fields.js'
import { setItems } from '../sql/write-sql.js'

export type ConflictTarget = Column | readonly Column[]

interface Conflict {
  readonly target?: ConflictTarget
  readonly set?: Fields
  readonly setWhere?: SQL
}

/** Whether a conflict over these columns is one over the primary key, which INSERT OR IGNORE is about. */
export function isPrimaryKey(table: Table, target: ConflictTarget | undefined): boolean {
  if (target === undefined) return false
  const names = new Set(listed(target).map((column) => column.name))
  const key = keyColumns(table)
  return names.size === key.length && key.every((column) => names.has(column.name))
}

function keyColumns(table: Table): readonly Column[] {
  const extra = Object.values(extraConfigOf(table) ?? {}) as readonly unknown[]
  const declared = extra.find((each): each is PrimaryKeyBuilder => is(each, PrimaryKeyBuilder))
  return declared
    ? declared.build(table).columns
    : Object.values(columnsOf(table)).filter((column) => column.primary)
}

/**
 * What happens to rows that are there already.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/dml-syntax
 */
export function conflictSql(table: Table, config: Conflict, columnName: (column: Column) => string): SQL {
  refuseUnknown(config)
  const { target, set, setWhere } = config
  const chunks: SQLChunk[] = [new StringChunk(' on conflict')]
  if (target !== undefined) {
    chunks.push(
      new StringChunk(' '),
      listed(target).map((column) => new Name(columnName(column))),
    )
  }
  if (!set) return new SQL([...chunks, new StringChunk(' do nothing')])
  chunks.push(new StringChunk(' do update set '), ...setItems(table, givenRow(table, set), columnName))
  if (setWhere) chunks.push(new StringChunk(' where '), setWhere)
  return new SQL(chunks)
}

function listed(target: ConflictTarget): readonly Column[] {
  return is(target, Column) ? [target] : target
}

/** Conditions on the target are about partial indexes, which cannot be one on Spanner. */
function refuseUnknown(config: Conflict): void {
  const unknown = Object.keys(config).find((name) => !['target', 'set', 'setWhere'].includes(name))
  if (unknown === undefined) return
  throw new IsothermError('UNSUPPORTED', `Spanner knows no ${unknown} of a conflict.`, {
    fix: 'Use setWhere for a condition on the row that is there.',
  })
}
