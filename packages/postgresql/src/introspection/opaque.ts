import type { Table } from '@isotherm/core/engine'
import type { OpaqueStatement } from '@isotherm/core/tools'
import { quote } from '../sql/lexical-syntax.js'
import type { CatalogConstraint, CatalogRelation } from './catalog.js'
import { identityClause } from './columns.js'
import type { Named, Scope, ScopedTable } from './scope.js'
import { foreignKeyOf, hasColumn } from './tables.js'

// What no schema models is kept as the statements that make it, in PostgreSQL's own words; a note says so where there is no statement.

function statement(create: string, drop: string): OpaqueStatement {
  return { create: { postgresql: create }, drop: { postgresql: drop } }
}

/** @param tables those of the scope, as they were read */
export function opaqueStatementsOf(scope: Scope, tables: readonly Table[]): OpaqueStatement[] {
  const read = new Map(tables.map((table) => [table.name, table]))
  return [
    ...scope.others.flatMap(({ what, name, create, drop }): OpaqueStatement[] => {
      if (create !== null && drop !== null) return [statement(create, drop)]
      scope.note(`PostgreSQL does not report the statement that creates ${what} ${name}: it was left out.`)
      return []
    }),
    ...sequenceStatements(scope, read),
    ...scope.tables.flatMap((table) => tableStatements(table, read.get(table.name)!, scope)),
    ...scope.views.filter((view) => !isPlainView(view)).map(viewStatement),
    ...scope.materialized.map(({ name, row, indexes }) =>
      statement(
        [
          `CREATE MATERIALIZED VIEW ${quote(name)} AS ${queryOf(row)}`,
          ...indexes.map(({ definition }) => definition),
        ].join('; '),
        `DROP MATERIALIZED VIEW ${quote(name)}`,
      ),
    ),
  ]
}

/** Those that count otherwise than a schema says, and that are dropped with a column. */
function sequenceStatements(
  { sequences, tables }: Scope,
  read: ReadonlyMap<string, Table>,
): OpaqueStatement[] {
  return sequences.flatMap(({ row, name }) => {
    const owner = tables.find((table) => table.row.oid === row.owner)
    const column = owner && read.get(owner.name)?.columns.find((each) => each.name === row.ownerColumn)
    if (row.isIdentity || (column && isCountedBy(column, row.isPlain))) return []
    const create = row.isPlain
      ? []
      : [statement(`CREATE SEQUENCE ${quote(name)} ${row.options}`, `DROP SEQUENCE ${quote(name)}`)]
    if (!owner || row.ownerColumn === null) return create
    const own = `ALTER SEQUENCE ${quote(name)} OWNED BY`
    return [...create, statement(`${own} ${quote(owner.name)}.${quote(row.ownerColumn)}`, `${own} NONE`)]
  })
}

/** Whether a column that counts by itself brings its sequence. */
export function isCountedBy({ source }: Table['columns'][number], isPlain: boolean): boolean {
  return isPlain && source?.kind === 'bit-reversed' && source.from === 'identity'
}

function tableStatements(table: ScopedTable, read: Table, scope: Scope): OpaqueStatement[] {
  const alter = `ALTER TABLE ${quote(table.name)}`
  const { options, hasRowSecurity, forcesRowSecurity } = table.row
  const constraints = table.constraints.filter((constraint) => isLeft(table, constraint, read, scope))
  const known = new Set([
    ...read.indexes.map(({ name }) => name),
    ...table.indexes
      .filter(({ row }) => constraints.some(({ index }) => index === row.oid))
      .map(({ name }) => name),
  ])
  return [
    ...(options.length === 0
      ? []
      : [
          statement(
            `${alter} SET (${options.map((option) => option.replace(/=(.*)$/s, " = '$1'")).join(', ')})`,
            `${alter} RESET (${options.map((option) => option.replace(/=.*$/s, '')).join(', ')})`,
          ),
        ]),
    ...table.columns
      .filter(({ name, identity }) => identity !== '' && hasColumn(read, name))
      .map(({ name, identity }) => {
        const column = `${alter} ALTER COLUMN ${quote(name)}`
        const sequence = scope.sequences.find(
          ({ row }) => row.isIdentity && row.owner === table.row.oid && row.ownerColumn === name,
        )
        const counts = sequence ? ` (${sequence.row.options.replace(/^AS \S+ /, '')})` : ''
        return statement(`${column} ADD ${identityClause(identity)}${counts}`, `${column} DROP IDENTITY`)
      }),
    ...table.indexes
      .filter(({ name }) => !known.has(name))
      .map(({ name, row }) => statement(row.definition, `DROP INDEX ${quote(name)}`)),
    ...constraints.map(({ name, definition }) =>
      statement(
        `${alter} ADD CONSTRAINT ${quote(name)} ${definition}`,
        `${alter} DROP CONSTRAINT ${quote(name)}`,
      ),
    ),
    ...(hasRowSecurity
      ? [statement(`${alter} ENABLE ROW LEVEL SECURITY`, `${alter} DISABLE ROW LEVEL SECURITY`)]
      : []),
    ...(forcesRowSecurity
      ? [statement(`${alter} FORCE ROW LEVEL SECURITY`, `${alter} NO FORCE ROW LEVEL SECURITY`)]
      : []),
  ]
}

/** Whether a constraint is not in the table as it was read. */
function isLeft(table: ScopedTable, constraint: CatalogConstraint, read: Table, scope: Scope): boolean {
  const { kind, isPlain, name, index } = constraint
  switch (kind) {
    case 'c':
      return !isPlain
    case 'f':
      return (
        !foreignKeyOf(table, constraint, scope) &&
        !(
          read.parent &&
          read.foreignKeys.every((key) => key.name !== name) &&
          isParent(read, constraint, scope)
        )
      )
    case 'u': {
      const own = table.indexes.find(({ row }) => row.oid === index)
      if (!own || !read.indexes.some((each) => each.name === own.name)) return true
      scope.note(
        `The constraint ${name} of ${table.name} was read as a unique index: models have no such constraint.`,
      )
      return false
    }
    default:
      return true
  }
}

function isParent({ parent }: Table, { other }: CatalogConstraint, { tables }: Scope): boolean {
  return tables.some((table) => table.row.oid === other && table.name === parent?.table)
}

const INVOKER = /^security_invoker=(?:true|on|yes|1)$/
const DEFINER = /^security_invoker=(?:false|off|no|0)$/

/** Whether a view has no options but whose rights its queries need. */
export function isPlainView({ row }: Named<CatalogRelation>): boolean {
  return row.options.every((option) => INVOKER.test(option) || DEFINER.test(option))
}

export function isInvoker({ options }: CatalogRelation): boolean {
  return options.some((option) => INVOKER.test(option))
}

function viewStatement({ name, row }: Named<CatalogRelation>): OpaqueStatement {
  return statement(
    `CREATE VIEW ${quote(name)} WITH (${row.options.join(', ')}) AS ${queryOf(row)}`,
    `DROP VIEW ${quote(name)}`,
  )
}

/** The query of a view, without the semicolon after it. */
export function queryOf({ query }: CatalogRelation): string {
  return (query ?? '').trim().replace(/;$/, '')
}
