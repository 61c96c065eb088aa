import type { LintedDialect } from '../engine/lint-rule.js'
import { growsWithTime } from '../model/column-type.js'
import type { Column } from '../model/column.js'
import type { Table } from '../model/table.js'
import { type SqlNode, type SqlText, nodesIn, partsOf } from '../tokens/syntax-tree.js'
import { isName } from '../tokens/lexical-syntax.js'
import { orderedByName, timeByName, timeOrderedId } from './column-names.js'
import { beginningOf, callsIn, columnNamed, defaultText, generatedText, literalOf } from './expressions.js'

/** Says that the values of a column come in order, so that new ones are stored beside each other. */
export interface Growth {
  /** Follows "which": `grows with time`. */
  readonly how: string
  /**
   * `grows`: every new value is beyond the last. `stands`: values of one time are the same, so that the next column
   * decides. `hint`: only a name says so.
   */
  readonly kind: 'grows' | 'stands' | 'hint'
  /** Numbers that are counted up: they spread with their bits reversed. */
  readonly counts?: true
}

const RANDOM = new Set(['generate_uuid', 'new_uuid', 'gen_random_uuid', 'rand'])
const SEQUENCE_VALUE = new Set(['get_next_sequence_value', 'nextval'])
const SEQUENCE_STATE = new Set(['get_internal_sequence_state'])
const REVERSAL = new Set(['bit_reverse'])

/** How a column grows; undefined where nothing says that it does. */
export function growthOf(table: Table, column: Column, dialect: LintedDialect): Growth | undefined {
  const { source } = column
  if (source?.kind === 'time-bucket') {
    return { kind: 'stands', how: `is the same for all rows of one ${source.by}` }
  }
  if (source?.kind === 'sequential') return { kind: 'grows', how: 'counts up', counts: true }
  if (source && !growsWithTime(column.type)) return undefined
  const generated = generatedText(column, dialect)
  const computed = generated && growthOfGenerated(table, generated)
  // A time that is cut to the hour or the day is the same for an hour or a day, and still a time.
  const isTime = growsWithTime(column.type)
  if (computed) return isTime && computed.kind === 'stands' ? { ...computed, kind: 'grows' } : computed
  if (generated && !isTime) return undefined
  const made = defaultText(column, dialect)
  const defaultGrowth = made && growthOfDefault(made)
  if (isTime) return defaultGrowth ?? growthOfTime(column)
  return defaultGrowth ?? (made && isRandom(made) ? undefined : growthByName(column))
}

/** A time grows unless its name has it about something else than the writing of its row. */
function growthOfTime(column: Column): Growth | undefined {
  const about = column.source ? 'written' : timeByName(column)
  if (about === 'written') return { kind: 'grows', how: 'grows with time' }
  if (about === 'unrelated') return undefined
  return { kind: 'hint', how: HINTS[about] }
}

const HINTS = {
  planned: 'to judge by its name lies ahead of the writing, and grows with time if always by as much',
  edge: 'to judge by its name is a start or an end, and grows with time if its row is written then',
  unknown: 'is a date and grows with time if it is the day of the writing',
}

function growthOfGenerated(table: Table, text: SqlText): Growth | undefined {
  // Where only names say that it is a time that is read, only names say that the column grows.
  let byName = false
  const granularity = granularityOf(text, (name) => {
    const read = columnNamed(table, name)
    if (!read) return undefined
    const { kind } = (growsWithTime(read.type) ? growthOfTime(read) : growthByName(read)) ?? {}
    if (kind === 'hint') byName = true
    return kind === undefined ? 'other' : 'time'
  })
  if (granularity === 'coarse')
    return { kind: byName ? 'hint' : 'stands', how: 'is the same for all rows of one time' }
  if (granularity === undefined) return undefined
  return byName
    ? { kind: 'hint', how: 'is computed from what to judge by its name grows with time' }
    : { kind: 'grows', how: 'is computed from a time alone and grows with it' }
}

function growthOfDefault(text: SqlText): Growth | undefined {
  const granularity = granularityOf(text, () => undefined)
  if (granularity === 'fine')
    return { kind: 'grows', how: 'has a default that reads the clock and grows with it' }
  if (granularity === 'coarse')
    return { kind: 'stands', how: 'has a default that is the same for all rows of one time' }
  if (countsUp(text)) return { kind: 'grows', how: 'has a default that counts up', counts: true }
  const made = [...nodesIn(text)].find(
    (node) => node.kind === 'call' && timeOrderedId(node.name) !== undefined,
  )
  if (made?.kind !== 'call') return undefined
  return { kind: 'hint', how: `has a default, ${made.name}, that to judge by its name begins with the time` }
}

/**
 * Every sequence, identity, AUTO_INCREMENT and SERIAL of Spanner hands its numbers out with their bits reversed. Two
 * ways are left to count up: to reverse them once more, or to read the counter itself.
 *
 * Source: https://cloud.google.com/spanner/docs/primary-key-default-value#serial-auto-increment
 */
function countsUp(text: SqlText): boolean {
  const reversals = callsIn(text, REVERSAL)
  const twice = reversals.some((call) => call.args.some((part) => callsIn(part, SEQUENCE_VALUE).length > 0))
  return twice || (reversals.length === 0 && callsIn(text, SEQUENCE_STATE).length > 0)
}

function isRandom(text: SqlText): boolean {
  return callsIn(text, RANDOM).length > 0 || callsIn(text, SEQUENCE_VALUE).length > 0
}

function growthByName(column: Column): Growth | undefined {
  const hint = orderedByName(column)
  if (!hint) return undefined
  return hint.kind === 'count'
    ? { kind: 'hint', how: `to judge by its name (${hint.words}) counts up`, counts: true }
    : { kind: 'hint', how: `to judge by its name (${hint.words}) grows with time` }
}

/** Whether an expression follows the time: step by step, or in strides of hours, months or years. */
type Granularity = 'fine' | 'coarse'

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

/** Functions that keep the order of times, or at least their nearness. Functions that are not listed may spread them. */
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
function granularityOf(
  text: SqlText,
  what: (name: string) => 'time' | 'other' | undefined,
): Granularity | undefined {
  const found = new Set<Granularity | 'nothing' | 'unknown'>()
  for (const node of beginningOf(text)) found.add(granularityOfNode(node, what))
  if (found.has('unknown')) return undefined
  if (found.has('coarse')) return 'coarse'
  return found.has('fine') ? 'fine' : undefined
}

function granularityOfNode(
  node: SqlNode,
  what: (name: string) => 'time' | 'other' | undefined,
): Granularity | 'nothing' | 'unknown' {
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
): Granularity | 'nothing' | 'unknown' {
  const inner = partsOf(node).map((part) => {
    const constant = part.every((each) => granularityOfNode(each, what) === 'nothing')
    return constant ? 'nothing' : (granularityOf(part, what) ?? 'unknown')
  })
  if (inner.includes('unknown')) return 'unknown'
  if (inner.includes('coarse')) return 'coarse'
  if (!inner.includes('fine')) return 'nothing'
  return coarse ? 'coarse' : 'fine'
}

function isEpoch(part: SqlText | undefined): boolean {
  return literalOf(part)?.toLowerCase() === 'epoch'
}
