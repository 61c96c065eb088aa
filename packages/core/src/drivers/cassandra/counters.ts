import { IsothermError } from '../../errors.js'
import type { CounterWrites } from '../../database/driver.js'
import type { CqlStatements } from '../../dialects/cql/statements.js'
import type { TableLayout } from '../../dialects/layout.js'
import type { Wire } from '../../dialects/wire.js'
import type { Session } from './execute.js'
import { sideBySide } from './side-by-side.js'

const SIDE_BY_SIDE = 64

/**
 * Additions to counters, each by itself: they are in no batch with one another, and whoever hears nothing of one cannot send
 * it again.
 *
 * Source: https://cassandra.apache.org/doc/5.0/cassandra/developing/cql/counter-column.html
 */
export function counterWrites(session: Session, statements: CqlStatements): CounterWrites {
  return {
    async add(layout, changes, options = {}) {
      const added: (readonly Wire[])[] = []
      let failure: { readonly error: unknown } | undefined
      await sideBySide(
        changes.length,
        SIDE_BY_SIDE,
        async (at) => {
          const { key, amounts } = changes[at]!
          const statement = statements.add(layout, key, amounts)
          try {
            await session.call('once', options, (call) => call.write(statement))
            added.push(key)
          } catch (error) {
            failure ??= { error }
          }
        },
        () => failure === undefined,
      )
      if (!failure) return
      throw added.length === 0 ? failure.error : partlyAdded(layout, added, changes.length, failure.error)
    },
  }
}

function partlyAdded(
  layout: TableLayout,
  added: readonly (readonly Wire[])[],
  of: number,
  cause: unknown,
): IsothermError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new IsothermError(
    'PARTLY_WRITTEN',
    `${added.length} of ${of} rows of ${layout.table.name} were added to; then one failed (${why}).`,
    {
      fix: 'rows has the keys of those that were added to: leave them out of the next attempt.',
      table: layout.table.name,
      rows: added.map((key) => rowOf(layout, key)),
      cause,
    },
  )
}

function rowOf({ key: parts }: TableLayout, key: readonly Wire[]): object {
  const fields = new Set(parts.map(({ field }) => field))
  return Object.fromEntries(
    Array.from(fields, (field) => {
      const wires = parts.flatMap((part, at) => (part.field === field ? [key[at]!] : []))
      return [field.column.property, field.parse(wires)]
    }),
  )
}
