import { alterSyntax, type OwnAlterSyntax } from './alter.js'
import { addForeignKey, checksOf, createChangeStream, createView, type Spelling } from './clauses.js'
import type { DdlSyntax } from './statements.js'

/** A dialect's syntax: what is its own, and what it spells as the others do. */
export function ddlSyntax(
  spelling: Spelling,
  own: Pick<DdlSyntax, 'sequence' | 'table' | 'index'>,
  alter: OwnAlterSyntax,
): DdlSyntax {
  return {
    ...own,
    namespace: (name) => `CREATE SCHEMA ${spelling.quote(name)}`,
    addForeignKey: (table, key) => addForeignKey(table, key, spelling),
    view: (view) => createView(view, spelling),
    changeStream: (stream, layouts) => createChangeStream(stream, layouts, spelling),
    checks: (layout) => checksOf(layout, spelling),
    alter: alterSyntax(spelling, alter),
  }
}
