import { IsothermError } from '../../errors.js'
import { tokenize } from '../../sql/tokenize.js'
import type { CatalogIndex, CatalogKeyPart } from './catalog.js'
import { byPosition, groupedBy, parentName, tableOf, type CatalogContext } from './catalog-context.js'
import { notNullColumns } from './ddl-index.js'

export interface CatalogIndexes {
  /** The primary keys, by table. */
  readonly keys: ReadonlyMap<string, CatalogKeyPart[]>
  /** By table. Those that the database made itself, for a foreign key, are its own business. */
  readonly indexes: ReadonlyMap<string, CatalogIndex[]>
}

const PRIMARY_KEY = 'PRIMARY_KEY'

export async function readIndexes(
  context: CatalogContext,
  tables: ReadonlySet<string>,
): Promise<CatalogIndexes> {
  const [rows, parts] = await Promise.all([
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

  const indexes = rows
    .filter((row) => row.index_type !== PRIMARY_KEY && !row.spanner_is_managed)
    .map((row) => {
      const table = tableOf(context, row)
      const name = context.nameOf([row.table_schema ?? '', row.index_name ?? ''])
      refuseOtherKinds(table, name, row.index_type)
      const clauses = context.facts.indexes.get(name)
      const parent = row.parent_table_name ?? ''
      const index: CatalogIndex = {
        name,
        unique: row.is_unique,
        nullFiltered: row.is_null_filtered,
        parts: (own(row)?.parts ?? []).map((part) => withNulls(part, clauses?.nulls.get(part.column))),
        storing: own(row)?.storing ?? [],
        notNull:
          row.filter === null
            ? (clauses?.notNull ?? [])
            : notNullColumns(tokenize(row.filter, context.dialect)),
        ...(parent !== '' && {
          interleaveIn: clauses?.interleaveIn ?? parentName(context, parent, row.table_schema, tables),
        }),
      }
      return { table, index }
    })
  const keys = rows.filter((row) => row.index_type === PRIMARY_KEY)
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
      },
    ]),
  )
}

/** From `DESC NULLS LAST`. */
function keyPart(column: string, ordering: string): CatalogKeyPart {
  const words = ordering.toUpperCase().split(' ')
  const nulls = words.includes('FIRST') ? 'first' : words.includes('LAST') ? 'last' : undefined
  return withNulls({ column, order: words[0] === 'DESC' ? 'desc' : 'asc' }, nulls)
}

/** Where NULL stands by itself need not be said. Only the PostgreSQL dialect says it, and there NULL is the highest. */
function withNulls(part: CatalogKeyPart, nulls: CatalogKeyPart['nulls']): CatalogKeyPart {
  const byItself = part.order === 'asc' ? 'last' : 'first'
  return nulls === undefined || nulls === byItself ? part : { ...part, nulls }
}

/** A PostgreSQL-dialect service may call its plain indexes local or global. */
function refuseOtherKinds(table: string, index: string, kind: string | null): void {
  if (kind === 'INDEX' || kind === 'LOCAL' || kind === 'GLOBAL') return
  throw new IsothermError('UNSUPPORTED', `${table} has the index ${index} of the kind ${kind}.`, {
    fix: 'Isotherm has plain secondary indexes only: declare the tables that you need as models.',
    table,
  })
}
