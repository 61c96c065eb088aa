import { cqlLexicalSyntax } from './identifier.js'
import { type Token, TokenReader, isName, isSymbol, tokenize } from '@isotherm/core/engine'

/**
 * What the catalogue shows once a statement has been applied, so that Isotherm need not guess the outcome of a statement
 * whose end it did not see. Names are as the catalogue has them.
 */
export type DdlEffect = {
  /** Absent: the one in which the statement runs. */
  readonly keyspace?: string
} & (
  | { readonly kind: 'table' | 'type' | 'index'; readonly name: string; readonly there: boolean }
  | {
      readonly kind: 'columns'
      readonly table: string
      readonly columns: readonly string[]
      readonly there: boolean
    }
  | { readonly kind: 'fields'; readonly type: string; readonly fields: readonly string[] }
  /** Columns of a key, or fields of a type. */
  | {
      readonly kind: 'renamed'
      readonly of: 'table' | 'type'
      readonly name: string
      readonly names: readonly { readonly from: string; readonly to: string }[]
    }
)

/**
 * The effect of a statement on the catalogue. Undefined if it can run a second time, as a statement that sets options can,
 * or if the catalogue would not show it: no DDL statement of CQL has more than one of these effects.
 *
 * Source: https://cassandra.apache.org/doc/5.0/cassandra/developing/cql/ddl.html
 */
export function effectOf(statement: string): DdlEffect | undefined {
  const reader = new TokenReader(tokenize(statement, cqlLexicalSyntax))
  if (reader.skip('CREATE')) {
    reader.skip('CUSTOM')
    return objectEffect(reader, true)
  }
  if (reader.skip('DROP')) return objectEffect(reader, false)
  if (!reader.skip('ALTER')) return undefined
  if (reader.skip('TABLE')) return tableEffect(reader)
  return reader.skip('TYPE') ? typeEffect(reader) : undefined
}

function objectEffect(reader: TokenReader, there: boolean): DdlEffect | undefined {
  const kind = (['table', 'type', 'index'] as const).find((each) => reader.skip(each.toUpperCase()))
  if (!kind) return undefined
  skipCondition(reader)
  // An index without a name gets one that depends on the existing indexes.
  if (kind === 'index' && there && reader.sees('ON')) return undefined
  const named = objectName(reader)
  return named && { ...named.keyspace, kind, name: named.name, there }
}

function tableEffect(reader: TokenReader): DdlEffect | undefined {
  skipCondition(reader)
  const named = objectName(reader)
  if (!named) return undefined
  const { keyspace, name: table } = named
  const adds = reader.skip('ADD')
  if (adds || reader.skip('DROP')) {
    skipCondition(reader)
    const columns = listed(reader).map(([first]) => first)
    if (columns.length === 0 || !columns.every(isName)) return undefined
    return { ...keyspace, kind: 'columns', table, columns: columns.map(({ text }) => text), there: adds }
  }
  return reader.skip('RENAME') ? renamed(reader, 'table', named) : undefined
}

function typeEffect(reader: TokenReader): DdlEffect | undefined {
  skipCondition(reader)
  const named = objectName(reader)
  if (!named) return undefined
  if (reader.skip('ADD')) {
    skipCondition(reader)
    const fields = listed(reader).map(([first]) => first)
    if (fields.length === 0 || !fields.every(isName)) return undefined
    return { ...named.keyspace, kind: 'fields', type: named.name, fields: fields.map(({ text }) => text) }
  }
  return reader.skip('RENAME') ? renamed(reader, 'type', named) : undefined
}

interface Named {
  readonly keyspace: { readonly keyspace?: string }
  readonly name: string
}

function renamed(
  reader: TokenReader,
  of: 'table' | 'type',
  { keyspace, name }: Named,
): DdlEffect | undefined {
  skipCondition(reader)
  const names: { readonly from: string; readonly to: string }[] = []
  do {
    const from = reader.next()
    if (!isName(from) || !reader.skip('TO')) return undefined
    const to = reader.next()
    if (!isName(to)) return undefined
    names.push({ from: from.text, to: to.text })
  } while (reader.skip('AND'))
  return { ...keyspace, kind: 'renamed', of, name, names }
}

/** The added or dropped items: one, a list, or a list in parentheses. Types contain commas of their own. */
function listed(reader: TokenReader): Token[][] {
  const items: Token[][] = [[]]
  let depth = 0
  for (const token of reader.group() ?? reader.rest()) {
    if (isSymbol(token, ';')) break
    // Brackets that stand side by side may be one symbol.
    if (token.kind === 'symbol')
      for (const mark of token.text) depth += mark === '<' ? 1 : mark === '>' ? -1 : 0
    if (depth === 0 && isSymbol(token, ',')) items.push([])
    else items.at(-1)?.push(token)
  }
  return items.filter((item) => item.length > 0)
}

function skipCondition(reader: TokenReader): void {
  if (!reader.skip('IF', 'NOT', 'EXISTS')) reader.skip('IF', 'EXISTS')
}

function objectName(reader: TokenReader): Named | undefined {
  const path = reader.path()
  const name = path.pop()
  const [keyspace, ...rest] = path
  if (name === undefined || rest.length > 0) return undefined
  return { name, keyspace: keyspace === undefined ? {} : { keyspace } }
}
