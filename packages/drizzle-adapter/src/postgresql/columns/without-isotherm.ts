import { IsothermError } from '@isotherm/core'
import type { ColumnDeclaration } from '@isotherm/core/adapter'
import { sql } from 'drizzle-orm'

// Columns of Isotherm's in an insert of `drizzle-orm/node-postgres` or `drizzle-orm/pglite`, which knows nothing of Isotherm. PostgreSQL
// itself makes most of their values: by DEFAULT, or as generated columns.

type MakeValue = () => unknown

/** On each such function, so that another copy of this package knows it. */
const MARK = Symbol.for('isotherm.drizzle.without-isotherm')

/** Whether only Drizzle's own inserts need this function: those of this package fill in keys by themselves. */
export function isWithoutIsotherm(makeValue: MakeValue | undefined): boolean {
  return makeValue !== undefined && MARK in makeValue
}

/**
 * What makes a value that PostgreSQL does not make; undefined where it does, and where the caller gives it.
 *
 * @param nameOf the column's name, which it gets when its table is made
 */
export function withoutIsotherm(declaration: ColumnDeclaration, nameOf: () => string): MakeValue | undefined {
  const makeValue = makerOf(declaration, nameOf)
  return makeValue && Object.assign(makeValue, { [MARK]: true })
}

function makerOf({ source, parentKey }: ColumnDeclaration, nameOf: () => string): MakeValue | undefined {
  if (parentKey) return undefined
  switch (source?.kind) {
    case 'timestamp':
      return source.from === 'commit' ? () => sql`transaction_timestamp()` : undefined
    case 'shard': {
      const { strategy, shards, first = 0, computedBy } = source
      if (strategy === 'hash') return computedBy === 'client' ? refusal(nameOf) : undefined
      // In SQL: a prepared insert makes its values once, and all its rows would be in one shard.
      return () => sql`${sql.raw(String(first))} + floor(random() * ${sql.raw(String(shards))})::bigint`
    }
    case 'hash':
      return source.computedBy === 'client' ? refusal(nameOf) : undefined
    case 'bit-reversed':
      return source.from === 'client' ? refusal(nameOf) : undefined
    case 'sequential':
      return refusal(nameOf)
    default:
      return undefined
  }
}

function refusal(nameOf: () => string): MakeValue {
  return () => {
    const column = nameOf()
    throw new IsothermError('UNSUPPORTED_WRITE', `Drizzle's own insert cannot make the value of ${column}.`, {
      fix: 'Give the value, or insert the row by openDatabase of @isotherm/core.',
      column,
    })
  }
}
