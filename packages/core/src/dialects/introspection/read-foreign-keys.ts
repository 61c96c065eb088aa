import { IsothermError } from '../../errors.js'
import type { ForeignKey } from '../../model/table.js'
import { byPosition, constraintKey, groupedBy, tableOf, type CatalogContext } from './catalog-context.js'
import type { ForeignKeyClause } from './ddl-clauses.js'

const CONSTRAINT = { constraint_schema: 'text', constraint_name: 'text' } as const
const TABLE = { table_schema: 'text', table_name: 'text' } as const

/**
 * By table. The catalogue has the names and the columns; the emulator's is wrong about what becomes of the rows, and about
 * which column refers to which, so there the DDL goes first.
 */
export async function readForeignKeys(context: CatalogContext): Promise<ReadonlyMap<string, ForeignKey[]>> {
  const usage = await readUsage(context)
  const keys = usage.constraints
    .filter((row) => row.constraint_type === 'FOREIGN KEY')
    .map((row) => ({ table: tableOf(context, row), key: foreignKey(context, row, usage) }))
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

function foreignKey(context: CatalogContext, row: Usage['constraints'][number], usage: Usage): ForeignKey {
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
  const clause = clauseOf(known, context.facts.tables.get(table)?.foreignKeys ?? [])
  const unique = usage.unique.get(`${other} ${reference?.unique_constraint_name}`) ?? []
  const places = columns.map((column) =>
    unique.find((each) => each.ordinal_position === column.position_in_unique_constraint),
  )
  const references = clause?.references ?? namesOf(places)
  const referenced = clause?.table ?? other
  if (referenced === undefined || references === undefined) throw unknownReference(table, name)
  const cascades = clause?.onDelete === 'cascade' || reference?.delete_rule === 'CASCADE'
  return {
    name,
    columns: known.columns,
    table: referenced,
    references,
    onDelete: cascades ? 'cascade' : 'no action',
    ...((clause?.enforced === false || row.enforced === 'NO') && { enforced: false as const }),
  }
}

/** What the catalogue tells of a foreign key. */
interface KnownForeignKey {
  readonly name: string
  readonly columns: readonly string[]
  readonly table: string | undefined
  /** In any order, and perhaps more than once. */
  readonly references: readonly string[]
}

/** The DDL of a constraint: by its name, or, where the database made the name up, by what it says. */
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
    `Neither the catalogue nor the DDL tells what the foreign key ${name} of ${table} refers to.`,
    { fix: 'Read with the rights to all of both tables.', table },
  )
}
