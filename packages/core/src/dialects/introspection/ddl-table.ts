import { listedNames, TokenReader } from '../../sql/token-reader.js'
import { isName, isSymbol, isWord, type Token } from '../../sql/token.js'
import type { CatalogIdentity } from './catalog.js'
import type { ColumnClauses, ForeignKeyClause, NameOf } from './ddl-clauses.js'

export type TableItem =
  | { readonly column: string; readonly clauses: ColumnClauses }
  | { readonly foreignKey: ForeignKeyClause }

/** What one item of a table's list tells beyond the catalogue; undefined where it tells nothing. */
export function readTableItem(item: readonly Token[], nameOf: NameOf): TableItem | undefined {
  const reader = new TokenReader(item)
  const named = isConstraint(reader)
  const name = named ? (reader.next(), reader.next()!.text) : undefined
  if (reader.skip('FOREIGN', 'KEY')) return { foreignKey: foreignKey(reader, name, nameOf) }
  if (named || isOtherItem(reader)) return undefined
  reader.skip('COLUMN')
  reader.skip('IF', 'NOT', 'EXISTS')
  const column = reader.next()
  return isName(column) ? { column: column.text, clauses: columnClauses(reader.rest()) } : undefined
}

/** `constraint` is also a name that a column may have. */
function isConstraint(reader: TokenReader): boolean {
  if (!reader.sees('CONSTRAINT') || !isName(reader.peek(1))) return false
  return ['CHECK', 'FOREIGN', 'PRIMARY', 'UNIQUE'].some((word) => isWord(reader.peek(2), word))
}

function isOtherItem(reader: TokenReader): boolean {
  if (reader.sees('PRIMARY', 'KEY')) return true
  const list = isSymbol(reader.peek(1), '(')
  return list && (reader.sees('CHECK') || reader.sees('UNIQUE') || reader.sees('SYNONYM'))
}

function foreignKey(reader: TokenReader, name: string | undefined, nameOf: NameOf): ForeignKeyClause {
  const columns = listedNames(reader.group() ?? [])
  reader.skip('REFERENCES')
  const table = nameOf(reader.path())
  const references = listedNames(reader.group() ?? [])
  const rest = reader.rest()
  return {
    ...(name !== undefined && { name }),
    columns,
    table,
    references,
    onDelete: new TokenReader(rest).seek('ON', 'DELETE', 'CASCADE') ? 'cascade' : 'no action',
    ...(new TokenReader(rest).seek('NOT', 'ENFORCED') && { enforced: false as const }),
  }
}

function columnClauses(tokens: readonly Token[]): ColumnClauses {
  const identity = new TokenReader(tokens)
  return {
    hidden: new TokenReader(tokens).seek('HIDDEN'),
    onUpdate: new TokenReader(tokens).seek('ON', 'UPDATE'),
    ...(identity.seek('AS', 'IDENTITY') && { identity: identityOptions(identity.group() ?? []) }),
  }
}

function identityOptions(tokens: readonly Token[]): CatalogIdentity {
  const start = new TokenReader(tokens)
  const skipped = new TokenReader(tokens)
  const startCounter = start.seek('START', 'COUNTER', 'WITH') ? start.next()?.text : undefined
  const skipRange = skipped.seek('SKIP', 'RANGE') ? twoNumbers(skipped) : undefined
  return { ...(startCounter !== undefined && { startCounter }), ...(skipRange && { skipRange }) }
}

/** With a comma between them or without, as the dialects have it. */
function twoNumbers(reader: TokenReader): readonly [string, string] | undefined {
  const first = reader.next()
  if (isSymbol(reader.peek(), ',')) reader.next()
  const second = reader.next()
  return first?.kind === 'number' && second?.kind === 'number' ? [first.text, second.text] : undefined
}
