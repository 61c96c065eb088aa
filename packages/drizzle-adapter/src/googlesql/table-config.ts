import type { ExpectedLoad } from '@isotherm/core'
import { is } from 'drizzle-orm'
import { columnsOf, extraConfigOf, nameOf, schemaOf } from '../drizzle-internals.js'
import { Check } from './checks.js'
import type { SpannerColumn } from './columns/common.js'
import { ForeignKeyBuilder, inlineForeignKeys, type ForeignKey } from './foreign-keys.js'
import { IndexBuilder, type Index } from './indexes.js'
import { Interleaving } from './interleave.js'
import { PrimaryKeyBuilder, type PrimaryKey } from './primary-key.js'
import { LoadExpectation, RowDeletionPolicy, TableLintException } from './table-options.js'
import type { SpannerTable } from './table.js'
import { UniqueConstraintBuilder, type UniqueConstraint } from './unique.js'

/** All that was declared of a table. */
export interface DeclaredTable {
  readonly name: string
  readonly schema: string | undefined
  readonly columns: SpannerColumn[]
  readonly indexes: Index[]
  /** Those of `references`, and those of `foreignKey`. */
  readonly foreignKeys: ForeignKey[]
  readonly checks: Check[]
  readonly primaryKeys: PrimaryKey[]
  /** Those of `unique`; a column's own is its `isUnique`. */
  readonly uniqueConstraints: UniqueConstraint[]
  readonly interleaving: Interleaving | undefined
  readonly rowDeletion: RowDeletionPolicy | undefined
  readonly expectedLoad: ExpectedLoad | undefined
  readonly lintExceptions: TableLintException[]
}

/** What `spannerTable` was told, its third argument included. */
export function getTableConfig(table: SpannerTable): DeclaredTable {
  const columns = Object.values(columnsOf(table)) as SpannerColumn[]
  const extra = (extraConfigOf(table) ?? []) as readonly unknown[]
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
    expectedLoad: of(LoadExpectation).at(-1)?.load,
    lintExceptions: of(TableLintException),
  }
}
