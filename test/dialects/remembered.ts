import { expect } from 'vitest'
import type { ColumnSchema, Schema, SqlDialect, TableSchema } from '@isotherm/core'

type Table = TableSchema
type Index = Table['indexes'][number]

/**
 * The parts of a schema that a database stores, as `docs/guide/introspection.md` lists them: names of columns instead of
 * properties; nothing about clients, lint or workloads; a UUID in two integers as two integers. On the emulator, the filters
 * of indexes in the PostgreSQL dialect are lost as well.
 */
export function remembered(schema: Schema, dialect: SqlDialect): Schema {
  const tables = schema.tables.map((table) => tableOf(table, dialect))
  return {
    version: 1,
    tables: parentsFirst(tables),
    namespaces: schema.namespaces.toSorted(),
    sequences: schema.sequences.toSorted(byName),
    views: schema.views.map((view) => ({ ...view, query: expect.anything() as never })),
    changeStreams: schema.changeStreams,
  }
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0

function parentsFirst(tables: readonly Table[]): Table[] {
  return tables.toSorted(byName)
}

function tableOf(table: Table, dialect: SqlDialect): Table {
  return {
    ...table,
    columns: table.columns.flatMap((column) => columnsOf(column, dialect)),
    primaryKey: table.primaryKey.flatMap(({ property, order }) => {
      const column = table.columns.find((each) => each.property === property)!
      return isPair(column)
        ? [
            { property: `${property}_high`, order },
            { property: `${property}_low`, order },
          ]
        : { property, order }
    }),
    indexes: table.indexes.map((index) => indexOf(index, dialect)).toSorted(byName),
    checks: table.checks.map((check) => ({ ...check, expression: expect.anything() as never })),
    suppressions: [],
  }
}

function isPair({ type }: ColumnSchema): boolean {
  return type.kind === 'uuid' && type.storage === 'int64-pair'
}

function columnsOf(column: ColumnSchema, dialect: SqlDialect): ColumnSchema[] {
  const { source, ...rest } = column
  if (isPair(column)) {
    return ['high', 'low'].map((half) => ({
      ...rest,
      property: `${rest.property}_${half}`,
      name: `${rest.name}_${half}`,
      type: { kind: 'int64' as const },
      ...(source && !rest.inherited && { default: expect.anything() as never }),
    }))
  }
  return [
    {
      ...rest,
      type: typeOf(column, dialect),
      ...(source && kept(source)),
      ...(rest.default !== undefined && {
        default: ('sql' in rest.default
          ? { sql: { [dialect.name]: expect.anything() } }
          : rest.default) as never,
      }),
      ...(rest.generated && {
        generated: { ...rest.generated, expression: { [dialect.name]: expect.anything() } as never },
      }),
    },
  ]
}

/** A UUID without a source is text of 36 characters; `bytea` has no length. */
function typeOf({ type, source }: ColumnSchema, dialect: SqlDialect): ColumnSchema['type'] {
  if (type.kind === 'bytes' && dialect.name === 'spanner-postgresql') return { kind: 'bytes', length: 'max' }
  const text = { kind: 'string', length: 36 } as const
  if (type.kind === 'array') return type.of.kind === 'uuid' ? { kind: 'array', of: text } : type
  return type.kind === 'uuid' && source?.kind !== 'uuid-v4' ? text : type
}

/** A source that only the client knows is lost. */
function kept(source: NonNullable<ColumnSchema['source']>): Pick<ColumnSchema, 'source'> {
  const byClient = (source.kind === 'shard' || source.kind === 'hash') && source.computedBy === 'client'
  return byClient ? {} : { source }
}

function indexOf(index: Index, dialect: SqlDialect): Index {
  // PostgreSQL writes a null-filtered index as a filter, which the emulator does not give back.
  return dialect.name === 'spanner-postgresql' && index.nullFiltered
    ? { ...index, nullFiltered: false }
    : index
}
