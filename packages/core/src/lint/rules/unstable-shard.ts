import type { Table } from '../../model/table.js'
import { generatedText } from '../expressions.js'
import { callsIn, HASHES } from '../sql-search.js'
import { unstableTexts } from '../unstable-text.js'
import type { Rule } from '../rule.js'

/**
 * A hashed text that is not the same everywhere: a time in the database's own time zone, or a number that engines
 * print differently. The hash, and with it the place of the row, may change when the data moves to another database,
 * and a client cannot compute it from the row alone.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/data-definition-language, on default_time_zone
 */
export const unstableShard: Rule = {
  name: 'unstable-shard',
  severity: 'warning',
  check(table, report, { dialect }) {
    for (const column of table.columns) {
      const text = column.inherited ? undefined : generatedText(column, dialect)
      if (!text) continue
      const hashed = callsIn(text, HASHES).flatMap((call) => call.args)
      const found = new Map(unstableTexts(table, hashed).map((each) => [`${each.cause} ${each.what}`, each]))
      for (const { cause, what, of } of found.values()) {
        report({
          column: column.property,
          message:
            cause === 'zone'
              ? `${column.property} hashes ${what}, which depends on the time zone of the database: in one with another ` +
                'zone the same row has another value, and a client cannot compute it without knowing the zone.'
              : `${column.property} hashes ${what}, which engines print in different ways: nothing but this ` +
                'database can compute it.',
          fix: cause === 'zone' ? zoneFix(of, dialect) : numberFix(table),
        })
      }
    }
  },
}

function zoneFix(column: string, dialect: string): string {
  const micros =
    dialect === 'googlesql'
      ? `CAST(UNIX_MICROS(${column}) AS STRING)`
      : `((extract(epoch from ${column}) * 1000000)::bigint)::text`
  return `Hash its microseconds, ${micros}, or name the zone: 'UTC'.`
}

function numberFix({ name }: Table): string {
  return `Hash an integer or a string of ${name} instead.`
}
