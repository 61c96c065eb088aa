import {
  type PhysicalColumn,
  type SchemaFinding,
  type StoredRows,
  type Table,
  cellsExpire,
  columnOf,
  partitionLength,
} from '@isotherm/core/engine'
import type { LaidIn } from './types.js'

// An interleaved table is stored in its parent's partition. Cassandra has no tables within tables: the two are one table,
// whose rows are the child's, and whose static columns are the parent's.

/**
 * A static column that is always written with a parent's row. A partition whose other cells are all NULL would not exist,
 * and a child may be written before its parent. Names in a model cannot begin with this character.
 */
const ROW_MARKER = '_row'

/** Which table of the database holds a table's rows, where that is not one of its own. */
export function foldOf(table: Table, schema: LaidIn): StoredRows | undefined {
  const parent = parentOf(table, schema)
  if (parent && folds(table, schema)) return { table: parent.name, as: 'rows beside static' }
  const child = childrenOf(table, schema).find((each) => folds(each, schema))
  return child && { table: table.name, as: 'static' }
}

function folds(child: Table, schema: LaidIn): boolean {
  return child.rows !== 'own' && foldFindings(child, schema).length === 0
}

function parentOf(table: Table, { tables }: LaidIn): Table | undefined {
  return tables.find(({ name }) => name === table.parent?.table)
}

function childrenOf({ name }: Table, { tables }: LaidIn): readonly Table[] {
  return tables.filter(({ parent }) => parent?.table === name)
}

/** The reason why an interleaved table cannot be in its parent's partition, and how to give it a table of its own. */
export function foldFindings(child: Table, schema: LaidIn): SchemaFinding[] {
  const parent = parentOf(child, schema)
  if (!parent || child.rows === 'own') return []
  const own = "Add rows: 'own' to its options: it gets a table of its own with the same partition key."
  const finding = (message: string, fix = own): SchemaFinding[] => [{ table: child.name, message, fix }]
  if (partitionLength(parent) < parent.primaryKey.length) {
    return finding(
      `is interleaved in ${parent.name}, which has several rows in a partition, so that it cannot be stored beside each of them.`,
    )
  }
  const others = childrenOf(parent, schema).filter((each) => each !== child && each.rows !== 'own')
  const [first] = others
  if (first && schema.tables.indexOf(first) < schema.tables.indexOf(child)) {
    return finding(
      `would be stored beside the same static fields of ${parent.name} as the rows of ${first.name}.`,
    )
  }
  if (partitionLength(child) !== parent.primaryKey.length) {
    return finding(
      `has another partition key than ${parent.name}, in whose partition its rows would be stored.`,
      `Give it that of ${parent.name}. ${own}`,
    )
  }
  // Static columns are stored once for a partition: a partition without a clustering column cannot have them.
  if (child.primaryKey.length === parent.primaryKey.length) {
    return finding(
      `has no key part of its own, which the rows beside the static fields of ${parent.name} need.`,
      `Put its columns into ${parent.name}. ${own}`,
    )
  }
  const spread = child.primaryKey.slice(parent.primaryKey.length).find(({ property }) => {
    const kind = columnOf(child, property)?.source?.kind
    return kind === 'shard' || kind === 'time-bucket'
  })
  if (spread) {
    return [
      {
        table: child.name,
        column: spread.property,
        message: `spreads rows over partitions, but all rows of the table are in the partition of one row of ${parent.name}.`,
        fix: `Remove it. ${own} Then name it in the partitionKey.`,
      },
    ]
  }
  if (parent.ttlSeconds !== child.ttlSeconds) {
    return finding(
      `has another time to live than ${parent.name}, with which it shares a table.`,
      `Give both the same. ${own}`,
    )
  }
  if (cellsExpire(parent) !== cellsExpire(child)) {
    const [expires, stays] = cellsExpire(parent) ? [parent, child] : [child, parent]
    return finding(
      `shares a table with ${parent.name}, but only rows of ${expires.name} expire.`,
      `Add writesExpire: true to ${stays.name}. ${own}`,
    )
  }
  return sharedNames(parent, child).map((column) => ({
    table: child.name,
    column: column.property,
    message: `has the name ${column.name}, which ${parent.name} has too: the two share a table.`,
    fix: `Give one of them another name. ${own}`,
  }))
}

/** Columns of a child, its key parts from the parent left out, that have the name of one of the parent's. */
function sharedNames(parent: Table, child: Table): Table['columns'] {
  const taken = new Set(parent.columns.map(({ name }) => name))
  return child.columns.filter(({ name, inherited }) => !inherited && taken.has(name))
}

/** The marker as a column, which reads ask for and writes set. */
export const ROW_MARKER_COLUMN: PhysicalColumn = {
  name: ROW_MARKER,
  type: { kind: 'bool' },
  nullable: true,
  written: true,
  encode: (value) => value as boolean,
}
