import type { Column } from '../model/column.js'
import type { Table } from '../model/table.js'
import { indexOfZone, type SqlCall, type SqlCast, type SqlText } from '../sql/syntax-tree.js'
import { isName } from '../sql/token.js'
import { nodesIn } from '../sql/walk.js'
import { columnNamed } from './expressions.js'
import { literalOf, ungrouped } from './sql-search.js'

/** A text, or a part of a date, that is not the same in every database. */
export interface UnstableText {
  readonly cause: 'zone' | 'number'
  /** `the text of lastAccess`, `FORMAT_TIMESTAMP of lastAccess`. */
  readonly what: string
  /** The column's name in the database. */
  readonly of: string
}

const TEXTS = new Set(['string', 'text', 'varchar', 'character', 'character varying'])

/** Functions of a timestamp that take a time zone after so many arguments, and else have the database's. */
const ZONED: ReadonlyMap<string, { readonly time: number; readonly zone: number }> = new Map([
  ['format_timestamp', { time: 1, zone: 2 }],
  ['string', { time: 0, zone: 1 }],
  ['date', { time: 0, zone: 1 }],
  ['extract', { time: 1, zone: 2 }],
  ['timestamp_trunc', { time: 0, zone: 2 }],
  ['date_trunc', { time: 1, zone: 2 }],
  ['to_char', { time: 0, zone: Number.POSITIVE_INFINITY }],
  ['format', { time: 1, zone: Number.POSITIVE_INFINITY }],
])

/** Parts of a time that are the same in every zone. */
const EVERYWHERE = /^(?:epoch|(?:nano|micro|milli)?seconds?)$/i

/** What is unstable in expressions that are about to be hashed. */
export function unstableTexts(table: Table, texts: readonly SqlText[]): UnstableText[] {
  return texts.flatMap((text) =>
    [...nodesIn(text)].flatMap((node) => {
      if (node.kind === 'cast') return unstableCast(table, node)
      return node.kind === 'call' ? unstableCall(table, node) : []
    }),
  )
}

function unstableCast(table: Table, { operand, type: { name: type }, format }: SqlCast): UnstableText[] {
  const column = soleColumn(table, operand)
  if (!column || indexOfZone(format) >= 0) return []
  const { name } = column
  if (column.type.kind === 'timestamp' && (TEXTS.has(type) || type === 'date')) {
    return [{ cause: 'zone', what: `the ${type === 'date' ? 'date' : 'text'} of ${name}`, of: name }]
  }
  const number = ['float32', 'float64', 'numeric'].includes(column.type.kind)
  return number && TEXTS.has(type) ? [{ cause: 'number', what: `the text of ${name}`, of: name }] : []
}

function unstableCall(table: Table, { name, args }: SqlCall): UnstableText[] {
  const places = ZONED.get(name)
  const time = places && args[places.time]
  const column = time && soleColumn(table, time)
  if (!places || column?.type.kind !== 'timestamp' || args.length > places.zone) return []
  if (name === 'extract' && EVERYWHERE.test(literalOf(args[0]) ?? '')) return []
  return [{ cause: 'zone', what: `${name.toUpperCase()} of ${column.name}`, of: column.name }]
}

function soleColumn(table: Table, text: SqlText): Column | undefined {
  // A cast in between makes it something else, and is judged by itself.
  const [only, ...more] = ungrouped(text)
  if (more.length > 0) return undefined
  return isName(only) ? columnNamed(table, only.text) : undefined
}
