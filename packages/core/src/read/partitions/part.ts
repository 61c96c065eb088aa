import { isDeepStrictEqual } from 'node:util'
import type { CompiledTable } from '../../rows/compiled-table.js'
import type { KeyRange, PartRequest, ReadQueryPartitionOptions } from '../../engine/driver.js'
import type { Statement } from '../../layout/statement.js'
import { IsothermError } from '../../errors.js'
import { describeType } from '../../model/column-type.js'
import { type DescribedCondition, type Secret, isSealed, sealOf } from '../plan/cursor.js'

const VERSION = 1

/** What a query partition reads: key ranges of the table, or all of it, or a statement. */
export type PartSource =
  | { readonly ranges?: readonly KeyRange[]; readonly filter?: DescribedCondition }
  | { readonly statement: Statement }

/** How its reader is to read it, if that says nothing else. */
type PartManner = Pick<ReadQueryPartitionOptions, 'dataBoost' | 'priority' | 'tag' | 'directedReads'>

/**
 * One query partition of a fan-out, as plain data: `JSON.stringify` it, send it elsewhere, and read it there with
 * `db.readQueryPartition`. It holds the values that the query filters by, and can be read by any process that may read the database.
 */
export interface QueryPartition extends PartManner {
  readonly version: typeof VERSION
  readonly table: string
  /** Its columns and their types. A process that has others cannot read the part. */
  readonly columns: readonly string[]
  /** The timestamp of all query partitions, to the nanosecond. */
  readonly readTimestamp: string
  readonly source: PartSource
  /** The engine's own name for it. */
  readonly token: string
  /** A checksum; a signature where the database has a `cursorSecret`. */
  readonly seal: string
}

/** A part that was passed on as it was made. */
type Unsealed = Omit<QueryPartition, 'seal'>

export function makePart(
  table: CompiledTable,
  content: Omit<Unsealed, 'version' | 'table' | 'columns'>,
  secrets: readonly Secret[] | undefined,
): QueryPartition {
  const part: Unsealed = {
    version: VERSION,
    table: table.layout.table.name,
    columns: columnsOf(table),
    ...content,
  }
  return { ...part, seal: sealOf(canonical(part), secrets) }
}

/**
 * @throws {IsothermError} `INVALID_PART` for a value that is not a query partition, was changed, comes from another
 * version, or was signed with a secret that this process does not have.
 */
export function openPart(given: unknown, secrets: readonly Secret[] | undefined): Unsealed {
  if (typeof given !== 'object' || given === null || !('seal' in given) || typeof given.seal !== 'string') {
    throw invalid('This is no part of a fan-out.', AS_RETURNED)
  }
  const { seal, ...part } = given as QueryPartition
  if ((part.version as unknown) !== VERSION) {
    throw invalid(
      `The part has version ${String(part.version)}, not ${VERSION}.`,
      'Make and read parts with the same version of Isotherm.',
    )
  }
  if (!isSealed(canonical(part), seal, secrets)) {
    throw secrets === undefined || secrets.length === 0
      ? invalid('The part is damaged.', AS_RETURNED)
      : invalid(
          'The part is damaged, or was not signed here.',
          `${AS_RETURNED} All processes need the same cursorSecret.`,
        )
  }
  return part
}

/** @throws {IsothermError} `INVALID_PART` for a part of another table, or of the same one with other columns. */
export function checkTable(part: Unsealed, table: CompiledTable): void {
  const { name } = table.layout.table
  if (part.table !== name) {
    throw invalid(
      `The part is one of ${part.table}, not of ${name}.`,
      `Read it with readQueryPartition(${JSON.stringify(part.table)}, part), or its model.`,
      name,
    )
  }
  const columns = columnsOf(table)
  if (isDeepStrictEqual(part.columns, columns)) return
  throw invalid(
    `The part of ${name} was made with other columns: ${others(part.columns, columns)}; here: ${others(columns, part.columns)}.`,
    'Make and read parts with the same schema.',
    name,
  )
}

/** The columns that the other list lacks. */
function others(columns: readonly string[], than: readonly string[]): string {
  return columns.filter((each) => !than.includes(each)).join(', ') || 'the same in another order'
}

/** The request to the driver: the same as when the query was split, in every process. */
export function partRequest({ source }: Pick<QueryPartition, 'source'>, table: CompiledTable): PartRequest {
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

const AS_RETURNED = 'Pass parts on just as queryPartitions() returned them.'

function invalid(what: string, fix: string, table?: string): IsothermError {
  return new IsothermError('INVALID_PART', what, { fix, ...(table !== undefined && { table }) })
}

/** The same text whatever order a store gives the properties back in. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}
