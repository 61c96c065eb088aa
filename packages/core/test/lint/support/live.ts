import {
  lint,
  type ColumnSchema,
  type ColumnType,
  type Dialect,
  type Workload,
  type Finding,
  type Suppression,
  type Schema,
  type TableSchema,
} from '@isotherm/core'
import type { CqlDialect } from '@isotherm/cassandra'
import { cql } from '@isotherm/cassandra'
import { googlesql } from '@isotherm/spanner'

// Schemas as they are read from a live database: not checked, and not made by a builder.

type Index = TableSchema['indexes'][number]

export type LiveColumn = ColumnType['kind'] | (Partial<ColumnSchema> & { readonly type: ColumnType })

export interface LiveTable {
  readonly columns: Readonly<Record<string, LiveColumn>>
  /** Names of the key parts. ` desc` after a name makes the part descend. */
  readonly key: readonly string[]
  readonly indexes?: readonly (Partial<Index> & { readonly name: string; readonly on: readonly string[] })[]
  readonly parent?: string
  readonly partitionKey?: readonly string[]
  readonly ttlSeconds?: number
  readonly rows?: 'own'
  readonly workload?: Workload
  readonly suppressions?: readonly Suppression[]
}

export function live(tables: Readonly<Record<string, LiveTable>>): Schema {
  return {
    version: 1,
    tables: Object.entries(tables).map(([name, table]) => liveTable(name, table)),
    namespaces: [],
    sequences: [],
    views: [],
    changeStreams: [],
  }
}

function liveTable(
  name: string,
  { columns, key, indexes = [], parent, workload, suppressions = [], ...rest }: LiveTable,
): TableSchema {
  return {
    name,
    columns: Object.entries(columns).map(([property, column]) => liveColumn(property, column)),
    primaryKey: key.map(part),
    indexes: indexes.map(({ on, ...index }) => ({
      parts: on.map(part),
      unique: false,
      nullFiltered: false,
      notNull: [],
      storing: [],
      ...index,
    })),
    ...(parent !== undefined && { parent: { table: parent, onDelete: 'no action' } }),
    checks: [],
    foreignKeys: [],
    ...(workload && { workload }),
    ...rest,
    suppressions,
  }
}

function liveColumn(property: string, column: LiveColumn): ColumnSchema {
  const definition = typeof column === 'string' ? { type: typeOf(column) } : column
  return { property, name: property, nullable: false, immutable: false, inherited: false, ...definition }
}

function typeOf(kind: ColumnType['kind']): ColumnType {
  if (kind === 'string' || kind === 'bytes') return { kind, length: 36 }
  return kind === 'array' ? { kind, of: { kind: 'int64' } } : ({ kind } as ColumnType)
}

function part(text: string): { property: string; order: 'asc' | 'desc' } {
  const [property = '', order] = text.split(' ')
  return { property, order: order === 'desc' ? 'desc' : 'asc' }
}

/** A column that the database computes. */
export function generated(
  expression: string,
  type: ColumnType = { kind: 'int64' },
  stored = true,
): Partial<ColumnSchema> & { readonly type: ColumnType } {
  return { type, generated: { expression, stored } }
}

/** The findings of one rule. */
export function findingsOf(rule: string, schema: Schema, dialect: Dialect = googlesql): Finding[] {
  return lint(schema, { dialect }).filter((finding) => finding.rule === rule)
}

/** The findings of one rule in tables of Cassandra. */
export function cqlFindings(rule: string, schema: Schema, dialect: CqlDialect = cql): Finding[] {
  return lint(schema, { dialect }).filter((finding) => finding.rule === rule)
}

/** The position and the severity of each finding: `Log.at error`. */
export function verdicts(findings: readonly Finding[]): string[] {
  return findings.map(({ table, column, index, severity }) =>
    [index ?? (column === undefined ? table : `${table}.${column}`), severity].join(' '),
  )
}
