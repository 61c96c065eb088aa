import { growsWithTime } from '../model/column-type.js'
import type { Column } from '../model/column.js'
import type { DialectName } from '../model/sql-expression.js'
import type { Table } from '../model/table.js'
import type { SqlText } from '../sql/syntax-tree.js'
import { nodesIn } from '../sql/walk.js'
import { columnNamed, defaultText, generatedText } from './expressions.js'
import { paceOf } from './time-expressions.js'
import { callsIn } from './sql-search.js'
import { timeOrderedId, timeOrderedName } from './time-ordered-names.js'

/** That the values of a column come in order, so that new ones lie beside each other. */
export interface Growth {
  /** Follows "which": `grows with time`. */
  readonly how: string
  /**
   * `grows`: every new value lies beyond the last. `stands`: values of one time are the same, so that the next column
   * decides. `hint`: only a name says so.
   */
  readonly kind: 'grows' | 'stands' | 'hint'
}

const RANDOM = new Set(['generate_uuid', 'new_uuid', 'gen_random_uuid', 'rand'])
const SEQUENCE_VALUE = new Set(['get_next_sequence_value', 'nextval'])
const SEQUENCE_STATE = new Set(['get_internal_sequence_state'])
const REVERSAL = new Set(['bit_reverse'])

/** How a column grows; undefined where nothing says that it does. */
export function growthOf(table: Table, column: Column, dialect: DialectName): Growth | undefined {
  const { source } = column
  if (source?.kind === 'time-bucket') {
    return { kind: 'stands', how: `is the same for all rows of one ${source.by}` }
  }
  if (growsWithTime(column.type)) return { kind: 'grows', how: 'grows with time' }
  if (source?.kind === 'sequential') return { kind: 'grows', how: 'counts up' }
  if (source) return undefined
  const generated = generatedText(column, dialect)
  if (generated) return growthOfGenerated(table, generated)
  const made = defaultText(column, dialect)
  return (made && growthOfDefault(made)) ?? (made && isRandom(made) ? undefined : growthByName(column))
}

function growthOfGenerated(table: Table, text: SqlText): Growth | undefined {
  const pace = paceOf(text, (name) => {
    const read = columnNamed(table, name)
    return read && (growsWithTime(read.type) ? 'time' : 'other')
  })
  if (pace === 'fine') return { kind: 'grows', how: 'is computed from a time alone and grows with it' }
  if (pace === 'coarse') return { kind: 'stands', how: 'is the same for all rows of one time' }
  return undefined
}

function growthOfDefault(text: SqlText): Growth | undefined {
  const pace = paceOf(text, () => undefined)
  if (pace === 'fine') return { kind: 'grows', how: 'has a default that reads the clock and grows with it' }
  if (pace === 'coarse')
    return { kind: 'stands', how: 'has a default that is the same for all rows of one time' }
  if (countsUp(text)) return { kind: 'grows', how: 'has a default that counts up' }
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
  const hint = timeOrderedName(column)
  return hint === undefined
    ? undefined
    : { kind: 'hint', how: `to judge by its name (${hint}) grows with time` }
}
