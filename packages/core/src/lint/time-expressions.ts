import type { SqlNode, SqlText } from '../sql/syntax-tree.js'
import { isName } from '../sql/token.js'
import { partsOf } from '../sql/walk.js'
import { beginningOf, literalOf } from './sql-search.js'

/** Whether an expression follows the time: step by step, or in strides of hours, months or years. */
export type Pace = 'fine' | 'coarse'

const CLOCKS = new Set([
  'current_timestamp',
  'current_date',
  'current_datetime',
  'now',
  'clock_timestamp',
  'statement_timestamp',
  'transaction_timestamp',
  'pending_commit_timestamp',
])

/** Clocks that need no parentheses, so that they look like columns. */
const BARE_CLOCKS = new Set(['current_timestamp', 'current_date', 'localtimestamp'])

/** Functions that keep the order of times, or at least their nearness. What is not listed may spread them. */
const ORDERLY = new Set(
  (
    'unix_micros unix_millis unix_seconds unix_date timestamp_micros timestamp_millis timestamp_seconds ' +
    'date_from_unix_date timestamp date string format_timestamp format_date to_char to_timestamp to_date ' +
    'timestamp_add timestamp_sub date_add date_sub div floor ceil round trunc abs ' +
    'coalesce ifnull lpad format'
  ).split(' '),
)
const TRUNCATING = new Set(['timestamp_trunc', 'date_trunc'])
const EXTRACTING = new Set(['extract', 'date_part'])
const ARITHMETIC = new Set(['+', '-', '*', '/', '.'])
/** Words of a type or a unit: `DATE_ADD(d, INTERVAL 1 DAY)`, `TIMESTAMP_TRUNC(t, HOUR)`. */
const UNIT =
  /^(?:interval|null|(?:nano|micro|milli)?seconds?|minutes?|hours?|days?|weeks?|isoweek|months?|quarters?|years?|isoyear)$/i

/**
 * The pace of an expression whose every value comes from a time: from a clock, or from a column that `what` calls a
 * time. Undefined where it reads anything else, or does with it what this file does not know.
 */
export function paceOf(
  text: SqlText,
  what: (name: string) => 'time' | 'other' | undefined,
): Pace | undefined {
  const found = new Set<Pace | 'nothing' | 'unknown'>()
  for (const node of beginningOf(text)) found.add(paceOfNode(node, what))
  if (found.has('unknown')) return undefined
  if (found.has('coarse')) return 'coarse'
  return found.has('fine') ? 'fine' : undefined
}

function paceOfNode(
  node: SqlNode,
  what: (name: string) => 'time' | 'other' | undefined,
): Pace | 'nothing' | 'unknown' {
  if (node.kind === 'string' || node.kind === 'bytes' || node.kind === 'number') return 'nothing'
  if (node.kind === 'symbol') return ARITHMETIC.has(node.text) ? 'nothing' : 'unknown'
  if (isName(node)) {
    const kind = what(node.text)
    if (kind !== undefined) return kind === 'time' ? 'fine' : 'unknown'
    if (node.kind === 'word' && BARE_CLOCKS.has(node.text.toLowerCase())) return 'fine'
    return UNIT.test(node.text) ? 'nothing' : 'unknown'
  }
  if (node.kind === 'call') {
    if (CLOCKS.has(node.name)) return 'fine'
    const coarse = TRUNCATING.has(node.name) || (EXTRACTING.has(node.name) && !isEpoch(node.args[0]))
    if (!coarse && !ORDERLY.has(node.name) && !EXTRACTING.has(node.name)) return 'unknown'
    return joined(node, what, coarse)
  }
  return joined(node, what, false)
}

function joined(
  node: SqlNode,
  what: (name: string) => 'time' | 'other' | undefined,
  coarse: boolean,
): Pace | 'nothing' | 'unknown' {
  const inner = partsOf(node).map((part) => {
    const constant = part.every((each) => paceOfNode(each, what) === 'nothing')
    return constant ? 'nothing' : (paceOf(part, what) ?? 'unknown')
  })
  if (inner.includes('unknown')) return 'unknown'
  if (inner.includes('coarse')) return 'coarse'
  if (!inner.includes('fine')) return 'nothing'
  return coarse ? 'coarse' : 'fine'
}

function isEpoch(part: SqlText | undefined): boolean {
  return literalOf(part)?.toLowerCase() === 'epoch'
}
