import { IsothermError } from '../errors.js'
import { canBeKey } from '../model/column-type.js'
import type { Column } from '../model/column.js'
import { type Field, type Fill, type Made, type PhysicalColumn, type Wire, eachOf } from './layout.js'
import { NotAccepted, type ValueCodec, type ValueRules, uuidCodec } from './values.js'
import { bindingOf } from '../model/bindings.js'
import type { HashSource, ShardSource, TimeBucketSource, ValueSource } from '../model/key.js'
import { type Table, sourceColumn } from '../model/table.js'

/** Whether the values of a field can be compared and ordered. */
export function canBeCompared({ column: { type }, physical: [{ type: stored }] }: Field): boolean {
  // The stored type has the fields of a user type, too. Results of aggregates may be stored in another form.
  return canBeKey(stored.kind === type.kind ? stored : type)
}

/** A field that is stored in one physical column of the same type. */
export function plainField(
  table: string,
  column: Column,
  codec: ValueCodec,
  options: { readonly fill: Fill; readonly made?: Made; readonly hidden?: true },
): Field {
  const { fill, made, hidden } = options
  const { accept, encode, parse, decode, compare } = codec
  const physical: PhysicalColumn = {
    name: column.name,
    type: column.type,
    nullable: column.nullable,
    written: made?.by !== 'generated',
    ...(made && { made }),
    ...(hidden && { hidden }),
    encode,
  }
  return {
    column,
    physical: [physical],
    fill,
    accept(value) {
      // Once per cell: no closure is made here.
      try {
        return accept(value)
      } catch (error) {
        throw named(table, column, error)
      }
    },
    parse([wire]) {
      try {
        return parse(wire as Wire)
      } catch (error) {
        throw named(table, column, error)
      }
    },
    ...(decode && {
      join(cells, at) {
        const cell = cells[at]
        if (cell === null || cell === undefined) return cell
        try {
          return decode(cell)
        } catch (error) {
          throw named(table, column, error)
        }
      },
    }),
    compare,
  }
}

/** Runs what may refuse a value, and says whose it was. */
export function fieldErrors(table: string, column: Column): <T>(run: () => T) => T {
  return (run) => {
    try {
      return run()
    } catch (error) {
      throw named(table, column, error)
    }
  }
}

function named(table: string, column: Column, error: unknown): unknown {
  if (!(error instanceof NotAccepted)) return error
  return new IsothermError('INVALID_VALUE', `${table}.${column.property} ${error.message}`, {
    table,
    column: column.property,
  })
}

/** Who makes a column's value when an insert leaves it out: the same in every dialect, apart from its hash and what each refuses. */
export function fillOf(table: Table, column: Column, values: Pick<ValueRules, 'hash64'>): Fill {
  const { source, inherited } = column
  if (column.generated || (column.default !== undefined && !inherited)) return { by: 'database' }
  if (!source) return { by: 'caller' }
  if (source.kind === 'shard') return shardFill(table, column, source, values)
  if (source.kind === 'hash')
    return canCompute(table, column, source.of) ? { by: 'hash', source } : { by: 'caller' }
  if (source.kind === 'time-bucket')
    return canCompute(table, column, [source.of]) ? { by: 'bucket', source } : { by: 'caller' }
  // The parent's row has its value, and the caller says which parent the child has.
  return inherited ? { by: 'caller' } : madeFill(source)
}

function madeFill(source: Exclude<ValueSource, ShardSource | HashSource | TimeBucketSource>): Fill {
  switch (source.kind) {
    case 'uuid-v4':
      return { by: 'uuid-v4' }
    case 'timeuuid':
      return { by: 'timeuuid' }
    case 'timestamp':
      return source.from === 'now' ? { by: 'clock' } : { by: 'commit-timestamp' }
    case 'bit-reversed': {
      if (source.from !== 'client') return { by: 'database' }
      return counterFill(source, true)
    }
    case 'sequential':
      return counterFill(source, false)
  }
}

function counterFill(source: ValueSource, reverses: boolean): Fill {
  const { counter } = bindingOf(source)
  // Numbers that come reversed would be in order again, if they were reversed once more.
  return counter
    ? { by: 'counter', counter, reversed: reverses && counter.bitReversed !== true }
    : { by: 'caller' }
}

function shardFill(
  table: Table,
  column: Column,
  source: ShardSource,
  { hash64 }: Pick<ValueRules, 'hash64'>,
): Fill {
  if (!canCompute(table, column, source.of)) return { by: 'caller' }
  // A custom expression that came without a function: only the database can compute it.
  if (source.expression !== undefined && !bindingOf(source).shard)
    return source.computedBy === 'database' ? { by: 'database' } : { by: 'caller' }
  return { by: 'shard', source, hash64 }
}

/** A child inherits its parent's shard, hash or bucket; it can compute it where it has inherited the columns for it too. */
export function canCompute(table: Table, column: Column, of: readonly string[]): boolean {
  return of.every((property) => sourceColumn(table, column, property) !== undefined)
}

// A UUID that is not stored as text. Rows, filters and cursors have its text all the same.

/** The two halves of a random UUID in SQL, of an expression that gives 64 random bits each time. */
export function randomHalves(random: string): readonly [high: string, low: string] {
  return [
    // The version, 4, is the thirteenth of its hexadecimal digits.
    `(${random} & -61441) | 16384`,
    // The variant, 10, is its two highest bits. The smallest integer cannot be written as a literal.
    `(${random} & 4611686018427387903) | (-9223372036854775807 - 1)`,
  ]
}

interface StoredColumn {
  readonly name: string
  readonly type: PhysicalColumn['type']
  encode(uuid: string): Wire
}

interface Storage {
  columns(name: string): readonly [StoredColumn, ...StoredColumn[]]
  /** From cells as read. */
  join(cells: readonly unknown[], at: number): string
  /** From what the columns' `encode` made. */
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
    { name: `${name}_high`, type: { kind: 'int64' }, encode: (uuid) => String(halves(uuid)[0]) },
    { name: `${name}_low`, type: { kind: 'int64' }, encode: (uuid) => String(halves(uuid)[1]) },
  ],
  join: (cells, at) => joinHalves(cells[at] as bigint, cells[at + 1] as bigint),
  parse: ([high, low]) => joinHalves(BigInt(high as string), BigInt(low as string)),
  // As the database orders two signed integers, not as text.
  compare: (a, b) => compareSigned(a, b, 0, 18) || compareSigned(a, b, 19, 36),
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

/** Two halves as signed integers: one whose highest bit is set is less than one without. */
function compareSigned(a: string, b: string, from: number, to: number): number {
  const isNegative = (uuid: string): boolean => uuid.charAt(from) >= '8'
  if (isNegative(a) !== isNegative(b)) return isNegative(a) ? -1 : 1
  const [left, right] = [a.slice(from, to), b.slice(from, to)]
  return left < right ? -1 : left > right ? 1 : 0
}

export const uuidBytes: Storage = {
  columns: (name) => [
    {
      name,
      type: { kind: 'bytes', length: 16 },
      encode: (uuid) => Buffer.from(hexOf(uuid), 'hex').toString('base64'),
    },
  ],
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
  const physical = eachOf(storage.columns(column.name), ({ name, type, encode }, at): PhysicalColumn => ({
    name,
    type,
    nullable: column.nullable,
    written: made[at]?.by !== 'generated',
    ...(made[at] && { made: made[at] }),
    ...(column.hidden && { hidden: true }),
    encode: (value) => encode(value as string),
  }))
  return {
    column,
    physical,
    fill,
    accept: (value) => errors(() => uuidCodec.accept(value)),
    parse: (wires) =>
      errors(() => {
        const uuid = uuidCodec.accept(readable(() => storage.parse(wires))) as string
        // A value that is not the same when written back was not a UUID.
        if (physical.some(({ encode }, at) => encode(uuid) !== wires[at]))
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
