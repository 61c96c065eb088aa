import { unescapeField } from './escapes.js'

/** A request as the log tells it. */
export interface ParsedRequest {
  readonly time: Date
  readonly client: string
  /** Null where the request line is not a request; `path` is then the whole of it. */
  readonly method: string | null
  readonly path: string
  readonly status: bigint
  /** Null for `-`: no body was sent. */
  readonly bytes: bigint | null
  /** Null for `-`, and in the common log format, which does not have it. */
  readonly referrer: string | null
  readonly agent: string | null
}

/** Longer than servers let a request's head be: what is longer is not a log line, but some other kind of file. */
const MAX_LENGTH = 65_536

export const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const QUOTED = /[^"\\]*(?:\\.[^"\\]*)*/.source

// The agent's closing quote may be missing: a line that was cut off while it was written is a request all the same.
const LINE = new RegExp(
  [
    /^(?<client>\S+) \S+ \S+ /,
    /\[(?<day>\d\d)\/(?<month>[A-Z][a-z]{2})\/(?<year>\d{4}):(?<clock>\d\d:\d\d:\d\d) (?<offset>[+-]\d{4})\] /,
    `"(?<request>${QUOTED})" `,
    /(?<status>\d{3}) (?<bytes>\d{1,18}|-)/,
    `(?: "(?<referrer>${QUOTED})" "(?<agent>${QUOTED})(?:"(?: .*)?)?)?$`,
  ]
    .map((part) => (typeof part === 'string' ? part : part.source))
    .join(''),
  's',
)

const REQUEST = /^(?<method>[A-Z][A-Z_-]*) (?<path>\S.*?)(?: HTTP\/\d(?:\.\d)?)?$/s

/**
 * Reads a line of Apache's common or combined log form (fields that a server appends to the latter are passed over).
 * Undefined for a line of any other form, and for a time that there is not.
 *
 * @example
 * parseLine('::1 - - [17/May/2015:10:05:03 +0200] "GET /a HTTP/1.1" 200 - "-" "curl/8"')
 * // { client: '::1', time: 2015-05-17T08:05:03Z, method: 'GET', path: '/a', status: 200n, bytes: null, … }
 */
export function parseLine(text: string): ParsedRequest | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const fields = LINE.exec(text)?.groups as LineFields | undefined
  const time = fields && parseTime(fields)
  if (!time) return undefined
  const { client, request, status, bytes, referrer = '-', agent = '-' } = fields
  return {
    time,
    client,
    ...parseRequestLine(unescapeField(request)),
    status: BigInt(status),
    bytes: bytes === '-' ? null : BigInt(bytes),
    referrer: referrer === '-' ? null : unescapeField(referrer),
    agent: agent === '-' ? null : unescapeField(agent),
  }
}

/** The groups of `LINE`; all but the last two are there wherever it matches. */
interface LineFields {
  readonly client: string
  readonly day: string
  readonly month: string
  readonly year: string
  readonly clock: string
  readonly offset: string
  readonly request: string
  readonly status: string
  readonly bytes: string
  readonly referrer?: string
  readonly agent?: string
}

function parseTime({ day, month, year, clock, offset }: LineFields): Date | undefined {
  const monthNumber = String(MONTHS.indexOf(month) + 1).padStart(2, '0')
  const local = `${year}-${monthNumber}-${day}T${clock}`
  const time = new Date(`${local}Z`)
  // JavaScript takes 31 April for 1 May, and 24:00:00 for the day after.
  if (Number.isNaN(time.getTime()) || !time.toISOString().startsWith(local)) return undefined
  const minutes = Number(offset.slice(3))
  if (minutes > 59) return undefined
  const behind = (Number(offset.slice(1, 3)) * 60 + minutes) * 60_000
  const utc = new Date(time.getTime() - (offset.startsWith('-') ? -behind : behind))
  // The years of a database's timestamp.
  return utc.getUTCFullYear() >= 1 && utc.getUTCFullYear() <= 9999 ? utc : undefined
}

function parseRequestLine(text: string): { method: string | null; path: string } {
  const { method, path } = REQUEST.exec(text)?.groups ?? {}
  return method === undefined || path === undefined ? { method: null, path: text } : { method, path }
}
