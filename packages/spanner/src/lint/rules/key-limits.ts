import type { Report, Rule } from '@isotherm/core/tools'
import type { Column } from '@isotherm/core/engine'
import { MAX_KEY_PARTS, type KeyPart } from '@isotherm/core/tools'
import { columnOf, type Table } from '@isotherm/core/engine'
import { bytes, count } from '@isotherm/core/tools'
import { WIDE_KEY, widthOf, widthOfAll } from '@isotherm/core/tools'

// Source: https://cloud.google.com/spanner/quotas#tables
const MAX_KEY_BYTES = 8 * 1024
const MAX_COLUMNS = 1_024
const MAX_INDEXES = 128

/**
 * Limits of a table, its key and its indexes. Numbers of columns are certain; the size of a key depends on the
 * values, so that is advice.
 *
 * @param descending how many columns of the database a descending part of a key is
 *
 * Source: https://cloud.google.com/spanner/quotas#tables
 */
export function keyLimits(descending: number): Rule {
  return {
    name: 'spanner/key-limits',
    severity: 'error',
    check(table, report) {
      const { indexes, primaryKey } = table
      const columns = table.columns.length + indexes.filter((index) => index.shard).length
      if (columns > MAX_COLUMNS) {
        report({
          message: `${table.name} has ${count(columns)} columns; a table has up to ${count(MAX_COLUMNS)}.`,
          fix: 'Move some to a table of their own with the same key.',
        })
      }
      if (indexes.length > MAX_INDEXES) {
        report({
          message: `${table.name} has ${indexes.length} indexes; a table has up to ${MAX_INDEXES}.`,
          fix: 'Drop those that no query uses.',
        })
      }
      checkKey(table, { what: 'The primary key', parts: primaryKey, columns: 0 }, report, descending)
      for (const index of indexes) {
        const added = primaryKey.filter(({ property }) =>
          index.parts.every((part) => part.property !== property),
        )
        const key: Key = {
          what: `The index ${index.name}, with the key of the table,`,
          index: index.name,
          parts: [...index.parts, ...added],
          columns: index.shard ? 1 : 0,
        }
        checkKey(table, key, report, descending)
      }
    },
  }
}

interface Key {
  readonly what: string
  readonly index?: string
  readonly parts: readonly KeyPart[]
  /** Beside the parts: the shard of an index. */
  readonly columns: number
}

function checkKey(table: Table, key: Key, report: Report, descending: number): void {
  const { what, index, parts } = key
  const ofTable = index === undefined
  const at = ofTable ? {} : { index }
  const number = key.columns + parts.reduce((sum, part) => sum + columnsOf(table, part, descending), 0)
  if (number > MAX_KEY_PARTS) {
    report({
      ...at,
      message: `${what} has ${number} columns, and a key up to ${MAX_KEY_PARTS}.`,
      fix: ofTable
        ? 'Remove key parts that are not needed for uniqueness.'
        : 'Store columns instead of indexing them.',
    })
  }
  const columns = columnsAt(table, parts)
  // The columns of the table's key are in every index: reporting them once is enough.
  const own = ofTable
    ? columns
    : columns.filter((column) => !columnsAt(table, table.primaryKey).includes(column))
  for (const column of own.filter(({ type }) => !widthOf(type))) {
    report({
      ...at,
      severity: 'warning',
      column: column.property,
      message: `${what} holds ${column.property}, which has no length: a row whose key exceeds ${bytes(MAX_KEY_BYTES)} is refused.`,
      fix: `Give ${column.property} a length, or ${ofTable ? 'key' : 'index'} a hash of it.`,
    })
  }
  const width = widthOfAll(columns)
  if (width.worst <= MAX_KEY_BYTES) return
  if (!ofTable && widthOfAll(columnsAt(table, table.primaryKey)).worst > MAX_KEY_BYTES) return
  report({
    ...at,
    severity: 'warning',
    message: `${what} ${WIDE_KEY.message(width)}: a row whose key exceeds ${count(MAX_KEY_BYTES)} is refused.`,
    fix: WIDE_KEY.fix,
  })
}

function columnsAt(table: Table, parts: readonly KeyPart[]): Column[] {
  return parts.flatMap(({ property }) => columnOf(table, property) ?? [])
}

/** How many columns of the database a part is: some types and orders are not one. */
function columnsOf(table: Table, { property }: KeyPart, descending: number): number {
  const type = columnOf(table, property)?.type
  if (type?.kind === 'uuid' && type.storage === 'int64-pair') return 2
  const descends = table.primaryKey.some((part) => part.property === property && part.order === 'desc')
  return descends ? descending : 1
}
