import type { CatalogReader, ChangeStream, Interleaving, WatchedTable } from '@isotherm/core/tools'
import {
  type Catalog,
  type CatalogChangeStream,
  type CatalogCheck,
  type CatalogColumn,
  type CatalogContext,
  type CatalogTable,
  type CatalogView,
  type CellKind,
  type ColumnClauses,
  type NameOf,
  type RowOf,
  byName,
  byPosition,
  catalogViews,
  constraintKey,
  groupedBy,
  inNumberOrder,
  parentName,
  tableOf,
} from './catalog.js'
import { readForeignKeys, readIndexes } from './read-constraints.js'
import { readDdlFacts } from './ddl-facts.js'
import type { IntrospectedDialect } from './dialect.js'

const STREAM = { change_stream_schema: 'text', change_stream_name: 'text' } as const
const TABLE = { table_schema: 'text', table_name: 'text' } as const

interface StreamRow {
  readonly change_stream_schema: string | null
  readonly change_stream_name: string | null
}

/**
 * The emulator's catalogue still has what a stream watched before it was altered, so the DDL goes first. The watched
 * columns come in no order: the caller sorts them by the table.
 */
async function readChangeStreams(context: CatalogContext): Promise<CatalogChangeStream[]> {
  const { read, facts, nameOf, note } = context
  const streamOf = (row: StreamRow): string =>
    nameOf([row.change_stream_schema ?? '', row.change_stream_name ?? ''])
  const [streams, tables, columns, options] = await Promise.all([
    read({ view: 'change_streams', columns: { ...STREAM, all: 'flag' } }),
    read({ view: 'change_stream_tables', columns: { ...STREAM, ...TABLE, all_columns: 'flag' } }),
    read({ view: 'change_stream_columns', columns: { ...STREAM, ...TABLE, column_name: 'text' } }),
    read({
      view: 'change_stream_options',
      columns: { ...STREAM, option_name: 'text', option_value: 'text' },
    }),
  ])
  const tablesOf = groupedBy(tables, streamOf)
  const columnsOf = groupedBy(columns, (row) => `${streamOf(row)} ${tableOf(context, row)}`)
  const optionsOf = groupedBy(options, streamOf)

  const watched = (stream: string): WatchedTable[] =>
    byName((tablesOf.get(stream) ?? []).map((row) => ({ ...row, name: tableOf(context, row) }))).map(
      ({ name, all_columns }) => ({
        table: name,
        columns: all_columns
          ? 'all'
          : (columnsOf.get(`${stream} ${name}`) ?? []).map((row) => row.column_name ?? ''),
      }),
    )

  return byName(
    streams.map((row): CatalogChangeStream => {
      const name = streamOf(row)
      const clauses = facts.changeStreams.get(name)
      const reported: ChangeStream['watch'] = row.all ? 'all' : watched(name)
      if (clauses && watchText(clauses.watch) !== watchText(reported)) {
        note(
          `The catalogue has the change stream ${name} over ${watchText(reported)}, and the DDL over ` +
            `${watchText(clauses.watch)}: the DDL was followed.`,
        )
      }
      const options = (optionsOf.get(name) ?? []).map(
        (option) => [option.option_name ?? '', option.option_value ?? ''] as const,
      )
      const all = { ...clauses?.options, ...Object.fromEntries(options) }
      return {
        name,
        watch: clauses ? inNameOrder(clauses.watch) : reported,
        ...(clauses && { statement: clauses.statement }),
        options: Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1))),
      }
    }),
  )
}

function inNameOrder(watch: ChangeStream['watch']): ChangeStream['watch'] {
  return watch === 'all' ? watch : watch.toSorted((a, b) => (a.table < b.table ? -1 : 1))
}

/** The watched objects as text, for comparisons and for reading. */
function watchText(watch: ChangeStream['watch']): string {
  if (watch === 'all') return 'ALL'
  const tables = watch.map(({ table, columns }) =>
    columns === 'all' ? table : `${table}(${columns.toSorted().join(', ')})`,
  )
  return tables.length === 0 ? 'nothing' : tables.toSorted().join(', ')
}

const COLUMNS = {
  table_schema: 'text',
  table_name: 'text',
  column_name: 'text',
  ordinal_position: 'integer',
  spanner_type: 'text',
  is_nullable: 'text',
  column_default: 'text',
  is_generated: 'text',
  generation_expression: 'text',
  is_stored: 'text',
  is_hidden: 'text',
  is_identity: 'text',
  identity_start_with_counter: 'text',
  identity_skip_range_min: 'text',
  identity_skip_range_max: 'text',
  on_update_expression: 'text',
} as const satisfies Record<string, CellKind>

type ColumnRow = RowOf<typeof COLUMNS>

/** By table, in their order. Views have columns, too. */
async function readColumns(context: CatalogContext): Promise<ReadonlyMap<string, CatalogColumn[]>> {
  const [rows, committed] = await Promise.all([
    context.read({
      view: 'columns',
      columns: COLUMNS,
      // Not every engine has them.
      optional: [
        'is_hidden',
        'is_identity',
        'identity_start_with_counter',
        'identity_skip_range_min',
        'identity_skip_range_max',
        'on_update_expression',
      ],
      schemaColumn: 'table_schema',
    }),
    commitTimestamps(context),
  ])
  const columns = groupedBy(byPosition(rows), (row) => tableOf(context, row))
  return new Map(
    [...columns].map(([table, list]) => {
      const clauses = context.facts.tables.get(table)?.columns
      return [
        table,
        list.map((row) => {
          const name = row.column_name ?? ''
          return columnOf(row, clauses?.get(name), committed.has(`${table} ${name}`))
        }),
      ]
    }),
  )
}

/** The columns that take commit timestamps, as `table column`. */
async function commitTimestamps(context: CatalogContext): Promise<ReadonlySet<string>> {
  const rows = await context.read({
    view: 'column_options',
    columns: {
      table_schema: 'text',
      table_name: 'text',
      column_name: 'text',
      option_name: 'text',
      option_value: 'text',
    },
    schemaColumn: 'table_schema',
  })
  const set = rows.filter(
    (row) => row.option_name === 'allow_commit_timestamp' && row.option_value?.toUpperCase() === 'TRUE',
  )
  return new Set(set.map((row) => `${tableOf(context, row)} ${row.column_name}`))
}

function columnOf(row: ColumnRow, clauses: ColumnClauses | undefined, commit: boolean): CatalogColumn {
  const identity = identityOf(row) ?? clauses?.identity
  return {
    name: row.column_name ?? '',
    type: row.spanner_type ?? '',
    nullable: row.is_nullable === 'YES',
    ...(row.column_default !== null && { default: row.column_default }),
    ...(row.is_generated === 'ALWAYS' && {
      generated: { expression: row.generation_expression ?? '', stored: row.is_stored === 'YES' },
    }),
    ...(identity && { identity }),
    updates: row.on_update_expression !== null || clauses?.onUpdate === true,
    allowsCommitTimestamp: commit,
    hidden: /^(?:true|yes)$/i.test(row.is_hidden ?? '') || clauses?.hidden === true,
    ...(clauses && { definition: definitionOf(row, clauses) }),
  }
}

/** The emulator writes STORED behind every expression, and leaves HIDDEN out, which a TOKENLIST always is. */
function definitionOf(row: ColumnRow, { definition, hidden }: ColumnClauses): string {
  const isVirtual = row.is_generated === 'ALWAYS' && row.is_stored !== 'YES'
  const hides = !hidden && /\bTOKENLIST$/i.test(row.spanner_type ?? '')
  const written = isVirtual ? definition.replace(/ STORED\b(?=[^)]*$)/, '') : definition
  return hides ? `${written} HIDDEN` : written
}

function identityOf(row: ColumnRow): CatalogColumn['identity'] {
  if (row.is_identity !== 'YES') return undefined
  const start = row.identity_start_with_counter
  const [min, max] = [row.identity_skip_range_min, row.identity_skip_range_max]
  return {
    ...(start !== null && { startCounter: start }),
    ...(min !== null && max !== null && { skipRange: [min, max] as const }),
  }
}

/** By table. */
async function readChecks(context: CatalogContext): Promise<ReadonlyMap<string, CatalogCheck[]>> {
  const [constraints, clauses] = await Promise.all([
    context.read({
      view: 'table_constraints',
      columns: {
        constraint_schema: 'text',
        constraint_name: 'text',
        table_schema: 'text',
        table_name: 'text',
        constraint_type: 'text',
      },
      schemaColumn: 'table_schema',
    }),
    context.read({
      view: 'check_constraints',
      columns: { constraint_schema: 'text', constraint_name: 'text', check_clause: 'text' },
      schemaColumn: 'constraint_schema',
    }),
  ])
  const clauseOf = new Map(clauses.map((row) => [constraintKey(row), row.check_clause ?? '']))
  const checks = constraints
    .filter((row) => row.constraint_type === 'CHECK')
    .map((row) => {
      const [table, name] = [tableOf(context, row), row.constraint_name ?? '']
      const named = context.facts.tables.get(table)?.checks.has(name) ?? true
      const clause = clauseOf.get(constraintKey(row)) ?? ''
      return { table, name, clause, ...(!named && { unnamed: true as const }) }
    })
    .filter((check) => !isNotNull(check))
  return groupedBy(checks, ({ table }) => table)
}

/** The engine lists NOT NULL among the checks. */
function isNotNull({ name, clause }: CatalogCheck): boolean {
  return name.startsWith('CK_IS_NOT_NULL_') && clause.endsWith(' IS NOT NULL')
}

/** Sorted by name; columns and key parts are in their own order. */
async function readTables(context: CatalogContext): Promise<CatalogTable[]> {
  const rows = await context.read({
    view: 'tables',
    columns: {
      table_schema: 'text',
      table_name: 'text',
      table_type: 'text',
      parent_table_name: 'text',
      on_delete_action: 'text',
      interleave_type: 'text',
      row_deletion_policy_expression: 'text',
    },
    optional: ['interleave_type', 'row_deletion_policy_expression'],
    schemaColumn: 'table_schema',
  })
  const tables = rows.filter((row) => row.table_type === 'BASE TABLE')
  const names = new Set(tables.map((row) => tableOf(context, row)))
  const reading = readColumns(context)
  const [columns, { keys, indexes }, checks, foreignKeys] = await Promise.all([
    reading,
    readIndexes(context, names, reading),
    readChecks(context),
    readForeignKeys(context),
  ])
  return byName(
    tables.map((row): CatalogTable => {
      const name = tableOf(context, row)
      const policy = row.row_deletion_policy_expression
      const parent = parentOf(context, row, names)
      return {
        name,
        columns: columns.get(name) ?? [],
        key: keys.get(name) ?? [],
        ...(parent && { parent }),
        indexes: byName(indexes.get(name) ?? []),
        checks: (checks.get(name) ?? []).toSorted((a, b) => inNumberOrder(a.name, b.name)),
        foreignKeys: foreignKeys.get(name) ?? [],
        ...(policy !== null && policy !== '' && { rowDeletion: policy }),
      }
    }),
  )
}

interface ParentRow {
  readonly table_schema: string | null
  readonly table_name: string | null
  readonly parent_table_name: string | null
  readonly on_delete_action: string | null
  readonly interleave_type: string | null
}

function parentOf(
  context: CatalogContext,
  row: ParentRow,
  tables: ReadonlySet<string>,
): Interleaving | undefined {
  const parent = row.parent_table_name ?? ''
  if (parent === '') return undefined
  const inDdl = context.facts.tables.get(tableOf(context, row))?.parent
  return {
    table: inDdl ?? parentName(context, parent, row.table_schema, tables),
    onDelete: row.on_delete_action === 'CASCADE' ? 'cascade' : 'no action',
    ...(row.interleave_type === 'IN' && { required: false as const }),
  }
}

/**
 * Everything that the engine reports about a database: the catalogue where it answers, the DDL text for what it leaves out.
 *
 * Source: https://cloud.google.com/spanner/docs/information-schema,
 * https://cloud.google.com/spanner/docs/information-schema-pg
 */
export async function readCatalog(reader: CatalogReader, dialect: IntrospectedDialect): Promise<Catalog> {
  const { lexicalSyntax, defaultSchema } = dialect
  const nameOf: NameOf = (path) =>
    (path[0] === defaultSchema || path[0] === '' ? path.slice(1) : path).join('.')
  const [read, statements] = await Promise.all([catalogViews(reader, dialect), reader.ddl()])
  const facts = readDdlFacts(statements, lexicalSyntax, nameOf)
  const context: CatalogContext = {
    read,
    facts,
    nameOf,
    lexicalSyntax,
    quote: (path) => dialect.quote(path),
    note: (text) => reader.note?.(text),
  }
  const [tables, namespaces, sequences, views, changeStreams] = await Promise.all([
    readTables(context),
    readNamespaces(context, defaultSchema),
    dialect.readSequences(context),
    readViews(context),
    readChangeStreams(context),
  ])
  const options = columnOptions(context)
  return {
    tables,
    namespaces,
    sequences: byName(sequences),
    views,
    changeStreams,
    opaque: [...facts.opaque, ...options],
  }
}

/** The options of columns that no schema has, each column's by a statement of its own. */
function columnOptions({ facts, quote }: CatalogContext): string[] {
  return [...facts.tables].flatMap(([table, { columns }]) =>
    [...columns].flatMap(([column, { options }]) =>
      options.map(
        (option) => `ALTER TABLE ${quote(table)} ALTER COLUMN ${quote(column)} SET OPTIONS (${option})`,
      ),
    ),
  )
}

async function readNamespaces({ read }: CatalogContext, defaultSchema: string): Promise<string[]> {
  const rows = await read({
    view: 'schemata',
    columns: { schema_name: 'text' },
    schemaColumn: 'schema_name',
  })
  return rows
    .map((row) => row.schema_name ?? '')
    .filter((name) => name !== '' && name !== defaultSchema)
    .sort()
}

async function readViews(context: CatalogContext): Promise<CatalogView[]> {
  const rows = await context.read({
    view: 'views',
    columns: { table_schema: 'text', table_name: 'text', view_definition: 'text', security_type: 'text' },
    optional: ['security_type'],
    schemaColumn: 'table_schema',
  })
  return byName(
    rows.map((row) => {
      const name = tableOf(context, row)
      const clauses = context.facts.views.get(name)
      return {
        name,
        query: row.view_definition ?? '',
        security: securityOf(row.security_type) ?? clauses?.security ?? 'invoker',
        position: clauses?.position ?? Number.MAX_SAFE_INTEGER,
      }
    }),
  )
}

function securityOf(type: string | null): CatalogView['security'] | undefined {
  if (type === 'INVOKER') return 'invoker'
  return type === 'DEFINER' ? 'definer' : undefined
}
