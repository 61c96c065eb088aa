import {
  IsothermError,
  type ResultType,
  type Wire,
  type WireType,
  preciseDate,
  shown,
} from '@isotherm/core/engine'

// Values as PostgreSQL reads and writes them in text.

/** A value to be sent. */
export function textOf(type: WireType, wire: Wire): string | null {
  if (wire === null) return null
  switch (type.kind) {
    case 'bytes':
      return `\\x${Buffer.from(String(wire), 'base64').toString('hex')}`
    case 'array':
      return arrayText(type.of, wire as readonly Wire[])
    default:
      return Object.is(wire, -0) ? '-0' : String(wire)
  }
}

/** Of these, no value has a character that would have to be quoted in a list. */
const BARE: ReadonlySet<WireType['kind']> = new Set([
  'bool',
  'int64',
  'float32',
  'float64',
  'numeric',
  'date',
  'timestamp',
  'uuid',
])

const SPECIAL = /["\\]/

/** Source: https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
function arrayText(of: WireType, items: readonly Wire[]): string {
  const itemText = BARE.has(of.kind)
    ? (item: Wire) => textOf(of, item) ?? 'NULL'
    : (item: Wire) => {
        const text = textOf(of, item)
        return text === null ? 'NULL' : quotedItem(text)
      }
  return `{${items.map(itemText).join(',')}}`
}

function quotedItem(text: string): string {
  return `"${SPECIAL.test(text) ? text.replaceAll(/["\\]/g, String.raw`\$&`) : text}"`
}

/** Converts one cell. */
type CellDecoder = (text: string) => unknown

/** Converts the cells of a row, in place of the texts of the answer. */
export type RowDecoder = (texts: readonly (string | null)[]) => unknown[]

export function rowDecoder(types: readonly WireType[]): RowDecoder {
  const decoders = types.map(decoderOf)
  return (texts) => texts.map((text, at) => (text === null ? null : decoders[at]!(text)))
}

const asIs: CellDecoder = (text) => text

function decoderOf(type: WireType): CellDecoder {
  switch (type.kind) {
    case 'bool':
      return (text) => text === 't'
    case 'int64':
      return BigInt
    case 'float32':
      // The shortest text of its 32 bits is that of another number of 64.
      return (text) => Math.fround(Number(text))
    case 'float64':
      return Number
    case 'bytes':
      return bytesOf
    case 'timestamp':
      return timestampOf
    case 'date':
      return dateOf
    case 'array': {
      const of = decoderOf(type.of)
      return (text) => itemsOf(text).map((item) => (item === null ? null : of(item)))
    }
    default:
      return asIs
  }
}

/** What nearly all connections write. */
const UTC = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00$/
const TIMESTAMP = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,6})?)([+-]\d\d)(?::(\d\d))?(?::(\d\d))?$/

/** `2026-11-27 22:40:00.123+00`, in the time zone of the connection. */
function timestampOf(text: string): Date {
  if (UTC.test(text)) return preciseDate(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`)
  const [, day, time, hours, minutes = '00', seconds = '00'] = TIMESTAMP.exec(text) ?? []
  if (day === undefined || time === undefined || hours === undefined) throw unreadable('timestamp', text)
  const local = preciseDate(`${day}T${time}Z`)
  const offset = (Math.abs(Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)
  if (offset === 0) return local
  const moment = new Date(local.getTime() - (hours.startsWith('-') ? -offset : offset) * 1000)
  const fraction = time.slice(8)
  return preciseDate(`${moment.toISOString().slice(0, 19)}${fraction}Z`)
}

function bytesOf(text: string): Buffer {
  if (text.startsWith(String.raw`\x`)) return Buffer.from(text.slice(2), 'hex')
  throw new IsothermError('INVALID_CLIENT', 'PostgreSQL sends bytes in another format than hex.', {
    fix: "Set bytea_output to hex, the default: ALTER ROLE … RESET bytea_output; or new Pool({ options: '-c bytea_output=hex' }).",
  })
}

function dateOf(text: string): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) throw unreadable('date', text)
  return text
}

function unreadable(
  kind: string,
  text: string,
  fix = `A ${kind} is from the year 1 to 9999 here, and DateStyle of the connection is ISO, the default.`,
): IsothermError {
  return new IsothermError('DATABASE', `PostgreSQL returned ${shown(text)} as a ${kind}.`, { fix })
}

/**
 * The items of a list: `{1,NULL,"a \"b\""}`.
 *
 * @throws {IsothermError} `DATABASE` for a list of lists, which no type here is.
 */
function itemsOf(text: string): (string | null)[] {
  if (text === '{}') return []
  const items: (string | null)[] = []
  // A list whose numbers do not begin at 1 says so first: `[0:1]={a,b}`.
  let at = text.indexOf('{') + 1
  // An item that begins with a brace has quotes around it.
  if (text[at] === '{') {
    throw unreadable('list', text, 'A list has one dimension here: select unnest(…), or to_jsonb(…).')
  }
  while (at < text.length) {
    if (text[at] === '"') {
      let item = ''
      for (at++; text[at] !== '"'; at++) {
        if (text[at] === '\\') at++
        item += text[at]
      }
      items.push(item)
      at += 2
    } else {
      const end = at + text.slice(at).search(/[,}]/)
      const item = text.slice(at, end)
      items.push(item === 'NULL' ? null : item)
      at = end + 1
    }
  }
  return items
}

/** Types by PostgreSQL's numbers, each with that of its list. Source: https://www.postgresql.org/docs/current/catalog-pg-type.html */
const TYPES: readonly (readonly [oid: number, list: number, type: WireType])[] = [
  [16, 1000, { kind: 'bool' }],
  [17, 1001, { kind: 'bytes', length: 'max' }],
  [20, 1016, { kind: 'int64' }],
  [21, 1005, { kind: 'int64' }],
  [23, 1007, { kind: 'int64' }],
  [26, 1028, { kind: 'int64' }],
  [25, 1009, { kind: 'string', length: 'max' }],
  [1042, 1014, { kind: 'string', length: 'max' }],
  [1043, 1015, { kind: 'string', length: 'max' }],
  [19, 1003, { kind: 'string', length: 'max' }],
  [114, 199, { kind: 'json' }],
  [3802, 3807, { kind: 'json' }],
  [700, 1021, { kind: 'float32' }],
  [701, 1022, { kind: 'float64' }],
  [1082, 1182, { kind: 'date' }],
  [1184, 1185, { kind: 'timestamp' }],
  [1700, 1231, { kind: 'numeric' }],
  [2950, 2951, { kind: 'uuid', storage: 'native' }],
]

/** A timestamp without a time zone, which is not a moment, and intervals: others have the text. */
const OTHERS = [1114, 1115, 1186, 1187, 1083, 1183]

/** The numbers of all types that a client may convert by itself. */
export const OIDS: readonly number[] = [...TYPES.flatMap(([oid, list]) => [oid, list]), ...OTHERS]

const BY_OID = new Map<number, ResultType>(
  TYPES.flatMap(([oid, list, type]): [number, ResultType][] => [
    [oid, type],
    [list, { kind: 'array', of: type }],
  ]),
)

/** The type of a column of an application's statement. */
export function resultType(oid: number): ResultType {
  return BY_OID.get(oid) ?? { kind: 'other', name: `type ${oid} of pg_type` }
}

/** Converts the rows of such a statement. */
export function resultDecoder(types: readonly ResultType[]): RowDecoder {
  const decoders = types.map((type) => (type.kind === 'other' ? asIs : decoderOf(type as WireType)))
  return (texts) => texts.map((text, at) => (text === null ? null : decoders[at]!(text)))
}
