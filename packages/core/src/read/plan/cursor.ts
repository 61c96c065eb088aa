import type { Comparison, Condition, OrderTerm, Position } from '../../layout/statement.js'
import type { TableLayout, Wire } from '../../layout/layout.js'
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { IsothermError } from '../../errors.js'
import { isToCome, preciseDate } from '../../keys/precise-date.js'
import { rowAt } from './order.js'

/** A filter as plain data: property, operator and operands, or `and`, `or`, `not` and their operands. */
export type DescribedCondition = readonly (Wire | readonly Wire[] | DescribedCondition)[]

export function describeCondition(condition: Condition): DescribedCondition {
  switch (condition.kind) {
    case 'compare':
      return [condition.field.column.property, condition.op, ...condition.wires]
    case 'in':
      return [condition.field.column.property, 'in', ...condition.wires]
    case 'null':
      return [condition.field.column.property, 'is null']
    case 'prefix':
      return [condition.field.column.property, 'starts with', condition.value]
    case 'and':
    case 'or':
      return [condition.kind, ...condition.of.map(describeCondition)]
    case 'not':
      return ['not', describeCondition(condition.of)]
  }
}

type Item = DescribedCondition[number]

/** The filter that was described: the inverse of `describeCondition`. */
export function conditionFrom(layout: TableLayout, [name, ...rest]: DescribedCondition): Condition {
  const [operator, ...operands] = rest
  // A property has an operator after it, and the filters that `and` or `not` joins are lists.
  if (typeof operator !== 'string') {
    const joined = rest.map((each) => conditionFrom(layout, each as DescribedCondition))
    return name === 'not' ? { kind: 'not', of: joined[0]! } : { kind: name as 'and' | 'or', of: joined }
  }
  const field = layout.byProperty.get(String(name))!
  switch (operator) {
    case 'is null':
      return { kind: 'null', field }
    case 'starts with':
      return { kind: 'prefix', field, value: String(operands[0]) }
    case 'in': {
      const wires = operands.map(wireList)
      return { kind: 'in', field, values: wires.map((each) => field.parse(each)), wires }
    }
    default: {
      const wires = operands as readonly Wire[]
      return { kind: 'compare', field, op: operator as Comparison, value: field.parse(wires), wires }
    }
  }
}

function wireList(item: Item): readonly Wire[] {
  return item as readonly Wire[]
}

// Data that leaves this process and comes back, as text or as an object, is sealed: with a secret, only its holders can
// make it;
// without a secret, damage is noticed.

export type Secret = string | Uint8Array

/** In hexadecimal digits. */
const SEAL_LENGTH = { checksum: 16, signature: 64 } as const

/** @throws {IsothermError} `INVALID_VALUE` for a secret that could be guessed. */
export function secretsOf(cursorSecret: Secret | readonly Secret[]): readonly Secret[] {
  const secrets =
    typeof cursorSecret === 'string' || cursorSecret instanceof Uint8Array ? [cursorSecret] : cursorSecret
  const isShort = (secret: Secret): boolean => Buffer.from(secret).length < 32
  if (secrets.length > 0 && !secrets.some(isShort)) return secrets
  throw new IsothermError('INVALID_VALUE', 'A cursorSecret is missing or shorter than 32 bytes.', {
    fix: 'Create one with 32 random bytes: openssl rand -base64 32.',
  })
}

/** @param secrets the first one signs; without any, a checksum tells damage only */
export function sealOf(payload: string, [secret]: readonly Secret[] = []): string {
  return secret === undefined ? checksum(payload) : signature(payload, secret)
}

/** Takes the same time whether a signature differs early or late. */
export function isSealed(payload: string, seal: string, secrets: readonly Secret[] = []): boolean {
  if (secrets.length === 0) return checksum(payload) === seal
  const found = Buffer.from(seal)
  return secrets.some((secret) => {
    const own = Buffer.from(signature(payload, secret))
    return own.length === found.length && timingSafeEqual(own, found)
  })
}

/** Detects damage. It is not a signature: anyone can compute it. */
function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, SEAL_LENGTH.checksum)
}

function signature(payload: string, secret: Secret): string {
  return createHmac('sha256', secret).update(payload).digest('hex')
}

// A cursor is a position in a query's order, not the state of its shards: it survives restarts and new shards, and rows
// that are inserted later do not move it.

const VERSION = 1

const UNCHANGED = 'Pass the cursor unchanged, as page() returned it.'
const DO_NOT_FIT = 'holds values that do not fit the query'
const READ_AGAIN = 'Read the first page again.'

export interface CursorContent {
  readonly position: Position
  /** The timestamp of a query with consistent pages. */
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
 * @throws {IsothermError} `INVALID_CURSOR` for a cursor that was changed, was signed with a secret that this process does
 * not have, belongs to another query, or was made by another version.
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
  // Node ignores characters outside of base64, so a damaged cursor can decode: compare with the re-encoded text.
  const isWhole = Buffer.from(text).toString('base64url') === cursor && isSealed(sealed, seal, secrets)
  if (!isWhole) {
    throw invalid(
      secrets.length === 0 ? 'is damaged' : 'is damaged, or was signed with another cursorSecret',
      UNCHANGED,
    )
  }
  const [version, query, position, moment] = contents(sealed)
  if (version !== VERSION) throw invalid(`has version ${shownVersion(version)}, not ${VERSION}`, READ_AGAIN)
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
    throw invalid(DO_NOT_FIT, READ_AGAIN, cause)
  }
  if (moment === undefined) return { position }
  return { position, readTimestamp: momentOf(moment) }
}

/** A forged version may be anything, and arrays of many levels have no text. */
function shownVersion(version: unknown): string {
  return typeof version === 'object' && version !== null
    ? 'that is not a number'
    : String(version).slice(0, 20)
}

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/

function momentOf(text: unknown): Date {
  if (typeof text === 'string' && MOMENT.test(text)) {
    const moment = preciseDate(text)
    // A day that does not exist (2026-02-30) would be another one, and no database has rows from before 1970.
    if (moment.getTime() >= 0 && moment.toISOString().startsWith(text.slice(0, 19))) return moment
  }
  throw invalid(DO_NOT_FIT, READ_AGAIN)
}

/**
 * Checks whether a query may go on from a cursor at the cursor's timestamp.
 *
 * @throws {IsothermError} `INVALID_CURSOR` for a cursor of a query with consistent pages in a query without consistent pages, or the other way
 * round, and for a future timestamp: the database would wait for it.
 */
export function checkMoment({ readTimestamp }: CursorContent, hasConsistentPages: boolean): void {
  if (readTimestamp && !hasConsistentPages)
    throw invalid(
      'belongs to a query with consistent pages',
      'Call consistentPages() on this one too, or read the first page again.',
    )
  if (!readTimestamp && hasConsistentPages)
    throw invalid(
      'belongs to a query without consistent pages',
      'Leave consistentPages() out, or read the first page again.',
    )
  if (readTimestamp && isToCome(readTimestamp))
    throw invalid(`has a timestamp in the future, ${readTimestamp.toISOString()}`, READ_AGAIN)
}

/** The error for a page whose timestamp the database cannot read; any other error unchanged. */
export function momentRefused(table: string, error: unknown): unknown {
  if (!(error instanceof IsothermError)) return error
  // An error about a missing session or database does not concern the timestamp.
  if (
    error.code === 'NOT_FOUND' &&
    /^(table|index|relation)\b/i.test(error.message) &&
    error.message.includes(table)
  )
    return invalid(`has a timestamp at which ${table} did not exist`, READ_AGAIN, error)
  if (error.code === 'SNAPSHOT_EXPIRED')
    return invalid(
      'has a timestamp whose versions the database has removed',
      'Read the first page again, or let the database keep versions longer (version_retention_period).',
      error,
    )
  return error
}

function contents(payload: string): [unknown, unknown, Position, unknown] {
  let parsed: unknown
  try {
    parsed = JSON.parse(payload)
  } catch {
    parsed = undefined
  }
  if (!Array.isArray(parsed)) throw invalid('is damaged', UNCHANGED)
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
