import { createHash } from 'node:crypto'
import { IsothermError } from '../errors.js'
import type { Condition, OrderTerm, Position } from '../dialects/condition.js'
import type { TableLayout } from '../dialects/layout.js'
import { describeCondition } from './describe.js'
import { rowAt } from './order.js'

// A cursor is a position in a query's order, not the state of its shards: it outlives restarts and new shards, and rows
// inserted meanwhile move nothing.

const VERSION = 1
const CHECKSUM_LENGTH = 16

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
  return digest(JSON.stringify(query))
}

export function encodeCursor(fingerprint: string, position: Position): string {
  const payload = JSON.stringify([VERSION, fingerprint, position])
  return Buffer.from(digest(payload) + payload).toString('base64url')
}

/**
 * @throws {IsothermError} `INVALID_CURSOR` for a cursor that was changed, that is another query's, or that another
 * version made.
 */
export function decodeCursor(cursor: string, fingerprint: string, order: readonly OrderTerm[]): Position {
  const text = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString() : ''
  const payload = text.slice(CHECKSUM_LENGTH)
  // Node passes over what is not base64, so a damaged cursor can decode: compare with what would have been made.
  const whole =
    Buffer.from(text).toString('base64url') === cursor && digest(payload) === text.slice(0, CHECKSUM_LENGTH)
  if (!whole) throw invalid('is damaged', 'Pass the cursor just as page() returned it.')

  const [version, query, position] = contents(payload)
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
  return position
}

function contents(payload: string): [unknown, unknown, Position] {
  let parsed: unknown
  try {
    parsed = JSON.parse(payload)
  } catch {
    parsed = undefined
  }
  if (!Array.isArray(parsed)) throw invalid('is damaged', 'Pass the cursor just as page() returned it.')
  return parsed as [unknown, unknown, Position]
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

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, CHECKSUM_LENGTH)
}

function invalid(what: string, fix: string, cause?: unknown): IsothermError {
  return new IsothermError('INVALID_CURSOR', `The cursor ${what}.`, { fix, cause })
}
