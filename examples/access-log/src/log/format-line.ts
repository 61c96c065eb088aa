import { escapeField } from './escapes.js'
import { MONTHS, type ParsedRequest } from './parse-line.js'

export interface FormatOptions {
  /** `common` has neither referrer nor agent. Default: `combined`. */
  readonly form?: 'combined' | 'common'
  /** The server's offset from UTC. Default: 0. */
  readonly offsetMinutes?: number
}

/** A request as a line of Apache's log, without the line's end. */
export function formatLine(request: ParsedRequest, options: FormatOptions = {}): string {
  const { form = 'combined', offsetMinutes = 0 } = options
  const { client, method, path, status, bytes, referrer, agent } = request
  const requestLine = method === null ? path : `${method} ${path} HTTP/1.1`
  const time = formatTime(request.time, offsetMinutes)
  const common = `${client} - - [${time}] "${escapeField(requestLine)}" ${status} ${bytes ?? '-'}`
  return form === 'common' ? common : `${common} ${quoted(referrer)} ${quoted(agent)}`
}

function quoted(field: string | null): string {
  return `"${field === null ? '-' : escapeField(field)}"`
}

function formatTime(time: Date, offsetMinutes: number): string {
  const [date = '', clock = ''] = new Date(time.getTime() + offsetMinutes * 60_000).toISOString().split('T')
  const [year, month, day] = date.split('-')
  const offset = Math.abs(offsetMinutes)
  const [hours, minutes] = [Math.floor(offset / 60), offset % 60].map((part) => String(part).padStart(2, '0'))
  const sign = offsetMinutes < 0 ? '-' : '+'
  return `${day}/${MONTHS[Number(month) - 1]}/${year}:${clock.slice(0, 8)} ${sign}${hours}${minutes}`
}
