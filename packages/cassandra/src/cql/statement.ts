import {
  type DialectRuntime,
  type KeyRange,
  type Mutation,
  type PhysicalColumn,
  type Statement,
  type TableLayout,
  type Wire,
  isRuntime,
} from '@isotherm/core/engine'
import type { CqlCapabilities } from './capabilities.js'

export interface CqlStatement extends Statement {
  /** Whether it may be sent again, also to another node. Not: conditions, counters, lists that are appended to. */
  readonly idempotent: boolean
  readonly kind: 'read' | 'write' | 'conditional' | 'counter'
  /** Places of the parameters that make the partition key: for routing, and for grouping. */
  readonly routing: readonly number[]
  /**
   * Indexes of parameters that exist only for the shape of the text: they are left unset, so that nothing is written, not
   * even NULL.
   */
  readonly unset?: readonly number[]
  /**
   * The same update under other conditions, to be tried in this order where the row is there and the columns by which it is
   * found are NULL, as they are to be. Absent: none.
   */
  readonly instead?: readonly CqlStatement[]
}

export interface CqlRead extends CqlStatement {
  /** The returned columns: the requested ones, and after them those that `present` may need. */
  readonly columns: readonly PhysicalColumn[]
  /** How many of them were requested. */
  readonly requestedCount: number
  /**
   * Indexes of columns. If one of them is NULL, the row does not belong to this table: it is what another table has in the
   * same partition, the static columns of a partition without rows, or the rest of an expired row. Such a row is not
   * returned.
   */
  readonly present: readonly number[]
  /** Places of columns that cannot be NULL, in rows that do not expire. */
  readonly required: readonly number[]
  readonly layout: TableLayout
}

export interface WriteClauses {
  readonly ttlSeconds?: number
  readonly writeTime?: bigint
  readonly conditional: boolean
}

/** The statements that Isotherm needs of CQL. Parameters are `?`, in order. */
export interface CqlStatements {
  get(layout: TableLayout, columns: readonly PhysicalColumn[], key: readonly Wire[]): CqlRead
  /**
   * In order: the next is needed only where those before have given fewer rows than wanted. None where the range holds no
   * key.
   *
   * @throws {IsothermError} `UNSUPPORTED_QUERY` for a range that is not within one partition.
   */
  range(
    layout: TableLayout,
    columns: readonly PhysicalColumn[],
    range: KeyRange,
    limit: number | undefined,
    reversed: boolean,
  ): readonly CqlRead[]
  /** A statement for each row of a mutation. */
  write(mutation: Mutation, clauses: WriteClauses): readonly CqlStatement[]
  /**
   * A write of one row with the condition that these columns have these values. `null` is `IF NOT EXISTS` for an insert,
   * and `IF EXISTS` for others. An insert with expected values is for a row that may exist: it is an update.
   */
  writeIf(
    mutation: Mutation,
    condition: Readonly<Record<string, Wire>> | null,
    clauses: Pick<WriteClauses, 'ttlSeconds'>,
  ): CqlStatement
  add(layout: TableLayout, key: readonly Wire[], amounts: ReadonlyMap<PhysicalColumn, bigint>): CqlStatement
}

/** The part that runs of a dialect of CQL. */
export interface CqlDialectRuntime extends DialectRuntime {
  readonly sql?: never
  readonly cql: CqlParts
}

/** What only CQL has. */
export interface CqlParts {
  /** For messages: `Cassandra`. */
  readonly engine: string
  readonly has: CqlCapabilities
  readonly statements: CqlStatements
}

/** Whether the value is a CQL dialect, or its runtime part. */
export function isCqlRuntime(value: unknown): value is CqlDialectRuntime {
  return isRuntime(value) && 'cql' in value
}
