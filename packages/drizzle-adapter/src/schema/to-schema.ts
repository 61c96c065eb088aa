import {
  type ChangeStreamOptions,
  IsothermError,
  type Schema,
  type SchemaOptions,
  defineSchema,
} from '@isotherm/core'
import {
  type OptionKinds,
  anything,
  checkArgument,
  checkOptions,
  kind,
  listOf,
  oneOf,
  recordOf,
  text,
  itemAt,
} from '@isotherm/core/adapter'
import { type Casing, Table, is } from 'drizzle-orm'
import { isAlias } from '../drizzle-internals.js'
import { kinds } from './kinds.js'
import { sqlOf } from './model-sql.js'
import { type TableKind, qualifiedName, viewsInOrder } from '../table-kind/table-kind.js'
import { type DeclaredModel, type ModelSetup, tableModel } from './table-model.js'

/** Objects of a schema that Drizzle cannot declare. */
export interface ToSchemaOptions extends Pick<SchemaOptions, 'namespaces'> {
  /** The `casing` that `drizzle()` is given: what columns without a name of their own are called. */
  readonly casing?: Casing
  readonly changeStreams?: readonly DrizzleChangeStream[]
}

/** A change stream over Drizzle tables. */
export interface DrizzleChangeStream extends Omit<ChangeStreamOptions, 'watch'> {
  /** `all`, or tables: whole, or some of their properties. The key is always watched. Default: nothing yet. */
  readonly watch?: 'all' | readonly (Table | { readonly table: Table; readonly columns: readonly string[] })[]
}

const DECLARATIONS = kind(
  'the tables: a module, or a list',
  (value) => typeof value === 'object' && value !== null,
)
const TO_SCHEMA_OPTIONS: OptionKinds<ToSchemaOptions> = {
  namespaces: listOf(text("'sales'"), "a list of names, such as ['sales']"),
  casing: oneOf('snake_case', 'camelCase'),
  // `defineSchema` checks the contents of each.
  changeStreams: listOf(recordOf(anything, "a change stream: { name: 'Changes', watch: 'all' }")),
}

/**
 * Drizzle's tables as a schema of Isotherm, for its linter, its DDL and its migrations: those of `spannerTable`, or those
 * of `pgTable`, which are two databases. Aliases, and values that are not a table, view, sequence or named schema, are
 * ignored, so that you can pass a whole module.
 *
 * @throws {SchemaError} with everything that is wrong, not only the first finding.
 * @throws {IsothermError} `SCHEMA_INVALID` for tables of both kinds; `UNSUPPORTED_MODEL` for features that Spanner does not
 * support, and for a value that DDL cannot hold.
 * @example
 * import * as tables from './tables.js'
 * export const schema = toSchema(tables)
 */
export function toSchema(
  declarations: Readonly<Record<string, unknown>> | readonly unknown[],
  options: ToSchemaOptions = {},
): Schema {
  checkArgument('toSchema', 'declarations', DECLARATIONS, declarations)
  checkOptions('toSchema', TO_SCHEMA_OPTIONS, options)
  const entities = [...new Set(Object.values(declarations))].filter(isEntity)
  const kind = onlyKind(entities)
  const tables = entities.filter((each) => isTableOf(kind, each))
  const models = new Map<Table, DeclaredModel>()
  const setup: ModelSetup = {
    kind,
    words: kind.wordsFor(options.casing),
    // A table that was not given does not have a model: the message needs only its name.
    modelOf: (table) => models.get(table) ?? { name: qualifiedName(table) },
  }
  for (const table of tables) models.set(table, tableModel(table, setup))
  return defineSchema([...models.values()], {
    namespaces: [
      ...entities.flatMap((each) => kind.namedSchemaOf(each) ?? []),
      ...(options.namespaces ?? []),
    ],
    sequences: kind.sequences(entities, tables),
    views: viewsInOrder(kind.views(entities, options.casing)).map(({ name, sql, security }) => ({
      name,
      query: sqlOf(kind.dialects, sql),
      security,
    })),
    changeStreams: (options.changeStreams ?? []).map((stream) => changeStreamOptions(stream, setup)),
  })
}

function isEntity(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isTableOf(kind: TableKind, value: object): value is Table {
  return kind.isTable(value) && !isAlias(value)
}

/** A schema is of one database, and that has one dialect. */
function onlyKind(entities: readonly object[]): TableKind {
  const found = kinds.flatMap((kind) => {
    const example = entities.find((each) => isTableOf(kind, each) || kind.isOther(each))
    return example ? [{ kind, example }] : []
  })
  const [first, second] = found
  if (first && second) {
    throw new IsothermError(
      'SCHEMA_INVALID',
      `${shown(first.example)} is of ${first.kind.declaredWith}, and ${shown(second.example)} of ${second.kind.declaredWith}: they belong to two databases.`,
      { fix: 'Create one schema for each dialect.' },
    )
  }
  return first?.kind ?? itemAt(kinds, 0)
}

function shown(example: object): string {
  if (is(example, Table)) return qualifiedName(example)
  const { name, schemaName, seqName } = example as Readonly<Record<string, unknown>>
  const known = [schemaName, seqName, name].find((each) => typeof each === 'string')
  return known ?? 'a view'
}

function changeStreamOptions(
  { watch, ...stream }: DrizzleChangeStream,
  { kind, modelOf }: ModelSetup,
): ChangeStreamOptions {
  // `defineSchema` reports a string, or another value that is not a list.
  if (!Array.isArray(watch)) return { ...stream, ...(watch !== undefined && { watch: watch as 'all' }) }
  return {
    ...stream,
    watch: watch.map((each) => {
      if (isTableOf(kind, each)) return modelOf(each)
      if ('table' in each && isTableOf(kind, each.table))
        return { table: modelOf(each.table), columns: each.columns as string[] }
      throw new IsothermError(
        'SCHEMA_INVALID',
        `The change stream ${stream.name} watches something that is not a table.`,
        {
          fix: 'Name a table, or { table, columns: [...] }.',
        },
      )
    }),
  }
}
