import { invalid } from './invalid.js'

// A migration is called `20261121093000_add_orders`: its time stamp, in UTC, is its place among the others.

const NAME = /^(\d{14})_([A-Za-z0-9][A-Za-z0-9_-]*)$/

/** As long as a name may be: it is part of a key. */
const LONGEST = 200

/**
 * The time stamp of a migration's name.
 *
 * @param where for messages
 * @throws {IsothermError} `MIGRATION_INVALID` for what is no such name.
 */
export function stampOf(name: string, where: string): string {
  const stamp = NAME.exec(name)?.[1]
  if (stamp !== undefined && name.length <= LONGEST && stampAt(timeOf(stamp)) === stamp) return stamp
  throw invalid(
    where,
    'is not named as a migration is.',
    `Name it <YYYYMMDDHHmmss>_<name>, of letters, digits, _ and -, up to ${LONGEST} characters.`,
  )
}

/** The stamp for a new migration: of this moment, but after the last one. */
export function nextStamp(at: Date, last: string | undefined): string {
  const stamp = stampAt(at.getTime())
  if (last === undefined || stamp > last) return stamp
  return stampAt(timeOf(last) + 1000)
}

function stampAt(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) return ''
  return new Date(milliseconds).toISOString().slice(0, 19).replace(/\D/g, '')
}

function timeOf(stamp: string): number {
  const [, date, hours, minutes, seconds] = /^(\d{8})(\d\d)(\d\d)(\d\d)$/.exec(stamp)!
  const day = `${date!.slice(0, 4)}-${date!.slice(4, 6)}-${date!.slice(6)}`
  return Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`)
}
