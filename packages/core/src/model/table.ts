import type { Column, ColumnDefinition } from './column.js'
import type { KeyPart } from './key.js'
import type { IndexOptions, SecondaryIndex } from './secondary-index.js'
import type { SqlExpression } from './sql-expression.js'

export type OnDelete = 'cascade' | 'no action'

/** A lint rule that does not apply to this table, and why: the reason is for whoever reads the model next. */
export interface LintException {
  readonly rule: string
  /** Limits the exception to one index or one column; absent, it covers the whole table. */
  readonly on?: string
  readonly reason: string
}

export interface Interleaving {
  readonly table: string
  readonly onDelete: OnDelete
  /** Absent: a row needs its parent's row. `false`: it only lies where its parent's row would be. */
  readonly required?: false
}

export interface CheckConstraint {
  readonly name: string
  readonly expression: SqlExpression
}

export interface ForeignKey {
  readonly name: string
  /** Properties of this table. */
  readonly columns: readonly string[]
  readonly table: string
  /** Properties of the other table, in the same order. */
  readonly references: readonly string[]
  readonly onDelete: OnDelete
  /** Absent: enforced. `false`: the database takes it for granted. */
  readonly enforced?: false
}

/** Rows are deleted by the database some days after the time in one of their columns. */
export interface RowDeletion {
  readonly property: string
  readonly days: number
}

/** The load that a table is made for: what the linter and the advice on shard counts reckon with. */
export interface ExpectedLoad {
  /** Rows written per second at the peak. */
  readonly writesPerSecond?: number
  /** The size of a row in bytes. */
  readonly rowBytes?: number
  /** For an interleaved table: how many of its rows one parent row gets, over its life. */
  readonly childrenPerRow?: number
  /** How many nodes the instance is meant to grow to. */
  readonly nodes?: number
  /** Rows read per second at the peak. */
  readonly readsPerSecond?: number
  /** How many rows a partition holds in the end. */
  readonly rowsPerPartition?: number
  /** How many values a column has: of its property, a number. */
  readonly distinct?: Readonly<Record<string, number>>
}

export interface Table {
  /** The name in the database, with its named schema if it is in one: `sales.Order`. */
  readonly name: string
  readonly columns: readonly Column[]
  readonly primaryKey: readonly KeyPart[]
  readonly indexes: readonly SecondaryIndex[]
  readonly parent?: Interleaving
  readonly checks: readonly CheckConstraint[]
  readonly foreignKeys: readonly ForeignKey[]
  readonly rowDeletion?: RowDeletion
  /** Leading properties of the primary key that make the partition key, as declared. Absent: see `partitionLength`. */
  readonly partitionKey?: readonly string[]
  /** Rows vanish so many seconds after they were written, unless a write says otherwise. */
  readonly timeToLive?: number
  /** `own`: an interleaved table has a table of its own, rather than rows in its parent's partition. */
  readonly rows?: 'own'
  readonly expect?: ExpectedLoad
  readonly exceptions: readonly LintException[]
}

export interface ForeignKeyOptions<Property extends string = string> {
  /** Default: the table's name, the properties' and `fk`, joined by `_`. */
  readonly name?: string
  readonly columns: readonly Property[]
  /** `() => Customer`; `self` for the table's own rows, which TypeScript cannot name while it infers their type. */
  readonly references: (() => object) | 'self'
  /** Properties of the other table. Default: its primary key. */
  readonly on?: readonly string[]
  /** Default: `no action`. */
  readonly onDelete?: OnDelete
  /** `false`: the database believes it without a check. GoogleSQL only. Default: true. */
  readonly enforced?: boolean
}

export interface TableOptions<Property extends string = string> {
  /** The parent in whose rows this table's rows live: `() => Customer`. */
  readonly interleaveIn?: () => object
  /** What becomes of the rows when their parent's row is deleted. Default: `no action`. */
  readonly onDelete?: OnDelete
  /** `false`: a row may be there without its parent's row. Default: true. */
  readonly requireParent?: boolean
  /** The key parts in order. Default: the key properties in the order of their declaration. */
  readonly primaryKey?: readonly Property[]
  readonly checks?: readonly { readonly name: string; readonly expression: SqlExpression }[]
  readonly foreignKeys?: readonly ForeignKeyOptions<Property>[]
  /** Let the database delete a row so many days after the time in one of its columns. */
  readonly rowDeletion?: { readonly property: Property; readonly days: number }
  /**
   * The leading key parts that say in which partition a row lies: engines that hash those have no order across partitions.
   * Default: up to the last shard or time bucket, or else the first key part. An interleaved table has its parent's.
   */
  readonly partitionKey?: readonly Property[]
  /** Let rows vanish so many seconds after they were written, unless a write says otherwise. Cassandra, Keyspaces. */
  readonly timeToLive?: number
  /**
   * `own`: on Cassandra, an interleaved table has a table of its own. Default: its rows lie in its parent's partition, whose
   * fields are kept once beside them.
   */
  readonly rows?: 'own'
  /** The load that the table is made for. */
  readonly expect?: ExpectedLoad
  /** Lint rules that do not apply here, each with its reason. */
  readonly except?: readonly LintException[]
}

/** A table as declared: parents are not resolved yet, and nothing is checked. */
export interface TableDefinition {
  readonly name: string
  readonly columns: readonly ColumnDefinition[]
  readonly indexes: readonly IndexOptions[]
  readonly options: TableOptions
}

export function columnOf(table: Pick<Table, 'columns'>, property: string): Column | undefined {
  return table.columns.find((column) => column.property === property)
}

/** The leading key part that shards this table, if it has one. */
export function shardColumnOf(table: Table): Column | undefined {
  const first = table.primaryKey[0]
  const column = first && columnOf(table, first.property)
  return column?.source?.kind === 'shard' ? column : undefined
}

/**
 * How many leading key parts make the partition key: as declared; else up to the last shard or time bucket that is not an
 * interleaved table's own; else the first.
 */
export function partitionLength(
  table: Pick<Table, 'columns' | 'primaryKey' | 'partitionKey' | 'parent'>,
): number {
  if (table.partitionKey) return table.partitionKey.length
  const last = table.primaryKey.findLastIndex(({ property }) => {
    const column = columnOf(table, property)
    const kind = column?.source?.kind
    return (kind === 'shard' || kind === 'time-bucket') && (!table.parent || column!.inherited)
  })
  return Math.max(last, 0) + 1
}
