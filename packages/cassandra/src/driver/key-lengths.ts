import { Buffer } from 'node:buffer'
import {
  IsothermError,
  type Mutation,
  type PhysicalKeyPart,
  type TableLayout,
  type Wire,
} from '@isotherm/core/engine'
import type { CqlLimits } from '../cql/capabilities.js'
import { bytesOf } from './encoding.js'

// A conditional write is checked by Paxos, and Cassandra then accepts longer clustering values than in any other statement: a
// row would come to be that cannot be deleted.

/** Whose limits they are. */
interface KeyLimits {
  /** The engine's, for messages. */
  readonly name: string
  readonly has: { readonly limits: CqlLimits }
}

/** @throws {IsothermError} `INVALID_VALUE` for a row whose key is longer than the engine allows. */
export function checkKeyLengths(mutation: Mutation, engine: KeyLimits): void {
  const { layout } = mutation
  if (!layout) return
  if (mutation.op === 'delete') {
    for (const key of mutation.keys) checkKeyLength(layout, key, engine)
    return
  }
  const positions = layout.key.map(({ column }) => mutation.columns.indexOf(column.name))
  for (const row of mutation.rows) {
    // Static columns alone are written without the columns of a row.
    const key = positions.map((position) => row[position] ?? null)
    checkKeyLength(layout, key, engine)
  }
}

/** @throws {IsothermError} `INVALID_VALUE` for a key that is longer than the engine allows. */
export function checkKeyLength(layout: TableLayout, key: readonly Wire[], engine: KeyLimits): void {
  const { partitionKeyBytes, partitionColumnBytes, clusteringBytes } = engine.has.limits
  const { partition = layout.key.length } = layout
  const added = partition > 1 ? partition * partitionColumnBytes : 0
  checkPart(layout, key, [0, partition], { what: 'partition key', added, max: partitionKeyBytes }, engine)
  checkPart(
    layout,
    key,
    [partition, layout.key.length],
    { what: 'clustering key', added: 0, max: clusteringBytes },
    engine,
  )
}

interface KeyLimit {
  readonly what: string
  /** Bytes beside those of the values. */
  readonly added: number
  readonly max: number
}

function checkPart(
  layout: TableLayout,
  key: readonly Wire[],
  [from, to]: readonly [number, number],
  { what, added, max }: KeyLimit,
  engine: KeyLimits,
): void {
  let upper = added
  for (let at = from; at < to; at++) upper += atMost(key[at] ?? null)
  // Almost every key ends here, and was not encoded.
  if (upper <= max) return
  let all = added
  let longest: { readonly part: PhysicalKeyPart; readonly length: number } | undefined
  for (let at = from; at < to; at++) {
    const part = layout.key[at]!
    const length = lengthOf(part, key[at] ?? null)
    all += length
    if (!longest || length > longest.length) longest = { part, length }
  }
  if (all <= max || !longest) return
  const { property } = longest.part.field.column
  const table = layout.table.name
  throw new IsothermError(
    'INVALID_VALUE',
    `${table}.${property} makes a ${what} of ${all} bytes, and ${engine.name} accepts ${max} at most.`,
    { fix: 'Give a shorter value, or put a hash of it into the key instead.', table, column: property },
  )
}

/** More than any number, time or UUID has. */
const FIXED = 16

/** No fewer bytes than the wire has when it is encoded. */
function atMost(wire: Wire): number {
  if (typeof wire === 'string') return 3 * wire.length + FIXED
  if (!Array.isArray(wire)) return FIXED
  let upper = FIXED
  // Each part has its length before it.
  for (const part of wire as readonly Wire[]) upper += 4 + atMost(part)
  return upper
}

function lengthOf({ column: { type } }: PhysicalKeyPart, wire: Wire): number {
  if (wire === null) return 0
  const isText = type.kind === 'string' || type.kind === 'ascii'
  return isText ? Buffer.byteLength(wire as string, 'utf8') : bytesOf(type, wire).length
}
