import {
  isFrozen,
  type ColumnType,
  type MapType,
  type UdtType,
  type VectorType,
} from '../../model/column-type.js'
import type { UserTypeField } from '../../model/schema.js'
import { list, no, NotAccepted, type ValueCodec, type ValueRules } from '../values.js'
import type { Wire } from '../wire.js'
import { compareItems, compareParts } from './order.js'
import { scalarCodec, scalarRules } from './scalar-values.js'
import { fieldsOf } from './types.js'

// Values of several parts. Wires are arrays: of items (a set's in order, each once), of pairs of a map in the order of its
// keys, of a tuple's values, of a user type's values in the order of its fields. Cells are as the driver reads them: arrays
// (or a Set) of cells, a Map of cells, an object of a user type's cells by the fields' names.

/** How values are checked and ordered in CQL. */
export const cqlValues: ValueRules = Object.freeze({ ...scalarRules, own: cqlCodec })

/** A value of a type as a layout has it: with the fields of its user types. */
export function cqlCodec(type: ColumnType): ValueCodec {
  switch (type.kind) {
    case 'array':
      return whole(type, array(cqlCodec(type.of)))
    case 'set':
      return whole(type, set(cqlCodec(type.of)))
    case 'map':
      return whole(type, map(type))
    case 'tuple':
      return tuple(type.of.map(cqlCodec))
    case 'udt':
      return whole(type, userType(type))
    case 'vector':
      return vector(type)
    default:
      return scalarCodec(type)
  }
}

type Compare = (a: unknown, b: unknown) => number

function order(codec: ValueCodec): Compare {
  return codec.compare as Compare
}

/**
 * An empty collection that is kept item by item is no value to Cassandra: what is accepted is NULL, as it will be read. So is
 * a user type without a value.
 */
function whole(type: ColumnType, codec: ValueCodec): ValueCodec {
  if (isFrozen(type)) return codec
  return {
    ...codec,
    accept(value) {
      const accepted = codec.accept(value)
      return isEmpty(accepted) ? null : accepted
    },
    encode: (value) => (value === null ? null : codec.encode(value)),
    parse: (wire) => (wire === null ? null : codec.parse(wire)),
  }
}

function isEmpty(value: unknown): boolean {
  if (value instanceof Set || value instanceof Map) return value.size === 0
  return Object.values(value as object).every((part) => part === null)
}

function item(codec: ValueCodec, value: unknown, of: string): unknown {
  if (value === null || value === undefined) throw new NotAccepted(`takes no NULL in ${of}.`)
  return codec.accept(value)
}

function decoder({ decode }: ValueCodec): (cell: unknown) => unknown {
  return decode ?? ((cell) => cell)
}

function array(of: ValueCodec): ValueCodec {
  return {
    accept: (value) => Array.from(list(value), (each) => item(of, each, 'a list')),
    encode: (value) => (value as unknown[]).map(of.encode),
    parse: (wire) => list(wire).map((each) => of.parse(each as Wire)),
    decode: (cell) => Array.from(cell as Iterable<unknown>, decoder(of)),
    compare: compareItems(order(of)) as Compare,
  }
}

/** In the engine's order, each once. */
function sorted<T>(values: T[], compare: (a: T, b: T) => number): T[] {
  values.sort(compare)
  return values.filter((value, at) => at === 0 || compare(values[at - 1]!, value) !== 0)
}

function set(of: ValueCodec): ValueCodec {
  const ordered = (values: unknown[]): ReadonlySet<unknown> => new Set(sorted(values, order(of)))
  return {
    accept(value) {
      if (!(value instanceof Set)) throw no('a Set', value)
      return ordered(Array.from(value, (each) => item(of, each, 'a set')))
    },
    encode: (value) => Array.from(value as ReadonlySet<unknown>, of.encode),
    parse: (wire) => ordered(list(wire).map((each) => of.parse(each as Wire))),
    decode: (cell) => ordered(Array.from(cell as Iterable<unknown>, decoder(of))),
    compare: compareItems(order(of)) as Compare,
  }
}

type Pair = readonly [unknown, unknown]

function map(type: MapType): ValueCodec {
  const [key, of] = [cqlCodec(type.key), cqlCodec(type.of)]
  const byKey = (a: Pair, b: Pair): number => order(key)(a[0], b[0])
  const ordered = (pairs: Pair[]): ReadonlyMap<unknown, unknown> => new Map(sorted(pairs, byKey))
  const [decodeKey, decodeValue] = [decoder(key), decoder(of)]
  return {
    accept(value) {
      if (!(value instanceof Map)) throw no('a Map', value)
      return ordered(
        Array.from(value as ReadonlyMap<unknown, unknown>, ([name, each]) => [
          item(key, name, 'a map'),
          item(of, each, 'a map'),
        ]),
      )
    },
    encode: (value) =>
      Array.from(value as ReadonlyMap<unknown, unknown>, ([name, each]) => [
        key.encode(name),
        of.encode(each),
      ]),
    parse: (wire) =>
      ordered(
        list(wire).map((pair) => {
          const [name, each] = list(pair) as Wire[]
          return [key.parse(name!), of.parse(each!)]
        }),
      ),
    decode: (cell) =>
      ordered(Array.from(cell as Iterable<Pair>, ([name, each]) => [decodeKey(name), decodeValue(each)])),
    compare: compareItems<Pair>((a, b) => byKey(a, b) || order(of)(a[1], b[1])) as Compare,
  }
}

function orNull(convert: (value: never) => unknown, value: unknown): unknown {
  return value === null || value === undefined ? null : convert(value as never)
}

function tuple(of: readonly ValueCodec[]): ValueCodec {
  const parts = (value: unknown): readonly unknown[] => {
    const given = Array.isArray(value) ? (value as unknown[]) : undefined
    if (given?.length !== of.length) throw no(`an array of ${of.length} values`, value)
    return given
  }
  return {
    accept: (value) => Array.from(parts(value), (each, at) => orNull(of[at]!.accept, each)),
    encode: (value) => (value as unknown[]).map((each, at) => orNull(of[at]!.encode, each) as Wire),
    parse: (wire) => parts(wire).map((each, at) => orNull(of[at]!.parse, each)),
    // A value that was written before its type grew is shorter than it.
    decode: (cell) => of.map((codec, at) => orNull(decoder(codec), (cell as unknown[])[at])),
    compare: compareParts(of.map(order)) as Compare,
  }
}

function userType(type: UdtType): ValueCodec {
  const fields = fieldsOf(type)
  if (!fields) throw new Error(`The user type ${type.name} was laid out without its fields.`)
  const codecs = fields.map((field) => cqlCodec(field.type))
  const names = new Map(fields.map(({ name }, at) => [name, at]))
  const values = (value: unknown): unknown[] =>
    fields.map(({ name }) => (value as Record<string, unknown>)[name])
  const parts = tuple(codecs)
  const object = (given: unknown): object =>
    Object.fromEntries(fields.map(({ name }, at) => [name, (given as unknown[])[at]]))
  return {
    accept(value) {
      if (!isPlain(value)) throw no(`an object of the user type ${type.name}`, value)
      const foreign = Object.keys(value).find((name) => !names.has(name))
      if (foreign !== undefined)
        throw new NotAccepted(`has no field ${JSON.stringify(foreign)} in its type ${type.name}.`)
      return object(values(value).map((each, at) => acceptField(type, fields[at]!, codecs[at]!, each)))
    },
    encode: (value) => parts.encode(values(value)),
    parse: (wire) => object(parts.parse(wire)),
    decode: (cell) => object(parts.decode!(values(cell))),
    compare: (a, b) => order(parts)(values(a), values(b)),
  }
}

function acceptField(type: UdtType, field: UserTypeField, codec: ValueCodec, value: unknown): unknown {
  if (value === null || value === undefined) {
    if (field.nullable) return null
    throw new NotAccepted(`lacks the field ${field.name} of its type ${type.name}.`)
  }
  try {
    return codec.accept(value)
  } catch (error) {
    if (!(error instanceof NotAccepted)) throw error
    throw new NotAccepted(`has a field ${field.name} that ${error.message}`)
  }
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  return Object.prototype.toString.call(value) === '[object Object]' && !(Symbol.iterator in value)
}

function vector({ of, dimensions }: VectorType): ValueCodec {
  const number = scalarCodec({ kind: of })
  const codec: ValueCodec = {
    accept(value) {
      const given = value instanceof Float32Array ? [...value] : value
      if (!Array.isArray(given) || given.length !== dimensions)
        throw no(`an array of ${dimensions} numbers`, value)
      return Array.from(given as unknown[], (each) => number.accept(each))
    },
    encode: (value) => (value as unknown[]).map(number.encode),
    parse(wire) {
      const numbers = list(wire)
      if (numbers.length !== dimensions) throw no(`an array of ${dimensions} numbers`, wire)
      return numbers.map((each) => number.parse(each as Wire))
    },
    decode: (cell) => Array.from(cell as Iterable<number>),
    compare: compareItems(order(number)) as Compare,
  }
  return codec
}
