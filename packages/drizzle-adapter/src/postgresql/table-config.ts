import { IsothermError } from '@isotherm/core'
import { constraintName } from '@isotherm/core/adapter'
import { is, type Column, type Table } from 'drizzle-orm'
import { getTableConfig, type ForeignKey, type PgTable } from 'drizzle-orm/pg-core'
import { extraConfigOf, nameOf } from '../drizzle-internals.js'
import { IndexBuilder } from '../googlesql/indexes.js'
import { Interleaving } from '../googlesql/interleave.js'
import { LoadExpectation, RowDeletionPolicy, TableLintException } from '../googlesql/table-options.js'
import { qualifiedName, uniqueName } from '../schema/names.js'
import type { Declarations, DeclaredForeignKey, DeclaredKey, DdlWords } from '../schema/table-kind.js'
import { ImmutableColumns } from './immutable.js'
import { declaredIndex } from './indexes.js'
import { quoteName, quoteText } from './literals.js'
import { isEnum, refuseColumn } from './refusals.js'

type Config = ReturnType<typeof getTableConfig>

/** As much of a `pgTable` as says what its primary key is. */
export function declaredKey(table: Table): DeclaredKey {
  const { columns, primaryKeys } = getTableConfig(table as PgTable)
  return {
    columns,
    primaryKeys: primaryKeys.map((key) => ({
      parts: key.columns.map((column) => ({ column, order: 'asc' })),
    })),
    interleaving: options(table, Interleaving).at(-1),
  }
}

/**
 * All that a `pgTable` was told, in Drizzle's words and in Spanner's.
 *
 * @throws {IsothermError} `UNSUPPORTED` for what Spanner has not.
 */
export function declaredTable(table: Table, words: DdlWords): Declarations {
  const config = getTableConfig(table as PgTable)
  if (config.enableRLS || config.policies.length > 0) {
    throw refused(
      table,
      'has row level security, which Spanner has not.',
      'Use roles with fine-grained access control.',
    )
  }
  for (const column of config.columns) refuseColumn(table, column)
  return {
    ...declaredKey(table),
    indexes: [
      ...config.indexes.map((index) => declaredIndex(table, index)),
      ...options(table, IndexBuilder).map((builder) => builder.build(table).config),
    ],
    uniques: uniques(table, config),
    foreignKeys: config.foreignKeys.map((key) => foreignKey(table, key, words)),
    checks: [...config.checks, ...enumChecks(table, config.columns, words)],
    rowDeletion: options(table, RowDeletionPolicy).at(-1),
    expectedLoad: options(table, LoadExpectation).at(-1)?.load,
    lintExceptions: options(table, TableLintException),
  }
}

/** Columns that are never changed, by their names. */
export function immutableColumns(table: Table): ReadonlySet<string> {
  return new Set(options(table, ImmutableColumns).flatMap(({ columns }) => columns.map(({ name }) => name)))
}

/** What the third argument of `pgTable` gives of Spanner's own; Drizzle passes over it. */
function options<T>(table: Table, type: { prototype: T } & Parameters<typeof is>[1]): T[] {
  const extra = extraConfigOf(table) ?? []
  return Object.values(extra)
    .flat(1)
    .filter((each): each is T => is(each, type))
}

function uniques(table: Table, { columns, uniqueConstraints }: Config): Declarations['uniques'] {
  const own = columns.filter(({ isUnique }) => isUnique)
  if (
    own.some(({ uniqueType }) => uniqueType === 'not distinct') ||
    uniqueConstraints.some(({ nullsNotDistinct }) => nullsNotDistinct)
  ) {
    throw refused(
      table,
      'has a unique constraint with NULLS NOT DISTINCT, which Spanner has not.',
      'Leave it out, and declare the columns notNull().',
    )
  }
  return [
    ...own.map((column) => ({
      name: column.uniqueName ?? uniqueName(table, [column]),
      columns: [column],
    })),
    ...uniqueConstraints.map((constraint) => ({
      name: constraint.getName() ?? uniqueName(table, constraint.columns),
      columns: constraint.columns,
    })),
  ]
}

/** What Spanner's PostgreSQL has for the longest name. */
const MAX_NAME = 63

function foreignKey(table: Table, key: ForeignKey, words: DdlWords): DeclaredForeignKey {
  const { onDelete = 'no action', onUpdate = 'no action' } = key
  const reference = key.reference()
  if (onUpdate !== 'no action') {
    throw refused(
      table,
      `has a foreign key with ON UPDATE ${onUpdate.toUpperCase()}, which Spanner has not.`,
      'Leave onUpdate out: a key does not change.',
    )
  }
  if (onDelete !== 'no action' && onDelete !== 'cascade') {
    throw refused(
      table,
      `has a foreign key with ON DELETE ${onDelete.toUpperCase()}, which Spanner has not.`,
      "Use 'cascade', or 'no action', which refuses the deletion.",
    )
  }
  const names = (columns: readonly Column[]): string[] => columns.map((column) => words.columnName(column))
  // As Drizzle calls it, unless the name would be cut off.
  const long = [
    nameOf(table),
    ...names(reference.columns),
    nameOf(reference.foreignTable),
    ...names(reference.foreignColumns),
    'fk',
  ].join('_')
  return {
    ...reference,
    name: reference.name ?? (long.length <= MAX_NAME ? long : undefined),
    onDelete,
    enforced: true,
  }
}

/** An enum is text, and a check says which. */
function enumChecks(table: Table, columns: readonly Column[], words: DdlWords): Declarations['checks'] {
  return columns.filter(isEnum).map((column) => {
    const name = words.columnName(column)
    const values = (column.enumValues ?? []).map(quoteText).join(', ')
    return {
      name: constraintName(qualifiedName(table), name, 'enum'),
      value: `${quoteName(name)} in (${values})`,
    }
  })
}

function refused(table: Table, what: string, fix: string): IsothermError {
  return new IsothermError('UNSUPPORTED', `${qualifiedName(table)} ${what}`, {
    fix,
    table: qualifiedName(table),
  })
}
