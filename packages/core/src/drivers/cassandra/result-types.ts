import { types } from 'cassandra-driver'
import type { ResultColumn, ResultType } from '../../database/driver.js'
import type { WireType } from '../../dialects/wire.js'

// Results of statements that are not ours, read by what the client says of their columns.

/** What the client says of a result's column. */
interface ClientType {
  readonly code: number
  readonly info?: unknown
}

/** Plain numbers, as they come with a result. */
const codes = types.dataTypes as unknown as Readonly<Record<keyof typeof types.dataTypes, number>>

interface ClientUserType {
  readonly fields: readonly { readonly name: string; readonly type: ClientType }[]
}

const KINDS: Readonly<Record<number, WireType>> = {
  [codes.ascii]: { kind: 'ascii' },
  [codes.bigint]: { kind: 'int64' },
  [codes.blob]: { kind: 'bytes', length: 'max' },
  [codes.boolean]: { kind: 'bool' },
  [codes.counter]: { kind: 'counter' },
  [codes.decimal]: { kind: 'decimal' },
  [codes.double]: { kind: 'float64' },
  [codes.float]: { kind: 'float32' },
  [codes.int]: { kind: 'int32' },
  [codes.text]: { kind: 'string', length: 'max' },
  [codes.varchar]: { kind: 'string', length: 'max' },
  [codes.timestamp]: { kind: 'timestamp' },
  [codes.uuid]: { kind: 'uuid' },
  [codes.varint]: { kind: 'varint' },
  [codes.timeuuid]: { kind: 'timeuuid' },
  [codes.inet]: { kind: 'inet' },
  [codes.date]: { kind: 'date' },
  [codes.time]: { kind: 'time' },
  [codes.smallint]: { kind: 'int16' },
  [codes.tinyint]: { kind: 'int8' },
  [codes.duration]: { kind: 'duration' },
}

/** The columns of a result that is nobody's model. A user type is read as a structure. */
export function resultColumns(result: types.ResultSet): ResultColumn[] {
  return (result.columns ?? []).map(({ name, type }) => ({ name, type: resultType(type as ClientType) }))
}

function resultType({ code, info }: ClientType): ResultType {
  switch (code) {
    case codes.list:
      return { kind: 'array', of: resultType(info as ClientType) }
    case codes.set:
      return { kind: 'set', of: resultType(info as ClientType) }
    case codes.map: {
      const [key, of] = info as readonly [ClientType, ClientType]
      return { kind: 'map', key: resultType(key), of: resultType(of) }
    }
    case codes.tuple:
      return { kind: 'tuple', of: (info as readonly ClientType[]).map(resultType) }
    case codes.udt: {
      const { fields } = info as ClientUserType
      return { kind: 'struct', fields: fields.map(({ name, type }) => ({ name, type: resultType(type) })) }
    }
    case codes.custom:
      return customType(String(info))
    default:
      return KINDS[code] ?? { kind: 'other', name: String(code) }
  }
}

const MARSHAL = 'org.apache.cassandra.db.marshal.'

/** Types that this version of the protocol has no code for go by the name of their class. */
function customType(name: string): ResultType {
  const short = name.replaceAll(MARSHAL, '')
  if (short === 'DurationType') return { kind: 'duration' }
  const [, dimensions] = /^VectorType\(FloatType\s*,\s*(\d+)\)$/.exec(short) ?? []
  if (dimensions !== undefined) return { kind: 'vector', of: 'float32', dimensions: Number(dimensions) }
  return { kind: 'other', name: short }
}
