import type { RecordedBy } from '../copies.js'
import {
  either,
  flag,
  listOf,
  number,
  numberFrom,
  oneOf,
  options,
  recordOf,
  required,
  text,
  type OptionKinds,
  type OptionMistake,
} from '../options.js'
import type { Column, ColumnDefinition } from './column.js'
import { model, onDelete, orderedProperties, properties, property, sql } from './declaration-kinds.js'
import type { KeyPart } from './key.js'
import type { Origin } from './origin.js'
import type { IndexOptions, SecondaryIndex } from './secondary-index.js'
import type { SqlExpression } from './sql-expression.js'

export type OnDelete = 'cascade' | 'no action'

/** A lint rule that does not apply to this table, and why: the reason is for the next reader of the model. */
export interface Suppression {
  readonly rule: string
  /** Limits the suppression to one index or one column; absent, it covers the whole table. */
  readonly on?: string
  readonly reason: string
}

export interface Interleaving {
  readonly table: string
  readonly onDelete: OnDelete
  /** Absent: a row needs its parent's row. `false`: it is only stored where its parent's row would be. */
  readonly required?: false
}

/**
 * A column that Isotherm does not model, such as one of type TOKENLIST: its definition is kept, compared and compiled as
 * text. It is not a property: rows do not have it, and writes cannot name it.
 */
export interface OpaqueColumn {
  readonly name: string
  /** What follows the name in DDL: `TOKENLIST AS (TOKENIZE_FULLTEXT(Title)) HIDDEN`. */
  readonly definition: SqlExpression
  /** The name of the column that it precedes in the table. Absent: it comes last. */
  readonly before?: string
}

interface CheckConstraint {
  readonly name: string
  /** The database made the name up: DDL leaves it out. */
  readonly unnamed?: true
  readonly expression: SqlExpression
}

export interface ForeignKey {
  readonly name: string
  /** The database made the name up: DDL leaves it out. */
  readonly unnamed?: true
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

/** The load that a table is made for: the linter and the advice on shard counts compute with it. */
export interface Workload {
  /** Rows written per second at the peak. */
  readonly writesPerSecond?: number
  /** The size of a row in bytes. */
  readonly rowBytes?: number
  /** For an interleaved table: how many of its rows one parent row gets, over its life. */
  readonly childrenPerRow?: number
  /** For an interleaved table: how many of its rows are written per second under the busiest row of the root table. */
  readonly writesPerRootRow?: number
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
  /** Absent: there are none. */
  readonly opaqueColumns?: readonly OpaqueColumn[]
  readonly primaryKey: readonly KeyPart[]
  readonly indexes: readonly SecondaryIndex[]
  readonly parent?: Interleaving
  readonly checks: readonly CheckConstraint[]
  readonly foreignKeys: readonly ForeignKey[]
  readonly rowDeletion?: RowDeletion
  /** Leading properties of the primary key that make the partition key, as declared. Absent: see `partitionLength`. */
  readonly partitionKey?: readonly string[]
  /** Rows expire this many seconds after they were written, unless a write says otherwise. */
  readonly ttlSeconds?: number
  /** A write may set when its cells expire. */
  readonly writesExpire?: true
  /** `own`: an interleaved table has a table of its own, rather than rows in its parent's partition. */
  readonly rows?: 'own'
  readonly workload?: Workload
  readonly suppressions: readonly Suppression[]
}

export interface CheckOptions {
  readonly name: string
  readonly expression: SqlExpression
  /** `true`: the database made the name up, and DDL leaves it out. Default: false. */
  readonly unnamed?: boolean
}

export interface ForeignKeyOptions<Property extends string = string> {
  /** Default: the table's name, the properties' and `fk`, joined by `_`. */
  readonly name?: string
  /** `true`: the database made the name up, and DDL leaves it out. Default: false. */
  readonly unnamed?: boolean
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
  /**
   * Columns that Isotherm does not model, such as those of type TOKENLIST: DDL of your own, which rows do not have. Spanner
   * only.
   */
  readonly opaqueColumns?: readonly OpaqueColumn[]
  readonly checks?: readonly CheckOptions[]
  readonly foreignKeys?: readonly ForeignKeyOptions<Property>[]
  /** Lets the database delete a row this many days after the time in one of its columns. */
  readonly rowDeletion?: { readonly property: Property; readonly days: number }
  /**
   * The leading key parts that say in which partition a row lies: engines that hash those have no order across partitions.
   * Default: up to the last shard or time bucket, or else the first key part. An interleaved table has its parent's.
   */
  readonly partitionKey?: readonly Property[]
  /**
   * Lets rows expire this many seconds after they were written, unless a write says otherwise. A row is gone once one of
   * its columns that cannot be NULL is. Cassandra and Keyspaces only.
   */
  readonly ttlSeconds?: number
  /**
   * Lets each write set after how many seconds its cells expire: its `ttlSeconds`. Tables with `ttlSeconds` allow that anyway. A
   * row is gone once one of its columns that cannot be NULL is. Default: false. Cassandra and Keyspaces only.
   */
  readonly writesExpire?: boolean
  /**
   * `own`: on Cassandra, an interleaved table has a table of its own. Default: its rows are stored in its parent's
   * partition, whose fields are kept once beside them.
   */
  readonly rows?: 'own'
  /** The load that the table is made for. */
  readonly workload?: Workload
  /** Lint rules that do not apply to this table, each with its reason. */
  readonly suppress?: readonly Suppression[]
}

const FOREIGN_KEY: OptionKinds<ForeignKeyOptions> = {
  name: text("'OrderCustomer'"),
  unnamed: flag,
  columns: required(properties),
  references: required(
    either("a function that returns a model: () => Customer, or 'self'", model, oneOf('self')),
  ),
  on: properties,
  onDelete,
  enforced: flag,
}
const OPAQUE_COLUMN: OptionKinds<OpaqueColumn> = {
  name: required(text("'TitleTokens'")),
  definition: required(sql),
  before: text("'Year'"),
}
const CHECK: OptionKinds<CheckOptions> = {
  name: required(text("'AmountIsPositive'")),
  expression: required(sql),
  unnamed: flag,
}
const load = numberFrom(0)
const EXPECTED_LOAD: OptionKinds<Workload> = {
  writesPerSecond: load,
  rowBytes: load,
  childrenPerRow: load,
  writesPerRootRow: load,
  nodes: load,
  readsPerSecond: load,
  rowsPerPartition: load,
  distinct: recordOf(load),
}
const SUPPRESSION: OptionKinds<Suppression> = {
  rule: required(text("'monotonic-index'")),
  on: text("'orderedAt'"),
  reason: required(text("'a row a day'")),
}
export const TABLE: OptionKinds<TableOptions> = {
  interleaveIn: model,
  onDelete,
  requireParent: flag,
  primaryKey: orderedProperties,
  opaqueColumns: listOf(options(OPAQUE_COLUMN)),
  checks: listOf(options(CHECK)),
  foreignKeys: listOf(options(FOREIGN_KEY)),
  rowDeletion: options(
    { property: required(property), days: required(number) },
    "{ property: 'at', days: 30 }",
  ),
  partitionKey: orderedProperties,
  ttlSeconds: number,
  writesExpire: flag,
  rows: oneOf('own'),
  workload: options(EXPECTED_LOAD, '{ writesPerSecond: 1000 }'),
  suppress: listOf(options(SUPPRESSION)),
}

/** A table as declared: parents are not resolved yet, and nothing is checked. */
export interface TableDefinition extends RecordedBy {
  readonly name: string
  readonly columns: readonly ColumnDefinition[]
  readonly indexes: readonly IndexOptions[]
  readonly options: TableOptions
  /** The mistakes in its arguments: `defineSchema` refuses it. */
  readonly mistakes?: readonly OptionMistake[]
  readonly origin: Origin
}

export function columnOf(table: Pick<Table, 'columns'>, property: string): Column | undefined {
  return table.columns.find((column) => column.property === property)
}

/**
 * The column of this property that a shard, a hash or a bucket is computed from. An inherited one is computed from columns of
 * the parent: a child's own column of the same name is another one.
 */
export function sourceColumn(
  table: Pick<Table, 'columns'>,
  { inherited }: Pick<Column, 'inherited'>,
  property: string,
): Column | undefined {
  const column = columnOf(table, property)
  return column && (column.inherited || !inherited) ? column : undefined
}

/** Whether written cells may expire: one cell of a row earlier than another, if they were written separately. */
export function cellsExpire({
  ttlSeconds,
  writesExpire,
}: Pick<Table, 'ttlSeconds' | 'writesExpire'>): boolean {
  return ttlSeconds !== undefined || writesExpire === true
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
    return (kind === 'shard' || kind === 'time-bucket') && (!table.parent || column?.inherited === true)
  })
  return Math.max(last, 0) + 1
}
