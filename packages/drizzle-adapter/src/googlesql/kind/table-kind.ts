import { type Casing, type Column, SQL, type Table, is, sql } from 'drizzle-orm'
import { CasingCache } from 'drizzle-orm/casing'
import { columnsOf, inlineQuery, nameOf, schemaOf, viewConfigOf } from '../../drizzle-internals.js'
import {
  type DdlSyntax,
  type Declarations,
  type DeclaredView,
  type TableKind,
  inSchema,
  uniqueName,
  viewSql,
} from '../../table-kind/table-kind.js'
import type { SpannerColumn } from '../columns/common.js'
import { quoteText } from '@isotherm/spanner/adapter'
import { literal, quoteName } from '../sql/literals.js'
import type { Workload, SequenceOptions } from '@isotherm/core'
import { checkArgument, kind } from '@isotherm/core/adapter'
import { extrasOf } from '../tables/extras.js'
import {
  Check,
  type ForeignKey,
  ForeignKeyBuilder,
  type PrimaryKey,
  PrimaryKeyBuilder,
  type UniqueConstraint,
  UniqueConstraintBuilder,
  inlineForeignKeys,
} from '../tables/constraints.js'
import { type Index, IndexBuilder } from '../tables/indexes.js'
import { Interleaving, TableWorkload, RowDeletionPolicy, TableSuppression } from '../tables/table-options.js'
import { SpannerTable } from '../tables/table.js'
import { googlesqlRuntime } from '@isotherm/spanner'
import { SpannerSchema, SpannerView, securityOf } from './schema.js'
import { NextValue, SpannerSequence } from '../tables/sequence.js'
import { render } from '../sql/render.js'

/** The names of tables, and their SQL expressions, in DDL. */
class GoogleSqlDdlSyntax implements DdlSyntax {
  readonly #casing: CasingCache

  constructor(casing: Casing | undefined) {
    this.#casing = new CasingCache(casing)
  }

  columnName(column: Column): string {
    return this.#casing.getColumnCasing(column)
  }

  expression(sql: SQL): string {
    return inlineQuery(sql, { casing: this.#casing, escapeName: quoteName, escapeString: quoteText }, literal)
  }

  valueOf(column: Column, value: unknown): string {
    const driverValue = is(value, SQL) ? value : column.mapToDriverValue(value)
    return is(driverValue, SQL)
      ? this.expression(driverValue)
      : literal(driverValue, (column as SpannerColumn).codec.type)
  }
}

/** All that was declared of a table. */
export interface DeclaredTable {
  readonly name: string
  readonly schema: string | undefined
  readonly columns: SpannerColumn[]
  readonly indexes: Index[]
  /** The foreign keys of `references`, and those of `foreignKey`. */
  readonly foreignKeys: ForeignKey[]
  readonly checks: Check[]
  readonly primaryKeys: PrimaryKey[]
  /** The constraints of `unique`; a column's own is its `isUnique`. */
  readonly uniqueConstraints: UniqueConstraint[]
  readonly interleaving: Interleaving | undefined
  readonly rowDeletion: RowDeletionPolicy | undefined
  readonly workload: Workload | undefined
  readonly suppressions: TableSuppression[]
}

const ofSpanner = kind('a table of spannerTable', (value) => is(value, SpannerTable))

const EXTRAS = [
  IndexBuilder,
  ForeignKeyBuilder,
  Check,
  PrimaryKeyBuilder,
  UniqueConstraintBuilder,
  Interleaving,
  RowDeletionPolicy,
  TableWorkload,
  TableSuppression,
]

/**
 * The declaration of `spannerTable`, including its third argument.
 *
 * @throws {IsothermError} `SCHEMA_INVALID` for a third argument with other values, or with an extra that is given twice.
 */
export function getTableConfig(table: SpannerTable): DeclaredTable {
  checkArgument('getTableConfig', 'table', ofSpanner, table)
  const columns = Object.values(columnsOf(table)) as SpannerColumn[]
  const extra = extrasOf(table, EXTRAS)
  const of = <T>(type: { prototype: T } & Parameters<typeof is>[1]): T[] =>
    extra.filter((each): each is T => is(each, type))
  return {
    name: nameOf(table),
    schema: schemaOf(table),
    columns,
    indexes: of(IndexBuilder).map((builder) => builder.build(table)),
    foreignKeys: [
      ...columns.flatMap((column) => inlineForeignKeys(column, table)),
      ...of(ForeignKeyBuilder).map((builder) => builder.build(table)),
    ],
    checks: of(Check),
    primaryKeys: of(PrimaryKeyBuilder).map((builder) => builder.build(table)),
    uniqueConstraints: of(UniqueConstraintBuilder).map((builder) => builder.build(table)),
    interleaving: of(Interleaving).at(-1),
    rowDeletion: of(RowDeletionPolicy).at(-1),
    workload: of(TableWorkload).at(-1)?.load,
    suppressions: of(TableSuppression),
  }
}

/** Tables of `spannerTable`. */
export const googleSqlKind: TableKind = {
  dialect: googlesqlRuntime,
  dialects: ['googlesql'],
  declaredWith: 'spannerTable',
  commitTimestamp: sql`PENDING_COMMIT_TIMESTAMP()`,
  isTable: (value): value is Table => is(value, SpannerTable),
  isOther: (value) => is(value, SpannerView) || is(value, SpannerSequence) || is(value, SpannerSchema),
  keyOf: (table) => getTableConfig(table as SpannerTable),
  declarationsOf: (table) => declarations(table, getTableConfig(table as SpannerTable)),
  declarationOf: (column) => (column as SpannerColumn).declaration,
  mayBeMade(column) {
    const { source, type } = (column as SpannerColumn).declaration
    return source !== undefined || type?.kind === 'uuid'
  },
  sourceOfDefault({ default: value }) {
    if (!is(value, NextValue)) return undefined
    return { kind: 'bit-reversed', from: 'sequence', sequence: sequenceName(value.sequence) }
  },
  namedSchemaOf: (value) => (is(value, SpannerSchema) ? value.schemaName : undefined),
  sequences(entities, tables) {
    // Sequences that columns draw from need not be given separately.
    const drawnFrom = tables
      .flatMap((table) => Object.values(columnsOf(table)))
      .flatMap((column) => (is(column.default, NextValue) ? [column.default.sequence] : []))
    const declared = entities.filter((each) => is(each, SpannerSequence))
    return [...new Set([...declared, ...drawnFrom])].map(sequenceOptions)
  },
  views: (entities, casing) => entities.filter((each) => is(each, SpannerView)).flatMap(viewIn(casing)),
  wordsFor: (casing) => new GoogleSqlDdlSyntax(casing),
}

function declarations(table: Table, config: DeclaredTable): Declarations {
  const own = config.columns
    .filter(({ isUnique }) => isUnique)
    .map((column) => ({ name: column.uniqueName ?? uniqueName(table, [column]), columns: [column] }))
  return {
    ...config,
    indexes: config.indexes.map((index) => index.config),
    uniques: [...own, ...config.uniqueConstraints],
    foreignKeys: config.foreignKeys.map((key) => ({
      ...key.reference(),
      onDelete: key.onDelete,
      enforced: key.enforced,
    })),
  }
}

function sequenceName({ name, schema }: SpannerSequence): string {
  return inSchema(schema, name)
}

function sequenceOptions(sequence: SpannerSequence): SequenceOptions {
  const { startWith, skipRange } = sequence.options
  return {
    name: sequenceName(sequence),
    ...(startWith !== undefined && { startCounter: startWith }),
    ...(skipRange && { skipRange }),
  }
}

function viewIn(casing: Casing | undefined): (view: SpannerView) => DeclaredView[] {
  const words = new GoogleSqlDdlSyntax(casing)
  return (view) => {
    const { schema, originalName, query, isExisting, isAlias } = viewConfigOf(view)
    if (isExisting || isAlias || !query) return []
    const name = inSchema(schema, originalName)
    const built = render(query, (column) => words.columnName(column))
    return [{ name, sql: viewSql(name, built), security: securityOf(view) }]
  }
}
