import { IsothermError } from '../errors.js'
import type { Condition, OrderTerm, Position } from '../dialects/condition.js'
import type { TableLayout } from '../dialects/layout.js'
import { preciseDate } from '../keys/precise-date.js'
import { describeCondition } from './describe.js'
import { rowAt } from './order.js'
import { checksum, isSealed, SEAL_LENGTH, sealOf, type Secret } from './seal.js'

// A cursor is a position in a query's order, not the state of its shards: it outlives restarts and new shards, and rows
// inserted meanwhile move nothing.

const VERSION = 1

export interface CursorContent {
  readonly position: Position
  /** The moment of a pinned query. */
  readonly readTimestamp?: Date
}

/** Tells queries apart whose cursors must not be mixed up: table, filter and order, but not the page size. */
export function queryFingerprint(
  layout: TableLayout,
  condition: Condition | undefined,
  order: readonly OrderTerm[],
): string {
  const query = [
    layout.table.name,
    condition ? describeCondition(condition) : null,
    order.map(({ field, order: direction }) => [field.column.property, direction]),
  ]
  return checksum(JSON.stringify(query))
}

/** @param secrets the first one signs; without any, a checksum tells damage only */
export function encodeCursor(
  fingerprint: string,
  { position, readTimestamp }: CursorContent,
  secrets: readonly Secret[] = [],
): string {
  const payload = JSON.stringify([
    VERSION,
    fingerprint,
    position,
    ...(readTimestamp ? [readTimestamp.toISOString()] : []),
  ])
  return Buffer.from(sealOf(payload, secrets) + payload).toString('base64url')
}

/**
 * @throws {IsothermError} `INVALID_CURSOR` for a cursor that was changed, that nobody here has signed, that is another
 * query's, or that another version made.
 */
export function decodeCursor(
  cursor: string,
  fingerprint: string,
  order: readonly OrderTerm[],
  secrets: readonly Secret[] = [],
): CursorContent {
  const text = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString() : ''
  const sealed = text.slice(secrets.length > 0 ? SEAL_LENGTH.signature : SEAL_LENGTH.checksum)
  const seal = text.slice(0, text.length - sealed.length)
  // Node passes over what is not base64, so a damaged cursor can decode: compare with what would have been made.
  const isWhole = Buffer.from(text).toString('base64url') === cursor && isSealed(sealed, seal, secrets)
  if (!isWhole) {
    throw invalid(
      secrets.length === 0 ? 'is damaged' : 'is damaged, or was not signed here',
      'Pass the cursor just as page() returned it.',
    )
  }
  const [version, query, position, moment] = contents(sealed)
  if (version !== VERSION)
    throw invalid(`has version ${String(version)}, not ${VERSION}`, 'Read the first page again.')
  if (query !== fingerprint) {
    throw invalid(
      'belongs to another query',
      'Pass it to the same table, filter and order that it came from.',
    )
  }
  try {
    checkShape(order, position)
    rowAt(order, position)
  } catch (cause) {
    throw invalid('holds values that do not fit the query', 'Read the first page again.', cause)
  }
  if (moment === undefined) return { position }
  return { position, readTimestamp: momentOf(moment) }
}

function momentOf(text: unknown): Date {
  if (typeof text === 'string' && !Number.isNaN(Date.parse(text))) return preciseDate(text)
  throw invalid('holds values that do not fit the query', 'Read the first page again.')
}

function contents(payload: string): [unknown, unknown, Position, unknown] {
  let parsed: unknown
  try {
    parsed = JSON.parse(payload)
  } catch {
    parsed = undefined
  }
  if (!Array.isArray(parsed)) throw invalid('is damaged', 'Pass the cursor just as page() returned it.')
  return parsed as [unknown, unknown, Position, unknown]
}

function checkShape(order: readonly OrderTerm[], position: Position): void {
  const fits =
    Array.isArray(position) &&
    position.length === order.length &&
    order.every(({ field }, at) => {
      const wires: unknown = position[at]
      if (!Array.isArray(wires) || wires.length !== field.physical.length) return false
      return field.column.nullable || wires.every((wire) => wire !== null)
    })
  if (!fits) throw new TypeError('The position has another shape.')
}

function invalid(what: string, fix: string, cause?: unknown): IsothermError {
  return new IsothermError('INVALID_CURSOR', `The cursor ${what}.`, { fix, cause })
}
