import type { SchemaFinding } from '../errors.js'
import {
  anything,
  bigint,
  distinct,
  either,
  kind,
  listOf,
  oneOf,
  options,
  recordOf,
  required,
  text,
  type OptionKinds,
} from '../options.js'
import type { SequenceSource } from './column.js'
import { bigintRange, properties, sql } from './declaration-kinds.js'
import { generatedName } from './generated.js'
import { definitionOf, isModel, modelName } from './model.js'
import {
  inNamespaceOf,
  namespaceOf,
  type ChangeStream,
  type OpaqueStatement,
  type Schema,
  type Sequence,
  type View,
  type WatchedTable,
} from './schema.js'
import type { SqlExpression } from './sql-expression.js'
import type { Table, TableDefinition } from './table.js'

// The objects of a schema besides its tables.

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
  /** Default: `invoker`: the user who queries the view needs the rights to the tables that it reads. */
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
  /** In the order in which they are created: a view after those that it reads. */
  readonly views?: readonly ViewOptions[]
  readonly changeStreams?: readonly ChangeStreamOptions[]
  /**
   * DDL of what Isotherm does not model, such as search indexes, in the order in which it runs: kept and compared as text.
   * Spanner only.
   */
  readonly opaqueStatements?: readonly (string | OpaqueStatement)[]
  /** User types that no column brings along, because the columns only name them. */
  readonly userTypes?: readonly object[]
}

const SEQUENCE: OptionKinds<SequenceOptions> = {
  name: required(text("'OrderNumbers'")),
  startCounter: bigint,
  skipRange: bigintRange,
}
const VIEW: OptionKinds<ViewOptions> = {
  name: required(text("'OpenOrders'")),
  query: required(sql),
  security: oneOf('invoker', 'definer'),
}
// For a class that is not a model, the resolver reports which one.
const watchedModel = kind('a model', (value) => isModel(value) || typeof value === 'function')
const watchedTable = either(
  'a model, or { table: Model, columns: […] }',
  watchedModel,
  options({ table: required(watchedModel), columns: required(properties) }),
)
const CHANGE_STREAM: OptionKinds<ChangeStreamOptions> = {
  name: required(text("'Changes'")),
  watch: either("'all', or a list of models", oneOf('all'), listOf(watchedTable)),
  retention: text("'7d'"),
  values: oneOf('OLD_AND_NEW_VALUES', 'NEW_ROW', 'NEW_VALUES', 'NEW_ROW_AND_OLD_VALUES'),
  options: recordOf(text("'true'")),
}
const OPAQUE_STATEMENT: OptionKinds<OpaqueStatement> = { create: required(sql), drop: sql }
export const SCHEMA: OptionKinds<SchemaOptions> = {
  namespaces: distinct(listOf(text("'sales'"), "a list of names, such as ['sales']")),
  sequences: listOf(options(SEQUENCE)),
  views: listOf(options(VIEW)),
  changeStreams: listOf(options(CHANGE_STREAM)),
  opaqueStatements: listOf(
    either('DDL, or { create: …, drop: … }', text("'CREATE SEARCH INDEX …'"), options(OPAQUE_STATEMENT)),
  ),
  userTypes: listOf(anything, 'a list of user types: [Address]'),
}

export function sequenceNameOf(table: string, column: string, name: string | undefined): string {
  return name ?? inNamespaceOf(table, generatedName(table, column, 'seq'))
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
    ...(options.opaqueStatements?.length && {
      opaqueStatements: options.opaqueStatements.map((statement) =>
        typeof statement === 'string' ? { create: statement } : { ...statement },
      ),
    }),
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

function watched(stream: string, entry: unknown, findings: SchemaFinding[]): WatchedTable | undefined {
  const part = (
    typeof entry === 'object' && entry !== null && 'table' in entry ? entry : { table: entry }
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
