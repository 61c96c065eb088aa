import type { SqlDialectRuntime } from '@isotherm/core/engine'
import { foreignKind } from '@isotherm/core/engine'
import type { PhysicalColumn } from '@isotherm/core/engine'
import type { Parameter } from '@isotherm/core/engine'
import { COMMIT_TIMESTAMP, type Wire, type WireType } from '@isotherm/core/engine'
import { preciseDate } from '@isotherm/core/engine'

// Values in the format of Spanner's protocol
// (https://cloud.google.com/spanner/docs/reference/rpc/google.spanner.v1#typecode),
// in both directions. The client's own codec would cost more and lose some: it misreads timestamps before 1970 and puts
// calendar days into the local time zone.

export interface ProtoValue {
  /** Which of the other properties is set; absent in sent values. */
  readonly kind?: string
  readonly nullValue?: 'NULL_VALUE'
  readonly stringValue?: string
  readonly numberValue?: number
  readonly boolValue?: boolean
  readonly listValue?: ProtoList
}

export interface ProtoList {
  readonly values: ProtoValue[]
}

/** `google.spanner.v1.StructType`. */
export interface ProtoStruct {
  readonly fields: readonly { readonly name: string; readonly type: ProtoType }[]
}

/** `google.spanner.v1.Type`. */
export interface ProtoType {
  readonly code: string
  readonly arrayElementType?: ProtoType | null
  readonly structType?: ProtoStruct | null
}

const NULL: ProtoValue = { nullValue: 'NULL_VALUE' }
/** Source: https://cloud.google.com/spanner/docs/commit-timestamp#client */
const PENDING: ProtoValue = { stringValue: 'spanner.commit_timestamp()' }

function toProto(wire: Wire): ProtoValue {
  switch (typeof wire) {
    case 'string':
      return { stringValue: wire }
    case 'number':
      return { numberValue: wire }
    case 'boolean':
      return { boolValue: wire }
    default:
      if (wire === null) return NULL
      return wire === COMMIT_TIMESTAMP ? PENDING : { listValue: toProtoList(wire) }
  }
}

export function toProtoList(wires: readonly Wire[]): ProtoList {
  return { values: wires.map(toProto) }
}

type ClientType = string | { readonly type: string; readonly child?: ClientType }

/** The client's name of a type. Every parameter is sent with one: an untyped NULL is refused by the database. */
function clientType(type: WireType, dialect: SqlDialectRuntime): ClientType {
  switch (type.kind) {
    case 'array':
      return { type: 'array', child: clientType(type.of, dialect) }
    case 'uuid':
      return type.storage === 'native' ? 'uuid' : 'string'
    case 'numeric':
      return dialect.name === 'spanner-postgresql' ? 'pgNumeric' : 'numeric'
    case 'json':
      return dialect.name === 'spanner-postgresql' ? 'jsonb' : 'json'
    default:
      return type.kind
  }
}

export function boundParameters(
  parameters: readonly Parameter[],
  dialect: SqlDialectRuntime,
): {
  params: { fields: Record<string, ProtoValue> }
  types: Record<string, ClientType>
} {
  const fields: Record<string, ProtoValue> = {}
  const types: Record<string, ClientType> = {}
  for (const { name, type, value } of parameters) {
    fields[name] = toProto(value)
    types[name] = clientType(type, dialect)
  }
  return { params: { fields }, types }
}

export type Decode = (cell: ProtoValue) => unknown

function isNull(cell: ProtoValue): boolean {
  return cell.kind === 'nullValue'
}

export function decoderOf(type: WireType): Decode {
  switch (type.kind) {
    case 'bool':
      return (cell) => cell.boolValue
    case 'int64':
      return (cell) => BigInt(cell.stringValue!)
    case 'float32':
    case 'float64':
      // NaN and the infinities are sent as text.
      return (cell) => (cell.kind === 'numberValue' ? cell.numberValue : Number(cell.stringValue))
    case 'timestamp':
      return (cell) => preciseDate(cell.stringValue!)
    case 'bytes':
      return (cell) => Buffer.from(cell.stringValue!, 'base64')
    case 'array': {
      const item = decoderOf(type.of)
      return (cell) => cell.listValue!.values.map((each) => (isNull(each) ? null : item(each)))
    }
    case 'numeric':
    case 'string':
    case 'date':
    case 'json':
    case 'uuid':
      // A document stays text: which of its numbers fit into JavaScript's is for the dialect to say.
      return (cell) => cell.stringValue
    default:
      throw foreignKind(type, 'Cloud Spanner')
  }
}

/** Takes one row out of a flat list of values, from `start`. */
export type RowDecoder = (values: readonly ProtoValue[], start: number) => unknown[]

export function rowDecoder(types: readonly WireType[]): RowDecoder {
  return rowDecoderOf(types.map(decoderOf))
}

export function rowDecoderOf(decoders: readonly Decode[]): RowDecoder {
  const width = decoders.length
  return (values, start) => {
    const cells = new Array<unknown>(width)
    for (let at = 0; at < width; at++) {
      const cell = values[start + at]!
      cells[at] = isNull(cell) ? null : decoders[at]!(cell)
    }
    return cells
  }
}

const decodersByColumns = new WeakMap<readonly PhysicalColumn[], RowDecoder>()

/** One decoder per list of columns, which a compiled table keeps for good. */
export function columnsDecoder(columns: readonly PhysicalColumn[]): RowDecoder {
  let decoder = decodersByColumns.get(columns)
  if (!decoder) {
    decoder = rowDecoder(columns.map((column) => column.type))
    decodersByColumns.set(columns, decoder)
  }
  return decoder
}
