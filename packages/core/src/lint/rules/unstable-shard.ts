import type { Rule } from '../../engine/lint-rule.js'
import type { Column } from '../../model/column.js'
import type { Table } from '../../model/table.js'
import { type SqlCall, type SqlCast, type SqlText, indexOfZone, nodesIn } from '../../tokens/syntax-tree.js'
import { isName } from '../../tokens/lexical-syntax.js'
import { HASHES, callsIn, columnNamed, generatedText, literalOf, ungrouped } from '../expressions.js'

/**
 * A hashed text that is not the same everywhere: a time in the database's own time zone, or a number that engines
 * print differently. The hash, and with it the shard of the row, may change when the data moves to another database,
 * and a client cannot compute it from the row alone.
 *
 * @param microseconds SQL that has the microseconds of a timestamp as text
 *
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/data-definition-language, on default_time_zone
 */
export function unstableShard(microseconds: (column: string) => string): Rule {
  return {
    name: 'unstable-shard',
    severity: 'warning',
    check(table, report, { dialect }) {
      for (const column of table.columns) {
        const text = column.inherited ? undefined : generatedText(column, dialect)
        if (!text) continue
        const hashed = callsIn(text, HASHES).flatMap((call) => call.args)
        const found = new Map(
          unstableTexts(table, hashed).map((each) => [`${each.cause} ${each.what}`, each]),
        )
        for (const { cause, what, of } of found.values()) {
          report({
            column: column.property,
            message:
              cause === 'zone'
                ? `${column.property} hashes ${what}, which depends on the time zone of the database: in one with another ` +
                  'zone the same row has another value, and a client cannot compute it without knowing the zone.'
                : `${column.property} hashes ${what}, which engines print in different ways: nothing but this ` +
                  'database can compute it.',
            fix: cause === 'zone' ? zoneFix(microseconds(of)) : numberFix(table),
          })
        }
      }
    },
  }
}

function zoneFix(micros: string): string {
  return `Hash its microseconds, ${micros}, or name the zone: 'UTC'.`
}

function numberFix({ name }: Table): string {
  return `Hash an integer or a string of ${name} instead.`
}

/** A text, or a part of a date, that is not the same in every database. */
interface UnstableText {
  readonly cause: 'zone' | 'number'
  /** `the text of lastAccess`, `FORMAT_TIMESTAMP of lastAccess`. */
  readonly what: string
  /** The column's name in the database. */
  readonly of: string
}

const TEXTS = new Set(['string', 'text', 'varchar', 'character', 'character varying'])

/** Functions of a timestamp that take a time zone as an argument, and otherwise use the database's. */
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

/** The unstable parts of expressions that are hashed. */
function unstableTexts(table: Table, texts: readonly SqlText[]): UnstableText[] {
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
  const positions = ZONED.get(name)
  const time = positions && args[positions.time]
  const column = time && soleColumn(table, time)
  if (!positions || column?.type.kind !== 'timestamp' || args.length > positions.zone) return []
  if (name === 'extract' && EVERYWHERE.test(literalOf(args[0]) ?? '')) return []
  return [{ cause: 'zone', what: `${name.toUpperCase()} of ${column.name}`, of: column.name }]
}

function soleColumn(table: Table, text: SqlText): Column | undefined {
  // A cast in between makes it something else, and is judged by itself.
  const [only, ...more] = ungrouped(text)
  if (more.length > 0) return undefined
  return isName(only) ? columnNamed(table, only.text) : undefined
}
