import type { ResultColumn, ResultType } from '../../database/driver.js'
import type { WireType } from '../../dialects/wire.js'
import { rowTaker, type RowTaker } from './result-stream.js'
import { decoderOf, rowDecoderOf, type Decode, type ProtoStruct, type ProtoType } from './values.js'

// Results of statements that are not ours, read by what the engine says of their columns.
// Source: https://cloud.google.com/spanner/docs/reference/rpc/google.spanner.v1#type

const KINDS: Readonly<Record<string, ResultType>> = {
  BOOL: { kind: 'bool' },
  INT64: { kind: 'int64' },
  FLOAT32: { kind: 'float32' },
  FLOAT64: { kind: 'float64' },
  NUMERIC: { kind: 'numeric' },
  STRING: { kind: 'string', length: 'max' },
  BYTES: { kind: 'bytes', length: 'max' },
  DATE: { kind: 'date' },
  TIMESTAMP: { kind: 'timestamp' },
  JSON: { kind: 'json' },
  UUID: { kind: 'uuid', storage: 'native' },
}

export function columnsOf({ fields }: ProtoStruct): ResultColumn[] {
  return fields.map(({ name, type }) => ({ name, type: resultType(type) }))
}

function resultType({ code, arrayElementType, structType }: ProtoType): ResultType {
  if (code === 'ARRAY') return { kind: 'array', of: resultType(arrayElementType!) }
  if (code === 'STRUCT') return { kind: 'struct', fields: columnsOf(structType!) }
  return KINDS[code] ?? { kind: 'other', name: code }
}

function decodeOf(type: ResultType): Decode {
  switch (type.kind) {
    case 'array': {
      const item = decodeOf(type.of)
      return (cell) => cell.listValue!.values.map((each) => (each.kind === 'nullValue' ? null : item(each)))
    }
    case 'struct': {
      const decode = rowDecoderOf(type.fields.map((field) => decodeOf(field.type)))
      return (cell) => decode(cell.listValue!.values, 0)
    }
    case 'other':
      return (cell) => cell.stringValue ?? cell.numberValue ?? cell.boolValue ?? cell.listValue
    default:
      return decoderOf(type as WireType)
  }
}

interface DescribedTaker {
  readonly columns: ResultColumn[]
  /** Once all rows are taken: what a DML statement touched. */
  readonly rowCount: number | undefined
  readonly take: RowTaker
}

/** Takes rows of whatever columns the first message speaks of. */
export function describedTaker(): DescribedTaker {
  const columns: ResultColumn[] = []
  let rowCount: number | undefined
  let inner: RowTaker | undefined
  return {
    columns,
    get rowCount() {
      return rowCount
    },
    take(part, rows) {
      const count = part.stats?.rowCountExact
      if (count !== undefined && count !== null) rowCount = Number(count)
      if (!inner) {
        const struct = part.metadata?.rowType
        if (!struct || struct.fields.length === 0) return
        columns.push(...columnsOf(struct))
        inner = rowTaker(rowDecoderOf(columns.map(({ type }) => decodeOf(type))), columns.length)
      }
      inner(part, rows)
    },
  }
}
