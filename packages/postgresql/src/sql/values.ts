import {
  type ColumnType,
  type JsonRules,
  NotAccepted,
  type ValueCodec,
  type ValueRules,
  compareText,
  no,
  valueCodec,
} from '@isotherm/core/engine'
import { md5Hash64 } from './hash-expression.js'

/**
 * The depth is limited by the stack of the server: this one is far from it.
 *
 * Source: https://www.postgresql.org/docs/current/datatype-json.html
 */
const JSON_RULES: JsonRules = {
  numbers: { whole: 131_072, fraction: 16_383 },
  nul: false,
  levels: 1_000,
  // Shorter names first, in bytes.
  compareNames: (a, b) => Buffer.byteLength(a) - Buffer.byteLength(b) || compareText(a, b),
}

const shared: ValueRules = {
  dialect: 'postgresql',
  nan: 'highest',
  numeric: 'wide',
  json: JSON_RULES,
  hash64: md5Hash64,
}

interface Precise {
  getNanoseconds(): number
}

/** A nanosecond below a microsecond is refused: PostgreSQL would round it in silence. */
function microseconds(time: unknown): unknown {
  const below = (time as Precise).getNanoseconds()
  if (below === 0) return time
  throw new NotAccepted(
    `stores microseconds, but the value has ${below} ns more: they would be lost. Round it, or use an int64 column.`,
  )
}

const anyTimestamp = valueCodec({ kind: 'timestamp' }, shared)

const timestamp: ValueCodec = {
  ...anyTimestamp,
  accept: (value) => microseconds(anyTimestamp.accept(value)),
  parse: (wire) => microseconds(anyTimestamp.parse(wire)),
}

/** No text of PostgreSQL contains the character NUL. */
function string(type: ColumnType): ValueCodec {
  const any = valueCodec(type, shared)
  const codec: ValueCodec = {
    ...any,
    accept(value) {
      const accepted = any.accept(value) as string
      if (accepted.includes('\0')) throw no('a string without the character NUL', value)
      return accepted
    },
    parse: (wire) => codec.accept(wire),
  }
  return codec
}

/** How values are checked, stored and ordered in PostgreSQL. */
export const postgresqlValues: ValueRules = {
  ...shared,
  own: (type) => (type.kind === 'timestamp' ? timestamp : type.kind === 'string' ? string(type) : undefined),
}
