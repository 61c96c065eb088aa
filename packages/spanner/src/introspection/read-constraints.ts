import { IsothermError, tokenize } from '@isotherm/core/engine'
import type { ForeignKey } from '@isotherm/core/tools'
import {
  type CatalogColumn,
  type CatalogContext,
  type CatalogIndex,
  type CatalogKeyPart,
  type ForeignKeyClause,
  byPosition,
  constraintKey,
  groupedBy,
  inNumberOrder,
  parentName,
  tableOf,
} from './catalog.js'
import { notNullColumns } from './ddl-facts.js'

const CONSTRAINT = { constraint_schema: 'text', constraint_name: 'text' } as const
const TABLE = { table_schema: 'text', table_name: 'text' } as const

/**
 * By table. The catalogue has the names and the columns; the emulator's is wrong about what becomes of the rows, and about
 * which column refers to which, so there the DDL goes first.
 */
export async function readForeignKeys(context: CatalogContext): Promise<ReadonlyMap<string, ForeignKey[]>> {
  const usage = await readUsage(context)
  const rows = usage.constraints
    .filter((row) => row.constraint_type === 'FOREIGN KEY')
    .toSorted((a, b) => inNumberOrder(a.constraint_name ?? '', b.constraint_name ?? ''))
  // A clause without a name belongs to one key: two keys that differ only in the order of their references are in the order
  // of the clauses.
  const taken = new Set<ForeignKeyClause>()
  const keys = rows.map((row) => ({
    table: tableOf(context, row),
    key: foreignKey(context, row, usage, taken),
  }))
  return new Map(
    [...groupedBy(keys, ({ table }) => table)].map(([table, list]) => [table, list.map(({ key }) => key)]),
  )
}

type Usage = Awaited<ReturnType<typeof readUsage>>

async function readUsage(context: CatalogContext) {
  const [constraints, references, keys, referred] = await Promise.all([
    context.read({
      view: 'table_constraints',
      columns: { ...CONSTRAINT, ...TABLE, constraint_type: 'text', enforced: 'text' },
      schemaColumn: 'table_schema',
    }),
    context.read({
      view: 'referential_constraints',
      columns: { ...CONSTRAINT, unique_constraint_name: 'text', delete_rule: 'text' },
      schemaColumn: 'constraint_schema',
    }),
    context.read({
      view: 'key_column_usage',
      columns: {
        ...CONSTRAINT,
        ...TABLE,
        column_name: 'text',
        ordinal_position: 'integer',
        position_in_unique_constraint: 'integer',
      },
      schemaColumn: 'table_schema',
    }),
    context.read({
      view: 'constraint_column_usage',
      columns: { ...CONSTRAINT, ...TABLE, column_name: 'text' },
      schemaColumn: 'table_schema',
    }),
  ])
  const positioned = byPosition(keys)
  return {
    constraints,
    references: new Map(references.map((row) => [constraintKey(row), row])),
    columns: groupedBy(positioned, constraintKey),
    referred: groupedBy(referred, constraintKey),
    // By table: the emulator has the named schema of the other table's constraint wrong, but not that table's.
    unique: groupedBy(positioned, (row) => `${tableOf(context, row)} ${row.constraint_name}`),
  }
}

function foreignKey(
  context: CatalogContext,
  row: Usage['constraints'][number],
  usage: Usage,
  taken: Set<ForeignKeyClause>,
): ForeignKey {
  const table = tableOf(context, row)
  const name = row.constraint_name ?? ''
  const reference = usage.references.get(constraintKey(row))
  const columns = usage.columns.get(constraintKey(row)) ?? []
  const referred = usage.referred.get(constraintKey(row)) ?? []
  const other = referred[0] && tableOf(context, referred[0])
  const known = {
    name,
    columns: columns.map((column) => column.column_name ?? ''),
    table: other,
    references: referred.map((column) => column.column_name ?? ''),
  }
  const clauses = context.facts.tables.get(table)?.foreignKeys ?? []
  const clause = clauseOf(
    known,
    clauses.filter((each) => !taken.has(each)),
  )
  if (clause) taken.add(clause)
  const unique = usage.unique.get(`${other} ${reference?.unique_constraint_name}`) ?? []
  const positions = columns.map((column) =>
    unique.find((each) => each.ordinal_position === column.position_in_unique_constraint),
  )
  const reported = namesOf(positions)
  const references = clause?.references ?? reported
  if (clause && reported && reported.join() !== clause.references.join()) {
    context.note(
      `The catalogue has the foreign key ${name} of ${table} refer to (${reported.join(', ')}), and the DDL to ` +
        `(${clause.references.join(', ')}): the DDL was followed.`,
    )
  }
  const referenced = clause?.table ?? other
  if (referenced === undefined || references === undefined) throw unknownReference(table, name)
  const cascades = clause?.onDelete === 'cascade' || reference?.delete_rule === 'CASCADE'
  return {
    name,
    ...(clause && clause.name === undefined && { unnamed: true as const }),
    columns: known.columns,
    table: referenced,
    references,
    onDelete: cascades ? 'cascade' : 'no action',
    ...((clause?.enforced === false || row.enforced === 'NO') && { enforced: false as const }),
  }
}

/** The catalogue's report about a foreign key. */
interface KnownForeignKey {
  readonly name: string
  readonly columns: readonly string[]
  readonly table: string | undefined
  /** In any order, and perhaps more than once. */
  readonly references: readonly string[]
}

/** The DDL of a constraint: by its name, or, if the database made the name up, by its contents. */
function clauseOf(key: KnownForeignKey, clauses: readonly ForeignKeyClause[]): ForeignKeyClause | undefined {
  return (
    clauses.find((clause) => clause.name === key.name) ??
    clauses.find(
      (clause) =>
        clause.name === undefined &&
        clause.table === key.table &&
        clause.columns.join() === key.columns.join() &&
        key.references.every((column) => clause.references.includes(column)),
    )
  )
}

function namesOf(
  rows: readonly ({ readonly column_name: string | null } | undefined)[],
): string[] | undefined {
  const names = rows.flatMap((row) => row?.column_name ?? [])
  return names.length === rows.length && names.length > 0 ? names : undefined
}

function unknownReference(table: string, name: string): IsothermError {
  return new IsothermError(
    'DATABASE',
    `Neither the catalogue nor the DDL says what the foreign key ${name} of ${table} refers to.`,
    { fix: 'Read with permissions for both tables.', table },
  )
}

interface CatalogIndexes {
  /** The primary keys, by table. */
  readonly keys: ReadonlyMap<string, CatalogKeyPart[]>
  /** By table. Indexes that the database made itself, for a foreign key, are left out. */
  readonly indexes: ReadonlyMap<string, CatalogIndex[]>
}

const PRIMARY_KEY = 'PRIMARY_KEY'

export async function readIndexes(
  context: CatalogContext,
  tables: ReadonlySet<string>,
  columnsOfTables: Promise<ReadonlyMap<string, readonly CatalogColumn[]>>,
): Promise<CatalogIndexes> {
  const [columns, rows, parts] = await Promise.all([
    columnsOfTables,
    context.read({
      view: 'indexes',
      columns: {
        table_schema: 'text',
        table_name: 'text',
        index_name: 'text',
        index_type: 'text',
        parent_table_name: 'text',
        is_unique: 'flag',
        is_null_filtered: 'flag',
        spanner_is_managed: 'flag',
        filter: 'text',
      },
      optional: ['filter'],
      schemaColumn: 'table_schema',
    }),
    readParts(context),
  ])
  const own = (row: (typeof rows)[number]): IndexColumns | undefined =>
    parts.get(`${tableOf(context, row)} ${row.index_name}`)

  const secondary = rows.filter((row) => row.index_type !== PRIMARY_KEY && !row.spanner_is_managed)
  const indexes = secondary
    .filter((row) => isPlain(row.index_type))
    .map((row) => {
      const table = tableOf(context, row)
      const name = context.nameOf([row.table_schema ?? '', row.index_name ?? ''])
      const clauses = context.facts.indexes.get(name)
      const parent = row.parent_table_name ?? ''
      const notNull =
        row.filter === null
          ? (clauses?.notNull ?? [])
          : notNullColumns(tokenize(row.filter, context.lexicalSyntax))
      const index: CatalogIndex = {
        name,
        unique: row.is_unique,
        nullFiltered: row.is_null_filtered,
        parts: (own(row)?.parts ?? []).map((part) => withNulls(part, clauses?.nulls.get(part.column))),
        storing: own(row)?.storing ?? [],
        notNull:
          notNull.length > 0 || row.is_null_filtered || context.lexicalSyntax.name !== 'googlesql'
            ? notNull
            : filteredColumns(own(row)?.required ?? [], columns.get(table) ?? []),
        ...(clauses && { statement: clauses.statement }),
        ...(parent !== '' && {
          interleaveIn: clauses?.interleaveIn ?? parentName(context, parent, row.table_schema, tables),
        }),
      }
      return { table, index }
    })
  const keys = rows.filter((row) => row.index_type === PRIMARY_KEY)
  for (const row of secondary)
    if (!isPlain(row.index_type)) refuseWithoutDdl(context, tableOf(context, row), row)
  return {
    keys: new Map(keys.map((row) => [tableOf(context, row), own(row)?.parts ?? []])),
    indexes: new Map(
      [...groupedBy(indexes, ({ table }) => table)].map(([table, list]) => [
        table,
        list.map(({ index }) => index),
      ]),
    ),
  }
}

interface IndexColumns {
  readonly parts: CatalogKeyPart[]
  /** They have no order of their own. */
  readonly storing: string[]
  /** The columns that are never NULL in the index. */
  readonly required: string[]
}

/** By table and index, as `table index`. */
async function readParts(context: CatalogContext): Promise<ReadonlyMap<string, IndexColumns>> {
  const rows = await context.read({
    view: 'index_columns',
    columns: {
      table_schema: 'text',
      table_name: 'text',
      index_name: 'text',
      column_name: 'text',
      ordinal_position: 'integer',
      column_ordering: 'text',
      is_nullable: 'text',
    },
    schemaColumn: 'table_schema',
  })
  const indexes = groupedBy(rows, (row) => `${tableOf(context, row)} ${row.index_name}`)
  return new Map(
    [...indexes].map(([index, list]) => [
      index,
      {
        parts: byPosition(list.filter((row) => row.ordinal_position !== null)).map((row) =>
          keyPart(row.column_name ?? '', row.column_ordering ?? ''),
        ),
        storing: list.filter((row) => row.ordinal_position === null).map((row) => row.column_name ?? ''),
        required: list.filter((row) => row.is_nullable === 'NO').map((row) => row.column_name ?? ''),
      },
    ]),
  )
}

/**
 * The emulator reports a filter neither in the catalogue nor in the DDL, only which columns are never NULL because of it;
 * in the PostgreSQL dialect it reports that of every descending part, too.
 */
function filteredColumns(required: readonly string[], columns: readonly CatalogColumn[]): string[] {
  return columns.filter(({ name, nullable }) => nullable && required.includes(name)).map(({ name }) => name)
}

/** From `DESC NULLS LAST`. */
function keyPart(column: string, ordering: string): CatalogKeyPart {
  const words = ordering.toUpperCase().split(' ')
  const nulls = words.includes('FIRST') ? 'first' : words.includes('LAST') ? 'last' : undefined
  return withNulls({ column, order: words[0] === 'DESC' ? 'desc' : 'asc' }, nulls)
}

/**
 * The default position of NULL need not be given. Only the PostgreSQL dialect reports it, and there NULL is the highest.
 */
function withNulls(part: CatalogKeyPart, nulls: CatalogKeyPart['nulls']): CatalogKeyPart {
  const byItself = part.order === 'asc' ? 'last' : 'first'
  return nulls === undefined || nulls === byItself ? part : { ...part, nulls }
}

/** A PostgreSQL-dialect service may call its plain indexes local or global. */
function isPlain(kind: string | null): boolean {
  return kind === 'INDEX' || kind === 'LOCAL' || kind === 'GLOBAL'
}

interface IndexRow {
  readonly table_schema: string | null
  readonly index_name: string | null
  readonly index_type: string | null
}

/**
 * @throws {IsothermError} `UNSUPPORTED_OBJECT` for an index of a kind that a schema does not have, and that is missing in the DDL
 */
function refuseWithoutDdl({ facts, nameOf }: CatalogContext, table: string, row: IndexRow): void {
  const name = nameOf([row.table_schema ?? '', row.index_name ?? ''])
  const kind = row.index_type?.toUpperCase() ?? 'unknown'
  const own = `${kind} INDEX ${name}`
  if (facts.opaque.some((statement) => statement.replaceAll(/[`"]/g, '').includes(own))) return
  throw new IsothermError(
    'UNSUPPORTED_OBJECT',
    `${table} has the index ${name} of the kind ${kind}, and no DDL.`,
    {
      fix: 'Declare the tables that you need as models.',
      table,
    },
  )
}
