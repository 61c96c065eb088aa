import { kind, listOf, objectWith, oneOf, type Kind } from '@isotherm/core/adapter'
import { Column, is, isSQLWrapper, SQL, Subquery, Table, View } from 'drizzle-orm'

// The classes of declarations, to check the arguments of programs without types.

export const column: Kind = kind('a column, such as users.id', (value) => is(value, Column))

/** In a circle of imports a table may still be undefined. */
export const table: Kind = kind('a table; one of another module has to be loaded by now', (value) =>
  is(value, Table),
)

export const tableOrView: Kind = kind('a table or a view', (value) => is(value, Table) || is(value, View))

/** The sources that a query can read from. */
export const source: Kind = kind(
  'a table, a view, a subquery or sql`…`; one of another module has to be loaded by now',
  (value) => [Table, View, Subquery, SQL].some((type) => is(value, type as typeof Table)),
)

/** The statements that `db.execute` runs. */
export const statement: Kind = kind(
  'SQL, such as sql`select 1`, or its text',
  (value) => typeof value === 'string' || isSQLWrapper(value),
)

/** A query of either dialect's. */
export const query: Kind = objectWith(
  'a query, such as db.select().from(users)',
  'getSQL',
  'getSelectedFields',
)

export const condition: Kind = kind('a condition, such as gt(t.quantity, 0n), or sql`…`', (value) =>
  is(value, SQL),
)

export const onDelete: Kind = oneOf('cascade', 'no action')

export const skipRange: Kind = kind(
  'two bigints: [1n, 1000n]',
  (value) => Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === 'bigint'),
)

export const columns: Kind = listOf(column, 'a list of columns, such as [users.id]')
