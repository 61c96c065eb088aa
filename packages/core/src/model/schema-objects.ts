import type { SchemaFinding } from '../errors.js'
import type { SequenceSource } from './column.js'
import { generatedName } from './generated-name.js'
import { definitionOf, modelName } from './model.js'
import {
  inNamespaceOf,
  namespaceOf,
  type ChangeStream,
  type Schema,
  type Sequence,
  type View,
  type WatchedTable,
} from './schema.js'
import type { SqlExpression } from './sql-expression.js'
import type { Table, TableDefinition } from './table.js'

// What a schema holds beside its tables.

export interface SequenceOptions {
  readonly name: string
  /** The first counter value, before its bits are reversed. Default: 1. */
  readonly startCounter?: bigint
  /** Values (as handed out) that are passed over, both ends included. */
  readonly skipRange?: readonly [bigint, bigint]
}

export interface ViewOptions {
  readonly name: string
  /** The query, in SQL. */
  readonly query: SqlExpression
  /** Default: `invoker`, who asks needs the rights to what the view reads. */
  readonly security?: 'invoker' | 'definer'
}

export interface ChangeStreamOptions {
  readonly name: string
  /** `all`, or models: whole, or some of their properties. The key is always watched. Default: nothing yet. */
  readonly watch?:
    | 'all'
    | readonly (object | { readonly table: object; readonly columns: readonly string[] })[]
  /** How long changes are kept, from `1d` to `7d` (or `30d`). Default: the database's. */
  readonly retention?: string
  /** Which values a change carries. Default: the database's, `OLD_AND_NEW_VALUES`. */
  readonly values?: 'OLD_AND_NEW_VALUES' | 'NEW_ROW' | 'NEW_VALUES' | 'NEW_ROW_AND_OLD_VALUES'
  /** Other options, as the database names them. */
  readonly options?: Readonly<Record<string, string>>
}

export interface SchemaOptions {
  /** Named schemas that no table is in yet; those of tables need not be named. */
  readonly namespaces?: readonly string[]
  /** Sequences that no column declares. */
  readonly sequences?: readonly SequenceOptions[]
  /** In the order in which they are made: a view after those that it reads. */
  readonly views?: readonly ViewOptions[]
  readonly changeStreams?: readonly ChangeStreamOptions[]
  /** User types that no column brings along, because only their name is said there. */
  readonly userTypes?: readonly object[]
}

export function sequenceNameOf(table: string, column: string, given: string | undefined): string {
  return given ?? inNamespaceOf(table, generatedName(table, column, 'seq'))
}

export function schemaObjects(
  tables: readonly Table[],
  definitions: readonly TableDefinition[],
  options: SchemaOptions,
  findings: SchemaFinding[],
): Omit<Schema, 'version' | 'tables'> {
  const declared = (options.sequences ?? []).map(sequence)
  const sequences = [
    ...declared,
    ...columnSequences(definitions).flatMap(({ table, column, ...brought }) => {
      if (!declared.some(({ name }) => name === brought.name)) return [brought]
      if (brought.startCounter !== undefined || brought.skipRange) {
        findings.push({
          table,
          column,
          message: `gives a counter to ${brought.name}, which is declared without it.`,
          fix: 'Say startCounter and skipRange where the sequence is declared.',
        })
      }
      return []
    }),
  ]
  const views = (options.views ?? []).map((view): View => ({
    name: view.name,
    query: view.query,
    security: view.security ?? 'invoker',
  }))
  const named = [...tables, ...sequences, ...views].flatMap(({ name }) => namespaceOf(name) ?? [])
  return {
    namespaces: [...new Set([...(options.namespaces ?? []), ...named])],
    sequences,
    views,
    changeStreams: (options.changeStreams ?? []).map((stream) => changeStream(stream, findings)),
  }
}

function sequence({ name, startCounter, skipRange }: SequenceOptions): Sequence {
  return {
    name,
    ...(startCounter !== undefined && { startCounter: String(startCounter) }),
    ...(skipRange && { skipRange: [String(skipRange[0]), String(skipRange[1])] as const }),
  }
}

/** The sequences that columns bring along. */
function columnSequences(
  definitions: readonly TableDefinition[],
): (Sequence & { readonly table: string; readonly column: string })[] {
  return definitions.flatMap((table) =>
    table.columns.flatMap((column) => {
      const { source } = column
      if (column.parentKey || source?.kind !== 'bit-reversed' || source.from !== 'sequence') return []
      const { startCounter, skipRange } = source as SequenceSource
      return {
        table: table.name,
        column: column.property,
        name: sequenceNameOf(table.name, column.name ?? column.property, source.sequence),
        ...(startCounter !== undefined && { startCounter }),
        ...(skipRange && { skipRange }),
      }
    }),
  )
}

function changeStream(options: ChangeStreamOptions, findings: SchemaFinding[]): ChangeStream {
  const { name, watch = [], retention, values } = options
  return {
    name,
    watch: watch === 'all' ? watch : watch.flatMap((each) => watched(name, each, findings) ?? []),
    options: {
      ...(retention !== undefined && { retention_period: retention }),
      ...(values && { value_capture_type: values }),
      ...options.options,
    },
  }
}

function watched(stream: string, given: unknown, findings: SchemaFinding[]): WatchedTable | undefined {
  const part = (
    typeof given === 'object' && given !== null && 'table' in given ? given : { table: given }
  ) as {
    readonly table: object
    readonly columns?: readonly string[]
  }
  const definition = definitionOf(part.table)
  if (definition) return { table: definition.name, columns: part.columns ? [...part.columns] : 'all' }
  findings.push({
    table: stream,
    message: `watches ${modelName(part.table)}, which is not a model.`,
    fix: 'Name a model, or { table: Model, columns: [...] }.',
  })
  return undefined
}
