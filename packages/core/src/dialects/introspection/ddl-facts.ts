import type { View } from '../../model/schema.js'
import type { SqlDialect } from '../../model/sql-expression.js'
import { splitList, TokenReader } from '../../sql/token-reader.js'
import type { Token } from '../../sql/token.js'
import { tokenize } from '../../sql/tokenize.js'
import type {
  ColumnClauses,
  DdlFacts,
  ForeignKeyClause,
  IndexClauses,
  NameOf,
  ViewClauses,
} from './ddl-clauses.js'
import { readIndexClauses } from './ddl-index.js'
import { readTableItem } from './ddl-table.js'

interface Collected {
  readonly tables: Map<
    string,
    { columns: Map<string, ColumnClauses>; foreignKeys: ForeignKeyClause[]; parent?: string }
  >
  readonly indexes: Map<string, IndexClauses>
  readonly views: Map<string, ViewClauses>
  readonly changeStreamOptions: Map<string, Record<string, string>>
}

/** Reads only what `DdlFacts` has: statements and clauses of any other kind are passed over. */
export function readDdlFacts(statements: readonly string[], dialect: SqlDialect, nameOf: NameOf): DdlFacts {
  const facts: Collected = {
    tables: new Map(),
    indexes: new Map(),
    views: new Map(),
    changeStreamOptions: new Map(),
  }
  statements.forEach((statement, position) => {
    readStatement(new TokenReader(tokenize(statement, dialect)), facts, nameOf, position)
  })
  return facts
}

function readStatement(reader: TokenReader, facts: Collected, nameOf: NameOf, position: number): void {
  if (reader.skip('ALTER', 'TABLE')) {
    const table = nameOf(reader.path())
    if (reader.skip('ADD')) addItem(facts, table, reader.rest(), nameOf)
    return
  }
  if (!reader.skip('CREATE')) return
  reader.skip('OR', 'REPLACE')
  if (reader.skip('TABLE')) readTable(reader, facts, nameOf)
  else if (reader.skip('VIEW')) {
    const name = nameOf(reader.path())
    facts.views.set(name, { position, ...viewSecurity(reader) })
  } else if (reader.skip('CHANGE', 'STREAM')) {
    facts.changeStreamOptions.set(nameOf(reader.path()), changeStreamOptions(reader))
  } else if (skipIndex(reader)) {
    const [name, clauses] = readIndexClauses(reader, nameOf)
    facts.indexes.set(name, clauses)
  }
}

function skipIndex(reader: TokenReader): boolean {
  reader.skip('UNIQUE')
  reader.skip('NULL_FILTERED')
  return reader.skip('INDEX')
}

function readTable(reader: TokenReader, facts: Collected, nameOf: NameOf): void {
  reader.skip('IF', 'NOT', 'EXISTS')
  const name = nameOf(reader.path())
  for (const item of splitList(reader.group() ?? [])) addItem(facts, name, item, nameOf)
  if (!reader.seek('INTERLEAVE', 'IN')) return
  reader.skip('PARENT')
  tableClauses(facts, name).parent = nameOf(reader.path())
}

function addItem(facts: Collected, table: string, item: readonly Token[], nameOf: NameOf): void {
  const read = readTableItem(item, nameOf)
  if (read === undefined) return
  const { columns, foreignKeys } = tableClauses(facts, table)
  if ('foreignKey' in read) foreignKeys.push(read.foreignKey)
  else columns.set(read.column, read.clauses)
}

function tableClauses(facts: Collected, name: string): NonNullable<ReturnType<Collected['tables']['get']>> {
  const known = facts.tables.get(name)
  if (known) return known
  const clauses = { columns: new Map<string, ColumnClauses>(), foreignKeys: [] }
  facts.tables.set(name, clauses)
  return clauses
}

function viewSecurity(reader: TokenReader): { security?: View['security'] } {
  if (!reader.skip('SQL', 'SECURITY')) return {}
  if (reader.skip('INVOKER')) return { security: 'invoker' }
  return reader.skip('DEFINER') ? { security: 'definer' } : {}
}

function changeStreamOptions(reader: TokenReader): Record<string, string> {
  if (!reader.seek('OPTIONS') && !reader.seek('WITH')) return {}
  const options: Record<string, string> = {}
  for (const [name, equals, value] of splitList(reader.group() ?? [])) {
    if (name && value && equals?.text === '=') options[name.text] = value.text
  }
  return options
}
