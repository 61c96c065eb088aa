import { checkArgument, constraintName } from '@isotherm/core/adapter'
import { type Column, type Table, entityKind, is } from 'drizzle-orm'
import { columns as someColumns } from '../../arguments.js'
import {
  CheckBuilder,
  type ForeignKey,
  ForeignKeyBuilder,
  IndexBuilder as DrizzleIndexBuilder,
  PgArray,
  type PgColumn,
  PgPolicy,
  type PgSequence,
  type PgTable,
  PrimaryKeyBuilder,
  UniqueConstraintBuilder,
  getTableConfig,
} from 'drizzle-orm/pg-core'
import { IsothermError, type SequenceOptions } from '@isotherm/core'
import {
  type DdlSyntax,
  type Declarations,
  type DeclaredForeignKey,
  type DeclaredKey,
  inSchema,
  qualifiedName,
  uniqueName,
} from '../../table-kind/table-kind.js'
import type { IdentityConfig, SequenceConfig } from '../columns/declaration.js'
import { nameOf } from '../../drizzle-internals.js'
import { IndexBuilder } from '../../googlesql/tables/indexes.js'
import {
  Interleaving,
  TableWorkload,
  RowDeletionPolicy,
  TableSuppression,
} from '../../googlesql/tables/table-options.js'
import { extrasOf } from '../../googlesql/tables/extras.js'
import { declaredIndex } from './indexes.js'
import { quoteName, quoteText } from '../render/render.js'

/** Columns whose values never change. */
export class ImmutableColumns {
  static readonly [entityKind]: string = 'SpannerImmutableColumns'
  readonly columns: readonly PgColumn[]

  constructor(columns: readonly PgColumn[]) {
    this.columns = columns
  }
}

/**
 * Promises that the values of columns are set at the insert and never changed: such a column may feed a shard's hash.
 *
 * @example
 * immutable(t.country, t.createdAt)
 */
export function immutable(...columns: readonly [PgColumn, ...PgColumn[]]): ImmutableColumns {
  checkArgument('immutable', 'columns', someColumns, columns)
  return new ImmutableColumns(columns)
}

/** A sequence of Drizzle's. @throws {IsothermError} `UNSUPPORTED_MODEL` for options that a bit-reversed sequence does not support. */
export function declaredSequence({ seqName, schema, seqOptions = {} }: PgSequence): SequenceOptions {
  const name = inSchema(schema, seqName ?? '')
  refuseSequenceOptions(`The sequence ${name}`, seqOptions)
  const { startWith } = seqOptions
  return { name, ...(startWith !== undefined && { startCounter: BigInt(startWith) }) }
}

/** @param called the object that has the options */
function refuseSequenceOptions(called: string, options: SequenceConfig): void {
  const { startWith: _, ...others } = options
  const [option] = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (option === undefined) return
  throw new IsothermError(
    'UNSUPPORTED_MODEL',
    `${called} has the option ${option}: Spanner's are counted up by one and handed out with their bits reversed.`,
    {
      fix: "Leave all but startWith out. Ranges are skipped by bitReversedId({ from: 'sequence', skipRange: […] }).",
    },
  )
}

/** @throws {IsothermError} `UNSUPPORTED_MODEL` for a column that Spanner cannot have as Drizzle declares it. */
function refuseColumn(table: Table, column: Column): void {
  const called = `${qualifiedName(table)}.${column.name}`
  const refused = (what: string, fix: string): IsothermError =>
    new IsothermError('UNSUPPORTED_MODEL', `${called} ${what}`, {
      fix,
      table: qualifiedName(table),
      column: column.name,
    })
  const item = is(column, PgArray) ? (column.baseColumn as Column) : column
  if (/Serial/.test(item.columnType)) {
    throw refused(
      `is ${item.getSQLType()}, which Spanner does not support: values in sequence would be written in one key range.`,
      "Declare it as bitReversedId(), or bigint({ mode: 'bigint' }).generatedByDefaultAsIdentity().",
    )
  }
  const { precision, scale } = item as { readonly precision?: number; readonly scale?: number }
  if (precision !== undefined || scale !== undefined) {
    throw refused(
      `is ${item.getSQLType()}: Spanner keeps all digits, and rounds nothing.`,
      'Leave precision and scale out, and round values before they are written.',
    )
  }
  if (item !== column && isEnum(item)) {
    throw refused(
      'is an array of an enum, and Spanner has no types of your own.',
      'Declare it as text().array().',
    )
  }
  refuseIdentity(column, called, refused)
}

function refuseIdentity(
  { generatedIdentity, dataType }: Column,
  called: string,
  refused: (what: string, fix: string) => IsothermError,
): void {
  if (!generatedIdentity) return
  const { type, sequenceName, sequenceOptions = {} } = generatedIdentity as IdentityConfig
  if (type === 'always') {
    throw refused(
      'is generated always as identity, which Spanner does not support.',
      'Use generatedByDefaultAsIdentity(): a row may then have a given value.',
    )
  }
  if (sequenceName !== undefined) {
    throw refused(
      `has an identity with the name ${sequenceName}, and Spanner does not support names of identities.`,
      "Leave the name out; or use bitReversedId({ from: 'sequence', sequence: … }).",
    )
  }
  if (dataType === 'number') {
    throw refused(
      'shows numbers, which cannot hold the 64-bit values of an identity.',
      "Declare it as bigint({ mode: 'bigint' }).",
    )
  }
  refuseSequenceOptions(`The identity of ${called}`, sequenceOptions)
}

/** Whether a column is of a `pgEnum`: in Spanner it is text, and a check says which. */
function isEnum({ columnType }: Column): boolean {
  return columnType === 'PgEnumColumn' || columnType === 'PgEnumObjectColumn'
}

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
 * The whole declaration of a `pgTable`, in Drizzle's words and in Spanner's.
 *
 * @throws {IsothermError} `UNSUPPORTED_MODEL` for what Spanner does not support.
 */
export function declaredTable(table: Table, words: DdlSyntax): Declarations {
  const config = getTableConfig(table as PgTable)
  if (config.enableRLS || config.policies.length > 0) {
    throw refused(
      table,
      'has row level security, which Spanner does not support.',
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
    workload: options(table, TableWorkload).at(-1)?.load,
    suppressions: options(table, TableSuppression),
  }
}

/** Columns that are never changed, by their names. */
export function immutableColumns(table: Table): ReadonlySet<string> {
  return new Set(options(table, ImmutableColumns).flatMap(({ columns }) => columns.map(({ name }) => name)))
}

/** Spanner's own values from the third argument of `pgTable`; Drizzle ignores them. */
function options<T>(table: Table, type: { prototype: T } & Parameters<typeof is>[1]): T[] {
  return extrasOf(table, EXTRAS).filter((each): each is T => is(each, type))
}

const EXTRAS = [
  CheckBuilder,
  DrizzleIndexBuilder,
  ForeignKeyBuilder,
  PgPolicy,
  PrimaryKeyBuilder,
  UniqueConstraintBuilder,
  ImmutableColumns,
  IndexBuilder,
  Interleaving,
  TableWorkload,
  RowDeletionPolicy,
  TableSuppression,
]

function uniques(table: Table, { columns, uniqueConstraints }: Config): Declarations['uniques'] {
  const own = columns.filter(({ isUnique }) => isUnique)
  if (
    own.some(({ uniqueType }) => uniqueType === 'not distinct') ||
    uniqueConstraints.some(({ nullsNotDistinct }) => nullsNotDistinct)
  ) {
    throw refused(
      table,
      'has a unique constraint with NULLS NOT DISTINCT, which Spanner does not support.',
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

/** The length of the longest name in Spanner's PostgreSQL. */
const MAX_NAME = 63

function foreignKey(table: Table, key: ForeignKey, words: DdlSyntax): DeclaredForeignKey {
  const { onDelete = 'no action', onUpdate = 'no action' } = key
  const reference = key.reference()
  if (onUpdate !== 'no action') {
    throw refused(
      table,
      `has a foreign key with ON UPDATE ${onUpdate.toUpperCase()}, which Spanner does not support.`,
      'Leave onUpdate out: a key does not change.',
    )
  }
  if (onDelete !== 'no action' && onDelete !== 'cascade') {
    throw refused(
      table,
      `has a foreign key with ON DELETE ${onDelete.toUpperCase()}, which Spanner does not support.`,
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
function enumChecks(table: Table, columns: readonly Column[], words: DdlSyntax): Declarations['checks'] {
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
  return new IsothermError('UNSUPPORTED_MODEL', `${qualifiedName(table)} ${what}`, {
    fix,
    table: qualifiedName(table),
  })
}
