import { CommandError } from './command-error.js'
import { closest, distance } from 'fastest-levenshtein'

const LONGEST = 80

/** A value as a message shows it: on one line, and always short. */
export function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'bigint') return `${value}n`
  const text = json(value)
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`
}

function json(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    // A circle, or a bigint in it.
    return 'an object'
  }
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/**
 * Milliseconds of `500ms`, `30s`, `5m`, `1h`.
 *
 * @throws {CommandError} for anything else.
 */
export function parseDuration(text: string, flag: string): number {
  const [, count, unit] = /^(\d+)(ms|s|m|h)$/.exec(text) ?? []
  if (count !== undefined && unit !== undefined) return Number(count) * UNITS[unit]!
  throw new CommandError('USAGE', `${flag} is ${shown(text)}, and not a duration.`, {
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

/**
 * The known word that was probably meant; undefined if none is similar. In names with a prefix, `engine/rule`, only the
 * part after it is compared if the word has no prefix.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined
  const lower = word.toLowerCase()
  const compared = known.map((each) => {
    const name = each.toLowerCase()
    return lower.includes('/') ? name : name.slice(name.lastIndexOf('/') + 1)
  })
  const best = closest(lower, compared)
  const found = known[compared.indexOf(best)]!
  // More than a third of a word wrong is another word.
  return distance(lower, best) <= Math.max(1, Math.floor(best.length / 3)) ? found : undefined
}

/** `Did you mean schema?`, or else all that there is. */
export function suggestion(word: string, known: readonly string[]): string {
  const meant = nearest(word, known)
  return meant === undefined ? `Known are ${known.join(', ')}.` : `Did you mean ${meant}?`
}
