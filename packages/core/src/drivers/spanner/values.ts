import type { PhysicalColumn } from '../../dialects/layout.js'
import type { Parameter } from '../../dialects/statement.js'
import type { Wire, WireType } from '../../dialects/wire.js'

// Stored values as Spanner's protocol spells them, and cells as the client hands them out. Writing the protocol's own
// values spares the client from guessing types, and so costs less than its codec.

export type ProtoValue =
  | { readonly nullValue: 'NULL_VALUE' }
  | { readonly stringValue: string }
  | { readonly numberValue: number }
  | { readonly boolValue: boolean }
  | { readonly listValue: { readonly values: ProtoValue[] } }

const NULL: ProtoValue = { nullValue: 'NULL_VALUE' }

export function toProto(wire: Wire): ProtoValue {
  switch (typeof wire) {
    case 'string':
      return { stringValue: wire }
    case 'number':
      return { numberValue: wire }
    case 'boolean':
      return { boolValue: wire }
    default:
      return wire === null ? NULL : { listValue: { values: wire.map(toProto) } }
  }
}

export function toProtoList(wires: readonly Wire[]): { values: ProtoValue[] } {
  const values = new Array<ProtoValue>(wires.length)
  for (let at = 0; at < wires.length; at++) values[at] = toProto(wires[at]!)
  return { values }
}

export type ClientType = string | { readonly type: string; readonly child?: ClientType }

/** The client's name of a type. Every parameter is sent with one: an untyped NULL is refused by the database. */
export function clientType(type: WireType): ClientType {
  if (type.kind === 'array') return { type: 'array', child: clientType(type.of) }
  return type.kind === 'uuid' ? 'string' : type.kind
}

export function boundParameters(parameters: readonly Parameter[]): {
  params: { fields: Record<string, ProtoValue> }
  types: Record<string, ClientType>
} {
  const fields: Record<string, ProtoValue> = {}
  const types: Record<string, ClientType> = {}
  for (const { name, type, value } of parameters) {
    fields[name] = toProto(value)
    types[name] = clientType(type)
  }
  return { params: { fields }, types }
}

type Decode = (cell: unknown) => unknown

const asIs: Decode = (cell) => cell
const wrapped = (cell: unknown): string => (cell as { value: string }).value

function decoderOf(type: WireType): Decode {
  switch (type.kind) {
    case 'int64':
      return (cell) => BigInt(wrapped(cell))
    case 'float32':
    case 'float64':
      return (cell) => Number(wrapped(cell))
    case 'numeric':
      return wrapped
    case 'date':
      return (cell) => (cell as { toJSON(): string }).toJSON()
    case 'array': {
      const item = decoderOf(type.of)
      return (cell) => (cell as unknown[]).map((each) => (each === null ? null : item(each)))
    }
    default:
      return asIs
  }
}

/** A row as the client gives it: not JSON, which would push 64-bit integers through a float. */
export type ClientRow = readonly { readonly value: unknown }[]

export function rowDecoder(types: readonly WireType[]): (row: ClientRow) => unknown[] {
  const decoders = types.map(decoderOf)
  return (row) => {
    const cells = new Array<unknown>(decoders.length)
    for (let at = 0; at < decoders.length; at++) {
      const { value } = row[at]!
      cells[at] = value === null ? null : decoders[at]!(value)
    }
    return cells
  }
}

const decodersByColumns = new WeakMap<readonly PhysicalColumn[], (row: ClientRow) => unknown[]>()

/** One decoder per list of columns, which a compiled table keeps for good. */
export function columnsDecoder(columns: readonly PhysicalColumn[]): (row: ClientRow) => unknown[] {
  let decoder = decodersByColumns.get(columns)
  if (!decoder) {
    decoder = rowDecoder(columns.map((column) => column.type))
    decodersByColumns.set(columns, decoder)
  }
  return decoder
}
