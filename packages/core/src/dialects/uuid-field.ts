import type { Column } from '../model/column.js'
import { fieldErrors } from './field.js'
import type { Field, Fill, Made, PhysicalColumn } from './layout.js'
import { NotAccepted, uuidCodec } from './values.js'
import type { Wire } from './wire.js'

// A UUID that does not lie in the database as its text. Rows, filters and cursors have its text all the same.

/** The two halves of a random UUID in SQL, of an expression that gives 64 random bits each time. */
export function randomHalves(random: string): readonly [high: string, low: string] {
  return [
    // The version, 4, is the thirteenth of its hexadecimal digits.
    `(${random} & -61441) | 16384`,
    // The variant, 10, is its two highest bits. The smallest integer cannot be written as a literal.
    `(${random} & 4611686018427387903) | (-9223372036854775807 - 1)`,
  ]
}

interface Storage {
  columns(name: string): readonly { readonly name: string; readonly type: PhysicalColumn['type'] }[]
  encode(uuid: string): readonly Wire[]
  /** From cells as read. */
  join(cells: readonly unknown[], at: number): string
  /** From what `encode` made. */
  parse(wires: readonly Wire[]): string
  compare(a: string, b: string): number
}

function hexOf(uuid: string): string {
  return uuid.replaceAll('-', '')
}

function uuidOf(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

const int64Pair: Storage = {
  columns: (name) => [
    { name: `${name}_high`, type: { kind: 'int64' } },
    { name: `${name}_low`, type: { kind: 'int64' } },
  ],
  encode: (uuid) => halves(uuid).map(String),
  join: (cells, at) => joinHalves(cells[at] as bigint, cells[at + 1] as bigint),
  parse: ([high, low]) => joinHalves(BigInt(high as string), BigInt(low as string)),
  // As the database orders two signed integers, not as text.
  compare(a, b) {
    const [highA, lowA] = halves(a)
    const [highB, lowB] = halves(b)
    return compareBigints(highA, highB) || compareBigints(lowA, lowB)
  },
}

function halves(uuid: string): readonly [bigint, bigint] {
  const hex = hexOf(uuid)
  return [BigInt.asIntN(64, BigInt(`0x${hex.slice(0, 16)}`)), BigInt.asIntN(64, BigInt(`0x${hex.slice(16)}`))]
}

function joinHalves(high: bigint, low: bigint): string {
  return uuidOf(hexOfHalf(high) + hexOfHalf(low))
}

function hexOfHalf(half: bigint): string {
  return BigInt.asUintN(64, half).toString(16).padStart(16, '0')
}

function compareBigints(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export const uuidBytes: Storage = {
  columns: (name) => [{ name, type: { kind: 'bytes', length: 16 } }],
  encode: (uuid) => [Buffer.from(hexOf(uuid), 'hex').toString('base64')],
  join: (cells, at) => uuidOf((cells[at] as Buffer).toString('hex')),
  parse: ([wire]) => uuidOf(Buffer.from(String(wire), 'base64').toString('hex')),
  compare: (a, b) => (a < b ? -1 : a > b ? 1 : 0),
}

const STORAGES = { 'int64-pair': int64Pair, bytes: uuidBytes } as const

/** A UUID in two 64-bit integers or in 16 bytes. `made` says how the database makes each of its columns. */
export function splitUuidField(
  table: string,
  column: Column,
  storageName: keyof typeof STORAGES,
  { fill, made }: { readonly fill: Fill; readonly made: readonly (Made | undefined)[] },
): Field {
  const storage = STORAGES[storageName]
  const errors = fieldErrors(table, column)
  const physical = storage.columns(column.name).map(({ name, type }, at): PhysicalColumn => ({
    name,
    type,
    nullable: column.nullable,
    written: made[at]?.by !== 'generated',
    ...(made[at] && { made: made[at] }),
    ...(column.hidden && { hidden: true }),
    encode: (value) => storage.encode(value as string)[at]!,
  }))
  return {
    column,
    physical,
    fill,
    accept: (value) => errors(() => uuidCodec.accept(value)),
    parse: (wires) =>
      errors(() => {
        const uuid = uuidCodec.accept(readable(() => storage.parse(wires))) as string
        // What does not come back as it is was no UUID.
        if (storage.encode(uuid).some((wire, at) => wire !== wires[at]))
          throw new NotAccepted('takes a UUID.')
        return uuid
      }),
    join: (cells, at) => (cells[at] === null ? null : storage.join(cells, at)),
    compare: (a, b) => storage.compare(a as string, b as string),
  }
}

function readable(read: () => string): string {
  try {
    return read()
  } catch {
    throw new NotAccepted('takes a UUID.')
  }
}
