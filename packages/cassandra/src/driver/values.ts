import { types } from 'cassandra-driver'
import type { PreciseDate } from '@google-cloud/precise-date'
import { IsothermError, type PhysicalColumn, type ResultType, preciseOf } from '@isotherm/core/engine'
import { durationText } from '../cql/duration.js'
import { inetText } from '../cql/order.js'
import { dateOf } from './encoding.js'

// Cells as the client reads them, in the form that all engines have in common. 64 bits are `bigint` already: see
// check-client.

type Decode = (cell: never) => unknown

/** The properties that the client's typings leave out. */
interface DateCell {
  readonly date: Date
  toString(): string
}

interface DurationCell {
  readonly months: number
  readonly days: number
  readonly nanoseconds: types.Long
}

/** Undefined where the client's value is the cell. */
export function decoderOf(type: ResultType): Decode | undefined {
  switch (type.kind) {
    case 'varint':
      return (cell: bigint | types.Integer) =>
        typeof cell === 'bigint' ? cell : integerOf(types.Integer.toBuffer(cell))
    case 'numeric':
    case 'decimal':
      return decimalText
    case 'date':
      return dateText
    case 'timestamp':
      return timestamp
    case 'duration':
      return (cell: DurationCell) => durationText(`${sign(cell)}${counts(cell)}`)
    case 'inet':
      // The client's own text leaves out words that are not zero, where there are several runs of zeros.
      return (cell: types.InetAddress) => inetText(cell.getBuffer())
    case 'time':
    case 'uuid':
    case 'timeuuid':
      return String
    case 'array':
      return itemsOf(decoderOf(type.of))
    case 'set': {
      const items = itemsOf(decoderOf(type.of))
      return (cell: Iterable<unknown>) => new Set(items(cell))
    }
    case 'map':
      return mapOf(decoderOf(type.key), decoderOf(type.of))
    case 'tuple': {
      const parts = type.of.map(decoderOf)
      return (cell: types.Tuple) => parts.map((decode, at) => orNull(decode, cell.get(at)))
    }
    case 'udt':
      return objectOf((type.fields ?? []).map((field) => [field.name, decoderOf(field.type)]))
    case 'struct': {
      const fields = type.fields.map((field) => [field.name, decoderOf(field.type)] as const)
      return (cell: Record<string, unknown>) => fields.map(([name, decode]) => orNull(decode, cell[name]))
    }
    case 'vector':
      return (cell: Iterable<number>) => Array.from(cell)
    default:
      return undefined
  }
}

function orNull(decode: Decode | undefined, cell: unknown): unknown {
  if (cell === null || cell === undefined) return null
  return decode === undefined ? cell : decode(cell as never)
}

function itemsOf(decode: Decode | undefined) {
  return (cell: Iterable<unknown>): unknown[] => Array.from(cell, (item) => orNull(decode, item))
}

function mapOf(key: Decode | undefined, of: Decode | undefined) {
  return (cell: ReadonlyMap<unknown, unknown>): Map<unknown, unknown> => {
    if (!(cell instanceof Map)) throw mapsAreObjects()
    const map = new Map<unknown, unknown>()
    for (const [name, value] of cell) map.set(orNull(key, name), orNull(of, value))
    return map
  }
}

/** An object's keys are text, whatever their type was, and `__proto__` cannot be one of them. */
function mapsAreObjects(): IsothermError {
  return new IsothermError('INVALID_CLIENT', 'The client reads maps as objects, which lose keys.', {
    fix: 'Create it with new Client({ …, encoding: { useBigIntAsLong: true, map: Map } }).',
  })
}

function objectOf(fields: readonly (readonly [string, Decode | undefined])[]) {
  return (cell: Record<string, unknown>): object =>
    Object.fromEntries(fields.map(([name, decode]) => [name, orNull(decode, cell[name])]))
}

function timestamp(cell: Date): PreciseDate {
  const time = cell.getTime()
  if (!Number.isNaN(time)) return preciseOf(time)
  // An invalid `Date` compares as neither before nor after another, so code that orders rows by it would lose some of them.
  throw new IsothermError(
    'DATABASE',
    'The database has a timestamp that a Date cannot hold. Another client wrote it.',
    {
      fix: 'Read it as text with driver.run: SELECT CAST(… AS text), and replace it.',
    },
  )
}

/** The limit of zeros up to which a decimal is written without an exponent. */
const PLAIN_SCALE = 1_000

/** The client's own text is wrong where the scale is negative, and never ends from 309 digits on. */
function decimalText(cell: types.BigDecimal): string {
  const bytes = types.BigDecimal.toBuffer(cell)
  const scale = bytes.readInt32BE()
  const unscaled = integerOf(bytes.subarray(4))
  if (scale < 0 || scale > PLAIN_SCALE) return `${unscaled}E${-scale}`
  if (scale === 0) return String(unscaled)
  const isNegative = unscaled < 0n
  const digits = String(isNegative ? -unscaled : unscaled).padStart(scale + 1, '0')
  return `${isNegative ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** An integer of two's complement. The client's own text of one never ends from 309 digits on: it counts in doubles. */
function integerOf(bytes: Buffer): bigint {
  return BigInt.asIntN(8 * bytes.length, BigInt(`0x${bytes.toString('hex')}`))
}

/** The client returns dates that `Date` cannot hold as a number of days. */
function dateText(cell: DateCell): string {
  const time = cell.date.getTime()
  return dateOf(Number.isNaN(time) ? Number(cell.toString()) : time / 86_400_000)
}

function sign({ months, days, nanoseconds }: DurationCell): '-' | '' {
  return months < 0 || days < 0 || nanoseconds.isNegative() ? '-' : ''
}

function counts({ months, days, nanoseconds }: DurationCell): string {
  return `${Math.abs(months)}mo${Math.abs(days)}d${nanoseconds.toString().replace('-', '')}ns`
}

/** A row of the client's as cells. */
export type RowCells = (row: types.Row) => unknown[]

/**
 * @param ofCatalogue maps may have been read as objects: the keys of those are text, and no user's
 */
export function rowDecoder(
  columns: readonly { readonly name: string; readonly type: ResultType }[],
  ofCatalogue = false,
): RowCells {
  const width = columns.length
  const names = columns.map((column) => column.name)
  const decoders = columns.map(({ type }) => (ofCatalogue ? decoderOfCatalogue(type) : decoderOf(type)))
  return (row) => {
    const cells = new Array<unknown>(width)
    for (let at = 0; at < width; at++) {
      const cell: unknown = row[names[at]!]
      const decode = decoders[at]
      cells[at] = orNull(decode, cell)
    }
    return cells
  }
}

function decoderOfCatalogue(type: ResultType): Decode | undefined {
  const decode = decoderOf(type)
  if (type.kind !== 'map') return decode
  return (cell: object) => orNull(decode, cell instanceof Map ? cell : new Map(Object.entries(cell)))
}

const decodersByColumns = new WeakMap<readonly PhysicalColumn[], RowCells>()

/** One decoder per list of columns, which a compiled table keeps for good. */
export function columnsDecoder(columns: readonly PhysicalColumn[]): RowCells {
  let decoder = decodersByColumns.get(columns)
  if (!decoder) decodersByColumns.set(columns, (decoder = rowDecoder(columns)))
  return decoder
}
