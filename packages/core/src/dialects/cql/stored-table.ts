import type { Order } from '../../model/key.js'
import type { PhysicalColumn, TableLayout } from '../layout.js'
import { storedTable } from '../layout.js'
import type { WireType } from '../wire.js'
import { ROW_MARKER_COLUMN } from './row-marker.js'

export interface StoredColumn {
  readonly name: string
  readonly type: WireType
  /** One value for all rows of a partition. */
  readonly static?: true
}

/** A table of the database: that of one model, or of a parent and the child whose rows lie in its partitions. */
export interface StoredTable {
  readonly name: string
  /** The layouts whose rows it holds, a parent's before its child's. */
  readonly layouts: readonly TableLayout[]
  /** Partition key, clustering columns, static columns, and the rest. */
  readonly columns: readonly StoredColumn[]
  readonly key: readonly { readonly name: string; readonly order: Order }[]
  /** How many leading columns of the key make the partition key. */
  readonly partition: number
  /** In seconds. */
  readonly timeToLive?: number
}

/**
 * The tables of the database that hold these layouts' rows, in the layouts' order.
 *
 * @param layouts those of all tables of a schema: a parent and its child make one table together
 */
export function storedTables(layouts: readonly TableLayout[]): readonly StoredTable[] {
  const families = new Map<string, TableLayout[]>()
  for (const layout of layouts) {
    const name = storedTable(layout)
    const family = families.get(name)
    if (family) family.push(layout)
    else families.set(name, [layout])
  }
  return [...families].map(([name, family]) => storedOf(name, family))
}

function storedOf(name: string, family: readonly TableLayout[]): StoredTable {
  const parent = family.find(({ stored }) => stored?.as === 'static')
  // The child's key begins with the parent's; without a child's layout the parent's is all there is.
  const rows = family.find((layout) => layout !== parent) ?? family[0]!
  const { key, partition = key.length } = rows
  const inKey = new Set(key.map(({ column }) => column.name))
  const kept = (layout: TableLayout, isStatic: boolean): PhysicalColumn[] =>
    layout.fields
      .filter(({ column }) => (layout === parent || column.static === true) === isStatic)
      .flatMap(({ physical }) => physical)
      .filter((column) => !inKey.has(column.name))
  const columns: StoredColumn[] = [
    ...key.map(({ column }) => plain(column)),
    ...(parent ? [{ ...plain(ROW_MARKER_COLUMN), static: true as const }] : []),
    ...family
      .flatMap((layout) => kept(layout, true))
      .map((column) => ({ ...plain(column), static: true as const })),
    ...family.flatMap((layout) => kept(layout, false)).map(plain),
  ]
  const { timeToLive } = rows.table
  return {
    name,
    layouts: parent ? [parent, ...family.filter((layout) => layout !== parent)] : family,
    columns,
    key: key.map(({ column, order }) => ({ name: column.name, order })),
    partition,
    ...(timeToLive !== undefined && { timeToLive }),
  }
}

function plain({ name, type }: PhysicalColumn): StoredColumn {
  return { name, type }
}
