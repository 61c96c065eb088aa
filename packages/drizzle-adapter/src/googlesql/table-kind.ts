import type { SequenceOptions } from '@isotherm/core'
import { is, sql, type Casing, type Table } from 'drizzle-orm'
import { columnsOf, viewConfigOf } from '../drizzle-internals.js'
import { inSchema, uniqueName } from '../schema/names.js'
import type { Declarations, DeclaredView, TableKind } from '../schema/table-kind.js'
import { viewSql } from '../schema/view-options.js'
import type { SpannerColumn } from './columns/common.js'
import { GoogleSqlWords } from './ddl-words.js'
import { SpannerSchema } from './schema.js'
import { NextValue, SpannerSequence } from './sequence.js'
import { render } from './sql/render.js'
import { getTableConfig, type DeclaredTable } from './table-config.js'
import { SpannerTable } from './table.js'
import { securityOf, SpannerView } from './view.js'

/** Tables of `spannerTable`. */
export const googleSqlKind: TableKind = {
  dialect: 'googlesql',
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
  sequences(given, tables) {
    // Those that columns draw from need not be given for themselves.
    const drawnFrom = tables
      .flatMap((table) => Object.values(columnsOf(table)))
      .flatMap((column) => (is(column.default, NextValue) ? [column.default.sequence] : []))
    const declared = given.filter((each) => is(each, SpannerSequence))
    return [...new Set([...declared, ...drawnFrom])].map(sequenceOptions)
  },
  views: (given, casing) => given.filter((each) => is(each, SpannerView)).flatMap(viewIn(casing)),
  wordsFor: (casing) => new GoogleSqlWords(casing),
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
  const words = new GoogleSqlWords(casing)
  return (view) => {
    const { schema, originalName, query, isExisting, isAlias } = viewConfigOf(view)
    if (isExisting || isAlias || !query) return []
    const name = inSchema(schema, originalName)
    const built = render(query, (column) => words.columnName(column))
    return [{ name, sql: viewSql(name, built), security: securityOf(view) }]
  }
}
