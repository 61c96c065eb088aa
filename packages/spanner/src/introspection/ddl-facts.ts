import {
  type LexicalSyntax,
  type Token,
  TokenReader,
  areWords,
  isName,
  isSymbol,
  placedTokens,
} from '@isotherm/core/engine'
import {
  type ChangeStream,
  type PlacedToken,
  type View,
  type WatchedTable,
  isWord,
  listedNames,
  splitList,
  textOf,
} from '@isotherm/core/tools'
import type {
  CatalogIdentity,
  ChangeStreamClauses,
  ColumnClauses,
  DdlFacts,
  ForeignKeyClause,
  IndexClauses,
  NameOf,
  ViewClauses,
} from './catalog.js'

/** The rest of `CREATE INDEX`, from its name on. An index without a named schema of its own is in its table's. */
function readIndexClauses(reader: TokenReader, nameOf: NameOf): [string, Omit<IndexClauses, 'statement'>] {
  reader.skip('IF', 'NOT', 'EXISTS')
  const path = reader.path()
  reader.seek('ON')
  const table = reader.path()
  const name = nameOf(path.length > 1 ? path : [...table.slice(0, -1), ...path])
  const parts = reader.group() ?? []
  const tail = reader.rest()
  const where = new TokenReader(tail)
  const interleaved = new TokenReader(tail)
  return [
    name,
    {
      nulls: new Map(splitList(parts).flatMap(nullsOf)),
      notNull: where.seek('WHERE') ? notNullColumns(where.rest()) : [],
      ...(interleaved.seek('INTERLEAVE', 'IN') && { interleaveIn: nameOf(interleaved.path()) }),
    },
  ]
}

/** The columns of `a IS NOT NULL AND b IS NOT NULL`, whatever parentheses are around them. */
export function notNullColumns(filter: readonly Token[]): string[] {
  return filter.flatMap((token, at) =>
    isName(token) && areWords(filter, at + 1, 'IS', 'NOT', 'NULL') ? [token.text] : [],
  )
}

function nullsOf([column, ...rest]: readonly Token[]): [string, 'first' | 'last'][] {
  const reader = new TokenReader(rest)
  if (!isName(column) || !reader.seek('NULLS')) return []
  return [[column.text, reader.skip('FIRST') ? 'first' : 'last']]
}

type TableItem =
  | { readonly column: string; readonly clauses: ColumnClauses }
  | { readonly foreignKey: ForeignKeyClause }
  /** The name of a check that has one. */
  | { readonly check: string }
  | { readonly synonym: string }
  /** A statement whose facts the catalogue has completely. */
  | { readonly known: true }
  /** Any other statement. */
  | { readonly unknown: true }

/** The facts of one item of a table's list. */
function readTableItem(
  item: readonly PlacedToken[],
  nameOf: NameOf,
  textOf: (tokens: readonly PlacedToken[]) => string,
): TableItem {
  const reader = new TokenReader(item)
  const name = isConstraint(reader) ? (reader.next(), reader.next()?.text) : undefined
  if (reader.skip('FOREIGN', 'KEY')) return { foreignKey: foreignKey(reader, name, nameOf) }
  if (name !== undefined) return reader.sees('CHECK') ? { check: name } : { known: true }
  if (isOtherItem(reader)) {
    return reader.skip('SYNONYM') ? { synonym: textOf(reader.group() ?? []) } : { known: true }
  }
  if (reader.sees('ROW', 'DELETION', 'POLICY')) return { unknown: true }
  reader.skip('COLUMN')
  reader.skip('IF', 'NOT', 'EXISTS')
  const column = reader.next()
  if (!isName(column)) return { unknown: true }
  return { column: column.text, clauses: columnClauses(reader.rest(), textOf) }
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

function columnClauses(
  tokens: readonly PlacedToken[],
  textOf: (tokens: readonly PlacedToken[]) => string,
): ColumnClauses {
  const identity = new TokenReader(tokens)
  const options = new TokenReader(tokens)
  const listed = options.seek('OPTIONS') ? splitList(options.group() ?? []) : []
  return {
    definition: textOf(tokens),
    options: listed.filter(([name]) => name?.text !== 'allow_commit_timestamp').map(textOf),
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

interface Collected {
  readonly tables: Map<
    string,
    {
      columns: Map<string, ColumnClauses>
      foreignKeys: ForeignKeyClause[]
      checks: Set<string>
      parent?: string
    }
  >
  readonly indexes: Map<string, IndexClauses>
  readonly views: Map<string, ViewClauses>
  readonly changeStreams: Map<string, ChangeStreamClauses>
  readonly opaque: string[]
}

/** A statement that is being read. */
interface Read {
  readonly reader: TokenReader<PlacedToken>
  readonly textOf: (tokens: readonly PlacedToken[]) => string
  readonly nameOf: NameOf
  readonly facts: Collected
}

/** Reads what `DdlFacts` has, and keeps as they are the statements that no schema models. */
export function readDdlFacts(
  statements: readonly string[],
  lexicalSyntax: LexicalSyntax,
  nameOf: NameOf,
): DdlFacts {
  const facts: Collected = {
    tables: new Map(),
    indexes: new Map(),
    views: new Map(),
    changeStreams: new Map(),
    opaque: [],
  }
  statements.forEach((statement, position) => {
    const tokens = placedTokens(statement, lexicalSyntax)
    const read: Read = {
      reader: new TokenReader(tokens),
      textOf: (part) => textOf(statement, part),
      nameOf,
      facts,
    }
    if (tokens.length > 0 && !readStatement(read, tokens, position)) facts.opaque.push(read.textOf(tokens))
  })
  return facts
}

/** @returns whether a schema models what the statement makes */
function readStatement(read: Read, tokens: readonly PlacedToken[], position: number): boolean {
  const { reader, facts, nameOf } = read
  if (reader.skip('ALTER', 'TABLE')) {
    const table = nameOf(reader.path())
    if (!reader.skip('ADD') || reader.sees('SYNONYM')) return false
    return addItem(read, table, reader.rest())
  }
  if (!reader.skip('CREATE')) return false
  reader.skip('OR', 'REPLACE')
  if (reader.skip('TABLE')) readTable(read)
  else if (reader.skip('VIEW')) {
    const name = nameOf(reader.path())
    facts.views.set(name, { position, ...viewSecurity(reader) })
  } else if (reader.skip('CHANGE', 'STREAM')) {
    const name = nameOf(reader.path())
    const rest = reader.rest()
    facts.changeStreams.set(name, {
      watch: watched(new TokenReader(rest), nameOf),
      options: changeStreamOptions(new TokenReader(rest)),
      statement: read.textOf(tokens),
    })
  } else if (skipIndex(reader)) {
    const [name, clauses] = readIndexClauses(reader, nameOf)
    facts.indexes.set(name, { ...clauses, statement: read.textOf(tokens) })
  } else return reader.sees('SEQUENCE') || reader.sees('SCHEMA')
  return true
}

function skipIndex(reader: TokenReader): boolean {
  reader.skip('UNIQUE')
  reader.skip('NULL_FILTERED')
  return reader.skip('INDEX')
}

function readTable(read: Read): void {
  const { reader, nameOf, facts } = read
  reader.skip('IF', 'NOT', 'EXISTS')
  const start = reader.rest()
  const path = reader.path()
  const sqlName = read.textOf(start.slice(0, start.length - reader.rest().length))
  const name = nameOf(path)
  for (const item of splitList(reader.group() ?? [])) addItem(read, name, item, sqlName)
  const tail = reader.rest()
  const options = new TokenReader(tail)
  if (options.seek('OPTIONS'))
    facts.opaque.push(`ALTER TABLE ${sqlName} SET OPTIONS (${read.textOf(options.group() ?? [])})`)
  if (!reader.seek('INTERLEAVE', 'IN')) return
  reader.skip('PARENT')
  tableClauses(facts, name).parent = nameOf(reader.path())
}

/** @returns whether a schema models it, or it is kept elsewhere */
function addItem(read: Read, table: string, item: readonly PlacedToken[], sqlName?: string): boolean {
  const { facts, nameOf } = read
  const { columns, foreignKeys, checks } = tableClauses(facts, table)
  const found = readTableItem(item, nameOf, read.textOf)
  if ('synonym' in found) facts.opaque.push(`ALTER TABLE ${sqlName} ADD SYNONYM ${found.synonym}`)
  else if ('foreignKey' in found) foreignKeys.push(found.foreignKey)
  else if ('check' in found) checks.add(found.check)
  else if ('column' in found) columns.set(found.column, found.clauses)
  return !('unknown' in found)
}

function tableClauses(facts: Collected, name: string): NonNullable<ReturnType<Collected['tables']['get']>> {
  const known = facts.tables.get(name)
  if (known) return known
  const clauses = { columns: new Map<string, ColumnClauses>(), foreignKeys: [], checks: new Set<string>() }
  facts.tables.set(name, clauses)
  return clauses
}

function viewSecurity(reader: TokenReader): { security?: View['security'] } {
  if (!reader.skip('SQL', 'SECURITY')) return {}
  if (reader.skip('INVOKER')) return { security: 'invoker' }
  return reader.skip('DEFINER') ? { security: 'definer' } : {}
}

/** `FOR ALL`, or `FOR a, b(c, d)`; a table in which only the key is watched has an empty list. */
function watched(reader: TokenReader, nameOf: NameOf): ChangeStream['watch'] {
  if (!reader.skip('FOR')) return []
  if (reader.skip('ALL')) return 'all'
  const tables: WatchedTable[] = []
  do {
    const table = nameOf(reader.path())
    const columns = reader.group()
    tables.push({ table, columns: columns ? listedNames(columns) : 'all' })
  } while (isSymbol(reader.peek(), ',') && reader.next())
  return tables
}

function changeStreamOptions(reader: TokenReader): Record<string, string> {
  if (!reader.seek('OPTIONS') && !reader.seek('WITH')) return {}
  const options: Record<string, string> = {}
  for (const [name, equals, value] of splitList(reader.group() ?? [])) {
    if (name && value && equals?.text === '=') options[name.text] = value.text
  }
  return options
}
