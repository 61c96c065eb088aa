import { CommandError } from './command-error.js'

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/**
 * Milliseconds of `500ms`, `30s`, `5m`, `1h`.
 *
 * @throws {CommandError} for anything else.
 */
export function parseDuration(given: string, flag: string): number {
  const [, count, unit] = /^(\d+)(ms|s|m|h)$/.exec(given) ?? []
  if (count !== undefined && unit !== undefined) return Number(count) * UNITS[unit]!
  throw new CommandError('USAGE', `${flag} is ${JSON.stringify(given)}, and not a time.`, {
    fix: 'Write 500ms, 30s, 5m or 1h.',
  })
}

/** Milliseconds for people: `340 ms`, `12 s`, `4 min 5 s`. */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  const seconds = Math.round(milliseconds / 1_000)
  if (seconds < 60) return `${seconds} s`
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
