import type { Field, IndexLayout, PhysicalColumn, TableLayout, Wire, WireType } from './layout.js'

export type Comparison = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte'

/**
 * A filter over one table, checked and ready: turned into SQL by the dialect, into a predicate by the merge, into shards
 * and key ranges by the planner. Each comparison is unknown where the column is NULL, as in SQL.
 */
export type Condition =
  | {
      readonly kind: 'compare'
      readonly field: Field
      readonly op: Comparison
      readonly value: unknown
      readonly wires: readonly Wire[]
    }
  | {
      readonly kind: 'in'
      readonly field: Field
      readonly values: readonly unknown[]
      readonly wires: readonly (readonly Wire[])[]
    }
  | { readonly kind: 'null'; readonly field: Field }
  | { readonly kind: 'prefix'; readonly field: Field; readonly value: string }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }

export interface OrderTerm {
  readonly field: Field
  readonly order: 'asc' | 'desc'
}

/** A position in an order: the values of one row's order terms, as stored. */
export type Position = readonly (readonly Wire[])[]

export interface ColumnValue {
  readonly column: PhysicalColumn
  readonly value: Wire
}

/** Keys from `start` to `end`; a bound may be a prefix of a key, and stands for all the keys that start with it. */
export interface KeyRange {
  readonly start: readonly Wire[]
  readonly startOpen: boolean
  readonly end: readonly Wire[]
  readonly endOpen: boolean
}

/**
 * Rows to write, by the names of their columns. Without a layout the table does not belong to a model; this works for
 * engines that need no more than its name.
 */
export type Mutation =
  | {
      readonly op: 'insert' | 'update' | 'upsert'
      readonly table: string
      readonly layout?: TableLayout
      readonly columns: readonly string[]
      readonly rows: readonly (readonly Wire[])[]
      /** No row with these keys can be there: their UUIDs were made just now. Such an insert needs no condition. */
      readonly fresh?: true
      /**
       * For an update of one row: the required values of columns outside its key from which a key part is computed. They do
       * not change, and a row in which they have other values is another row.
       */
      readonly found?: readonly ColumnValue[]
    }
  | {
      readonly op: 'delete'
      readonly table: string
      readonly layout?: TableLayout
      readonly keys: readonly (readonly Wire[])[]
    }

export interface Parameter {
  readonly name: string
  readonly type: WireType
  readonly value: Wire
}

export interface Statement {
  readonly text: string
  readonly parameters: readonly Parameter[]
}

/** Which rows of one table, in which order. */
export interface Selection {
  readonly layout: TableLayout
  /** Read the table by this index, whose shards are meant then. */
  readonly index?: IndexLayout
  /** Only these shards; absent, the whole table. */
  readonly shards?: readonly number[]
  readonly condition?: Condition
  readonly order: readonly OrderTerm[]
  readonly after?: Position
  readonly limit?: number
}

/** Rows of a table, or of an index, that has shards: of these ones. */
export interface ShardSelection extends Selection {
  readonly shards: readonly number[]
}

/** Rows whose key begins with that of another table's row. */
export interface ChildSelection extends Selection {
  /** The columns that they have from their parents. */
  readonly parentKey: readonly PhysicalColumn[]
  readonly parents: readonly (readonly Wire[])[]
}

/**
 * `values` is the array of all values, NULLs included: for aggregates that an engine computes wrongly, so that the client
 * does.
 */
export type AggregateFunction = 'count' | 'countDistinct' | 'sum' | 'avg' | 'min' | 'max' | 'values'

/** A column by which rows are grouped. */
export interface GroupColumn {
  readonly column: PhysicalColumn
  /** Take its text, for numbers that an engine cannot group. */
  readonly asText: boolean
  /** The column of the result. Isotherm chooses its name. */
  readonly as: PhysicalColumn
}

/** A column that is computed over the rows of each group. */
export interface Measure {
  readonly compute: AggregateFunction
  /** The columns of one value; none for `count`, which counts rows. */
  readonly columns: readonly PhysicalColumn[]
  /** As for a group. */
  readonly asText: boolean
  readonly as: PhysicalColumn
}

/** Which values are computed over which rows; without groups, over all of them at once. */
export interface Aggregation {
  readonly rows: Selection
  readonly groups: readonly GroupColumn[]
  readonly measures: readonly Measure[]
  /** Which groups, in which order: of the columns of the result. */
  readonly having?: Condition
  readonly order: readonly OrderTerm[]
  readonly limit?: number
}

/** A row to be written, as stored; `undefined` leaves the column to the database's default. */
export type WireRow = readonly (Wire | undefined)[]

/** The statements that Isotherm needs, in one dialect's syntax. */
export interface Statements {
  /** One row or many of the same columns; gives `returning` back, a row each. */
  insert(
    layout: TableLayout,
    columns: readonly PhysicalColumn[],
    rows: readonly WireRow[],
    returning: readonly PhysicalColumn[],
  ): Statement
  /** Undefined where the dialect has no such statement for this table. */
  upsert(
    layout: TableLayout,
    columns: readonly PhysicalColumn[],
    rows: readonly WireRow[],
  ): Statement | undefined
  update(
    layout: TableLayout,
    changes: readonly ColumnValue[],
    key: readonly Wire[],
    /** The required values of the row besides its key. Absent: any. */
    found?: readonly ColumnValue[],
  ): Statement
  delete(layout: TableLayout, key: readonly Wire[]): Statement
  /** The row with this key, which is to be changed: other transactions wait for this one. */
  getLocked(layout: TableLayout, key: readonly Wire[]): Statement
  /** The next numbers of one of the database's own sequences: a row each. */
  sequenceNumbers(sequence: string, count: number): Statement
  select(selection: Selection): Statement
  /** How many shards `selectPerShard` may name at once. */
  shardsPerStatement(selection: ShardSelection): number
  /** The limit is pushed into each shard, so that no shard returns more rows than the whole result needs. */
  selectPerShard(selection: ShardSelection): Statement
  /** How many parents `selectPerParent` may name at once. */
  parentsPerStatement(selection: Omit<ChildSelection, 'parents'>): number
  /** The children of several parents, each with filter, order and limit of its own; in no order over all. */
  selectPerParent(selection: ChildSelection): Statement
  /** A row for each group: its columns in the order of the groups, then of the measures. */
  aggregate(aggregation: Aggregation): Statement
  /** Whether the dialect has MIN and MAX of this type. */
  hasExtremes(type: WireType): boolean
}
