import { isDeepStrictEqual } from 'node:util'
import type { CompiledTable } from '../../rows/compiled-table.js'
import type { KeyRange, QueryPartitionRequest, ReadQueryPartitionOptions } from '../../engine/driver.js'
import type { Statement } from '../../layout/statement.js'
import { IsothermError } from '../../errors.js'
import { describeType } from '../../model/column-type.js'
import { type DescribedCondition, type Secret, isSealed, sealOf } from '../plan/cursor.js'

const VERSION = 1

/** What a query partition reads: key ranges of the table, or all of it, or a statement. */
export type QueryPartitionSource =
  | { readonly ranges?: readonly KeyRange[]; readonly filter?: DescribedCondition }
  | { readonly statement: Statement }

/** How its reader is to read it, if that says nothing else. */
type QueryPartitionCall = Pick<ReadQueryPartitionOptions, 'dataBoost' | 'priority' | 'tag' | 'directedReads'>

/**
 * One query partition of a fan-out, as plain data: `JSON.stringify` it, send it elsewhere, and read it there with
 * `db.readQueryPartition`. It holds the values that the query filters by, and can be read by any process that may read the database.
 */
export interface QueryPartition extends QueryPartitionCall {
  readonly version: typeof VERSION
  readonly table: string
  /** Its columns and their types. A process that has others cannot read the query partition. */
  readonly columns: readonly string[]
  /** The timestamp of all query partitions, to the nanosecond. */
  readonly readTimestamp: string
  readonly source: QueryPartitionSource
  /** The engine's own name for it. */
  readonly token: string
  /** A checksum; a signature where the database has a `cursorSecret`. */
  readonly seal: string
}

/** A query partition that was passed on as it was made. */
type Unsealed = Omit<QueryPartition, 'seal'>

export function makeQueryPartition(
  table: CompiledTable,
  content: Omit<Unsealed, 'version' | 'table' | 'columns'>,
  secrets: readonly Secret[] | undefined,
): QueryPartition {
  const partition: Unsealed = {
    version: VERSION,
    table: table.layout.table.name,
    columns: columnsOf(table),
    ...content,
  }
  return { ...partition, seal: sealOf(canonical(partition), secrets) }
}

/**
 * @throws {IsothermError} `INVALID_QUERY_PARTITION` for a value that is not a query partition, was changed, comes from another
 * version, or was signed with a secret that this process does not have.
 */
export function openQueryPartition(value: unknown, secrets: readonly Secret[] | undefined): Unsealed {
  if (typeof value !== 'object' || value === null || !('seal' in value) || typeof value.seal !== 'string') {
    throw invalid('This is not a query partition of a fan-out.', AS_RETURNED)
  }
  const { seal, ...partition } = value as QueryPartition
  if ((partition.version as unknown) !== VERSION) {
    throw invalid(
      `The query partition has version ${String(partition.version)}, not ${VERSION}.`,
      'Make and read query partitions with the same version of Isotherm.',
    )
  }
  if (!isSealed(canonical(partition), seal, secrets)) {
    throw secrets === undefined || secrets.length === 0
      ? invalid('The query partition is damaged.', AS_RETURNED)
      : invalid(
          'The query partition is damaged, or was signed with another cursorSecret.',
          `${AS_RETURNED} All processes need the same cursorSecret.`,
        )
  }
  return partition
}

/** @throws {IsothermError} `INVALID_QUERY_PARTITION` for a query partition of another table, or of the same one with other columns. */
export function checkTable(partition: Unsealed, table: CompiledTable): void {
  const { name } = table.layout.table
  if (partition.table !== name) {
    throw invalid(
      `The query partition is one of ${partition.table}, not of ${name}.`,
      `Read it with readQueryPartition(${JSON.stringify(partition.table)}, part), or its model.`,
      name,
    )
  }
  const columns = columnsOf(table)
  if (isDeepStrictEqual(partition.columns, columns)) return
  throw invalid(
    `The query partition of ${name} was made with other columns: ${others(partition.columns, columns)}; this process has ${others(columns, partition.columns)}.`,
    'Make and read query partitions with the same schema.',
    name,
  )
}

/** The columns that the other list lacks. */
function others(columns: readonly string[], than: readonly string[]): string {
  return columns.filter((each) => !than.includes(each)).join(', ') || 'the same in another order'
}

/** The request to the driver: the same as when the query was split, in every process. */
export function queryPartitionRequest(
  { source }: Pick<QueryPartition, 'source'>,
  table: CompiledTable,
): QueryPartitionRequest {
  const { codec, layout } = table
  if ('statement' in source) return { kind: 'query', statement: source.statement, types: codec.types }
  const { ranges } = source
  return {
    kind: 'read',
    read: { layout, columns: codec.columns, ...(ranges && { ranges }) },
  }
}

function columnsOf({ codec }: CompiledTable): readonly string[] {
  return codec.columns.map(({ name, type }) => `${name} ${describeType(type)}`)
}

const AS_RETURNED = 'Pass query partitions on unchanged, as queryPartitions() returned them.'

function invalid(what: string, fix: string, table?: string): IsothermError {
  return new IsothermError('INVALID_QUERY_PARTITION', what, { fix, ...(table !== undefined && { table }) })
}

/** The same text whatever order a store gives the properties back in. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}
