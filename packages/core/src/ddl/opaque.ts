import type { OpaqueStatement, Schema } from '../model/schema.js'
import type { OpaqueColumn } from '../model/table.js'
import { type LexicalSyntax, isSymbol, isWord } from '../tokens/lexical-syntax.js'
import { type PlacedToken, TokenReader, placedTokens, textOf } from '../tokens/tokens.js'
import type { TableLayout } from '../layout/layout.js'
import { type DefinedColumn, type ClauseSyntax, requiredSql } from './clauses.js'
import { unsupportedModel } from '../errors.js'

// Objects that Isotherm does not model are kept as text. Only the first words of a statement are interpreted.

/** The object that an opaque statement creates or sets. */
export interface OpaqueObject {
  /** Two statements with the same name are about the same thing: `SEARCH INDEX AlbumsByTitle`. */
  readonly name: string
  readonly create: string
  /** The statement that undoes it. Absent: none is known. */
  readonly drop?: string
  /** Whether it runs before everything else, once named schemas and sequences are there, once the tables are, or at the end. */
  readonly runs: 'first' | 'before tables' | 'after tables' | 'last'
  /**
   * How a change of the statement is made: `set` runs the new statement, `remake` undoes the old one first, `refuse` cannot
   * tell what would be lost. Dropping a statement with `set` or `remake` does not lose data.
   */
  readonly change: 'set' | 'remake' | 'refuse'
  /** The statement for comparisons: a database has another name after it was created again. */
  readonly compared: string
}

/** Kinds of more than one word. */
const KINDS = [
  ['SEARCH', 'INDEX'],
  ['VECTOR', 'INDEX'],
  ['PROPERTY', 'GRAPH'],
  ['LOCALITY', 'GROUP'],
  ['PROTO', 'BUNDLE'],
  ['CHANGE', 'STREAM'],
  ['MATERIALIZED', 'VIEW'],
  ['CONSTRAINT', 'TRIGGER'],
] as const

const FIRST: ReadonlySet<string> = new Set(['PROTO BUNDLE', 'LOCALITY GROUP', 'PLACEMENT', 'ROLE'])
/** Columns may need them. */
const BEFORE_TABLES: ReadonlySet<string> = new Set(['EXTENSION', 'TYPE', 'DOMAIN', 'SEQUENCE'])
/** They may need views. */
const LAST: ReadonlySet<string> = new Set([
  'PROPERTY GRAPH',
  'CHANGE STREAM',
  'MATERIALIZED VIEW',
  'TRIGGER',
  'CONSTRAINT TRIGGER',
  'RULE',
])
/** Kinds of which each table has names of its own, and the word before the table. */
const OF_TABLE: ReadonlyMap<string, string> = new Map([
  ['TRIGGER', 'ON'],
  ['CONSTRAINT TRIGGER', 'ON'],
  ['POLICY', 'ON'],
  ['RULE', 'TO'],
])
/** Made of what the tables hold, or of nothing that is stored. */
const REMADE: ReadonlySet<string> = new Set([
  'SEARCH INDEX',
  'VECTOR INDEX',
  'INDEX',
  'PROPERTY GRAPH',
  'MODEL',
  'FUNCTION',
])

/** The object of a statement. An unknown statement is its own object, and nothing undoes it. */
export function opaqueObject(statement: OpaqueStatement, lexicalSyntax: LexicalSyntax): OpaqueObject {
  const text = requiredSql(statement.create, lexicalSyntax.name, 'an opaque statement', 'it')
  const tokens = placedTokens(text, lexicalSyntax)
  const create = textOf(text, tokens)
  const read = (tokens: readonly PlacedToken[]): string => textOf(text, tokens)
  const reader = new TokenReader(tokens)
  const itself: Omit<OpaqueObject, 'create'> = {
    name: create,
    runs: 'last',
    change: 'refuse',
    compared: create,
  }
  const known = madeBy(reader, read) ?? alterationOf(reader, read) ?? grantOf(tokens, read)
  const own =
    statement.drop === undefined ? undefined : requiredSql(statement.drop, lexicalSyntax.name, create, 'drop')
  return { ...itself, ...known, create, ...(own !== undefined && { drop: own }) }
}

type Read = (tokens: readonly PlacedToken[]) => string
type Known = Partial<Omit<OpaqueObject, 'create'>>

/** `CREATE MODEL m …` */
function madeBy(reader: TokenReader<PlacedToken>, read: Read): Known | undefined {
  if (!reader.skip('CREATE')) return undefined
  reader.skip('OR', 'REPLACE')
  reader.skip('UNIQUE')
  reader.skip('NULL_FILTERED')
  const long = KINDS.find((words) => reader.skip(...words))
  const kind = long?.join(' ') ?? reader.next()?.text.toUpperCase() ?? ''
  reader.skip('IF', 'NOT', 'EXISTS')
  const name = kind === 'PROTO BUNDLE' ? [] : pathTokens(reader)
  const schema = kind.endsWith('INDEX') && name.length === 1 ? schemaOfTable(reader) : []
  const before = OF_TABLE.get(kind)
  const table = before !== undefined && reader.seek(before) ? [`ON ${read(pathTokens(reader))}`] : []
  const own = [...(name.length > 0 ? [read(schema) + read(name)] : []), ...table]
  const object = [kind, ...own].join(' ')
  return {
    name: object.replaceAll(/[`"]/g, ''),
    drop: `DROP ${object.replace(/^CONSTRAINT /, '')}`,
    runs: runsOf(kind),
    change: REMADE.has(kind) ? 'remake' : 'refuse',
  }
}

function runsOf(kind: string): OpaqueObject['runs'] {
  if (FIRST.has(kind)) return 'first'
  if (BEFORE_TABLES.has(kind)) return 'before tables'
  return LAST.has(kind) ? 'last' : 'after tables'
}

/** An index without a named schema is in its table's: that one and its dot. */
function schemaOfTable(reader: TokenReader<PlacedToken>): PlacedToken[] {
  if (!reader.seek('ON')) return []
  return pathTokens(reader).slice(0, -1)
}

/** `ALTER DATABASE d SET OPTIONS (…)`, and the options of a table. */
function alterationOf(reader: TokenReader<PlacedToken>, read: Read): Known | undefined {
  if (!reader.skip('ALTER')) return undefined
  const isDatabase = reader.skip('DATABASE')
  if (!isDatabase && !reader.skip('TABLE')) return undefined
  const path = read(pathTokens(reader))
  const bare = path.replaceAll(/[`"]/g, '')
  const alter = `ALTER ${isDatabase ? 'DATABASE' : 'TABLE'} ${path}`
  const column = reader.skip('ALTER', 'COLUMN') ? reader.next() : undefined
  const on = column ? `${alter} ALTER COLUMN ${read([column])}` : alter
  const rest = read(reader.rest())
  const of = isDatabase ? 'the database' : column ? `${bare}.${column.text}` : bare
  if (reader.skip('SET', 'OPTIONS')) {
    const names = optionNames(reader.group() ?? [])
    return {
      name: `OPTIONS ${names.join(', ')} of ${of}`,
      drop: `${on} SET OPTIONS (${names.map((name) => `${name} = NULL`).join(', ')})`,
      runs: isDatabase ? 'first' : 'after tables',
      change: 'set',
      ...(isDatabase && { compared: `ALTER DATABASE ${rest}` }),
    }
  }
  if (isDatabase && reader.skip('SET')) {
    const option = pathTokens(reader)
    return {
      name: `OPTION ${option.map(({ text }) => text).join('')} of ${of}`,
      drop: `${on} RESET ${read(option)}`,
      runs: 'first',
      change: 'set',
      compared: `ALTER DATABASE ${rest.replaceAll('"', '')}`,
    }
  }
  if (isDatabase || column || !reader.skip('ADD')) return undefined
  if (reader.skip('SYNONYM')) {
    const synonym = read(pathTokens(reader))
    const name = `SYNONYM ${synonym.replaceAll(/[`"]/g, '')}`
    return { name, drop: `${on} DROP SYNONYM ${synonym}`, runs: 'after tables', change: 'remake' }
  }
  const policy = [['ROW', 'DELETION', 'POLICY'], ['TTL']].find((words) => reader.skip(...words))?.join(' ')
  if (policy === undefined) return undefined
  return { name: `${policy} of ${bare}`, drop: `${on} DROP ${policy}`, runs: 'last', change: 'refuse' }
}

function optionNames(list: readonly PlacedToken[]): string[] {
  return list.flatMap((token, at) => (isSymbol(list[at + 1], '=') ? [token.text] : []))
}

/** `GRANT … TO ROLE r` */
function grantOf(tokens: readonly PlacedToken[], read: Read): Known | undefined {
  const to = tokens.findLastIndex((token) => isWord(token, 'TO'))
  if (!isWord(tokens[0], 'GRANT') || to < 0) return undefined
  const drop = `REVOKE ${read(tokens.slice(1, to))} FROM ${read(tokens.slice(to + 1))}`
  return { drop, runs: 'last', change: 'remake' }
}

/** The tokens of a name such as `sales.Order`, dots included. */
function pathTokens(reader: TokenReader<PlacedToken>): PlacedToken[] {
  const tokens: PlacedToken[] = []
  for (;;) {
    const name = reader.next()
    if (name) tokens.push(name)
    const dot = reader.peek()
    if (!name || !dot || !isSymbol(dot, '.')) return tokens
    reader.next()
    tokens.push(dot)
  }
}

export function opaqueObjects(
  schema: Pick<Schema, 'opaqueStatements'>,
  lexicalSyntax: LexicalSyntax,
): OpaqueObject[] {
  return (schema.opaqueStatements ?? []).map((statement) => opaqueObject(statement, lexicalSyntax))
}

/** An opaque column in one dialect. */
export interface SqlColumn {
  readonly name: string
  readonly definition: string
}

export function sqlColumn(table: string, column: OpaqueColumn, lexicalSyntax: LexicalSyntax): SqlColumn {
  const { name, definition } = column
  return { name, definition: requiredSql(definition, lexicalSyntax.name, table, `the opaque column ${name}`) }
}

/** Whether the database computes a column from others: then nothing is lost with it. */
export function isComputedColumn({ definition }: SqlColumn, lexicalSyntax: LexicalSyntax): boolean {
  const reader = new TokenReader(placedTokens(definition, lexicalSyntax))
  return reader.seek('AS') && isSymbol(reader.peek(), '(')
}

/** The definitions of a table's columns, each opaque one where it belongs. */
export function columnLines(
  { table, columns }: TableLayout,
  definitionOf: (column: DefinedColumn) => string,
  { lexicalSyntax, quote }: ClauseSyntax,
): string[] {
  const lines = columns.map((column) => ({ name: column.name, line: definitionOf(column) }))
  // From the last one on: one may precede another opaque one.
  for (const column of table.opaqueColumns?.toReversed() ?? []) {
    const { name, definition } = sqlColumn(table.name, column, lexicalSyntax)
    const position = lines.findIndex((line) => line.name === column.before)
    if (position < 0 && column.before !== undefined) throw unknownPosition(table.name, name, column.before)
    lines.splice(position < 0 ? lines.length : position, 0, { name, line: `${quote(name)} ${definition}` })
  }
  return lines.map(({ line }) => line)
}

function unknownPosition(table: string, name: string, before: string): Error {
  return unsupportedModel(
    table,
    `must stand before ${before}, which is not a column of the table.`,
    'Name a column as the database does, or leave `before` out.',
    name,
  )
}
