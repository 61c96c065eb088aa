import { is, sql, type Table } from 'drizzle-orm'
import { PgMaterializedView, PgSchema, PgSequence, PgTable, PgView } from 'drizzle-orm/pg-core'
import type { TableKind } from '../schema/table-kind.js'
import { SpannerPgColumn } from './columns/common.js'
import { pgDeclaration, sourceOfDefault } from './columns/declaration.js'
import { PostgreSqlWords } from './ddl-words.js'
import { declaredSequence } from './sequences.js'
import { declaredKey, declaredTable, immutableColumns } from './table-config.js'
import { declaredViews } from './views.js'

/** Tables of `pgTable`. */
export const postgreSqlKind: TableKind = {
  dialect: 'spanner-postgresql',
  declaredWith: 'pgTable',
  commitTimestamp: sql`spanner.pending_commit_timestamp()`,
  isTable: (value): value is Table => is(value, PgTable),
  isOther: (value) =>
    is(value, PgView) || is(value, PgMaterializedView) || is(value, PgSequence) || is(value, PgSchema),
  keyOf: declaredKey,
  declarationsOf: declaredTable,
  declarationOf(column) {
    const declaration = pgDeclaration(column)
    return immutableColumns(column.table).has(column.name) ? { ...declaration, immutable: true } : declaration
  },
  mayBeMade(column) {
    return is(column, SpannerPgColumn)
      ? column.declaration.source !== undefined
      : column.columnType === 'PgUUID' || column.columnType === 'PgCustomColumn'
  },
  sourceOfDefault,
  namedSchemaOf: (value) => (is(value, PgSchema) ? value.schemaName : undefined),
  sequences: (given) => given.filter((each) => is(each, PgSequence)).map(declaredSequence),
  views: declaredViews,
  wordsFor: (casing) => new PostgreSqlWords(casing),
}
