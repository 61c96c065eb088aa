import type { ColumnType, HashAlgorithm, HashedColumn, LexicalSyntax } from '@isotherm/core/engine'
import {
  type Sequence,
  type ShardSource,
  type SqlCast,
  type SqlNode,
  type SqlText,
  type ValueSource,
  foldName,
  parseSql,
} from '@isotherm/core/tools'
import type { CatalogColumn, CatalogContext, CatalogSyntax } from './catalog.js'

/**
 * The function that a default calls, among those that Isotherm writes itself: a random UUID or its text, the clock, or a
 * sequence.
 */
export type DefaultCall = 'uuid' | 'uuid-text' | 'clock' | { readonly sequence: string }

interface RecognisedDefault {
  readonly source: ValueSource
  /** The type, if the default says more about it than the database does: a UUID that is stored as text. */
  readonly type?: ColumnType
}

const UUID_LENGTH = 36

/** The meaning of a default for a column of this type; undefined if Isotherm does not give such a column this default. */
export function meaningOf(call: DefaultCall, type: ColumnType): RecognisedDefault | undefined {
  if (typeof call === 'object') {
    const { sequence } = call
    return type.kind === 'int64'
      ? { source: { kind: 'bit-reversed', from: 'sequence', sequence } }
      : undefined
  }
  switch (call) {
    case 'uuid':
      return type.kind === 'uuid' ? { source: { kind: 'uuid-v4' } } : undefined
    case 'uuid-text':
      return type.kind === 'string' && type.length === UUID_LENGTH
        ? { source: { kind: 'uuid-v4' }, type: { kind: 'uuid' } }
        : undefined
    case 'clock':
      return type.kind === 'timestamp' ? { source: { kind: 'timestamp', from: 'now' } } : undefined
  }
}

// An engine may return an expression in another wording than it was made with: with more parentheses, casts in another
// form, literals with a type. Two expressions are the same if their normal forms are.

/**
 * `w:` names, `f:` functions, `n:` numbers, `s:` strings, `b:` bytes, `::` casts after their operands (`?::` those that
 * return NULL if they fail), `.` everything else. Parentheses are removed: the functions and casts that they belong to
 * replace them.
 */
export type NormalForm = readonly string[]

/** Names of types that mean the same, each with its canonical name. */
export type TypeAliases = Readonly<Record<string, string>>

export function normalForm(sql: string, lexicalSyntax: LexicalSyntax, aliases: TypeAliases = {}): NormalForm {
  return entriesOf(parseSql(sql, lexicalSyntax), lexicalSyntax, aliases)
}

/** The entry of a name. */
export function normalName(name: string, lexicalSyntax: LexicalSyntax): string {
  return `w:${foldName(name, lexicalSyntax)}`
}

function entriesOf(text: SqlText, lexicalSyntax: LexicalSyntax, aliases: TypeAliases): NormalForm {
  const within = (inner: SqlText): NormalForm => entriesOf(inner, lexicalSyntax, aliases)
  const list = (parts: readonly SqlText[]): NormalForm =>
    parts.flatMap((part, at) => (at === 0 ? within(part) : ['.,', ...within(part)]))

  const entries = (node: SqlNode): NormalForm => {
    switch (node.kind) {
      case 'word':
      case 'quoted':
        return [normalName(node.text, lexicalSyntax)]
      case 'number':
        return [`n:${node.text}`]
      case 'string':
        return [`s:${node.text}`]
      case 'bytes':
        return [`b:${node.text}`]
      case 'symbol':
        return [`.${node.text}`]
      case 'call':
        return [
          ...node.path.flatMap((name) => [normalName(name, lexicalSyntax), '..']),
          `f:${node.name}`,
          ...list(node.args),
        ]
      case 'cast':
        return [...within(node.operand), castEntry(node, aliases)]
      case 'group':
        return node.bracket === '(' ? list(node.parts) : ['.[', ...list(node.parts), '.]']
    }
  }
  return text.flatMap(entries)
}

function castEntry({ safe, type, format }: SqlCast, aliases: TypeAliases): string {
  const more = format.map(({ text }) => text.toLowerCase()).join('')
  return `${safe ? '?' : ''}::${aliases[type.name] ?? type.name}${type.size}${more}`
}

export function sameForm(one: NormalForm, other: NormalForm): boolean {
  return one.length === other.length && one.every((entry, at) => entry === other[at])
}

export interface RecognisedType {
  readonly type: ColumnType
  /** The type itself says that the column takes commit timestamps. */
  readonly commitTimestamp?: true
}

export interface RecognisedRowDeletion {
  readonly column: string
  readonly days: number
}

/** How Isotherm itself writes a hash in a dialect. */
interface HashPrinter {
  shardExpression(
    columns: readonly HashedColumn[],
    source: Pick<ShardSource, 'shards' | 'first' | 'signed'>,
  ): string
  hashExpression(columns: readonly HashedColumn[], algorithm: HashAlgorithm): string
}

/** The parts of a dialect that introspection needs. */
export interface IntrospectedDialect extends CatalogSyntax {
  readonly lexicalSyntax: LexicalSyntax
  /** The named schema that names go without. */
  readonly defaultSchema: string
  /** The dialect's reading of an expression, to compare expressions by. */
  normalForm(sql: string): NormalForm
  /** Undefined for a type that no `Schema` has. */
  typeOf(syntax: string): RecognisedType | undefined
  /** Undefined for a default that Isotherm does not write itself. */
  defaultCall(expression: string, sequences: readonly string[]): DefaultCall | undefined
  /** Undefined for a policy that is not a number of days. */
  rowDeletion(policy: string): RecognisedRowDeletion | undefined
  /** The statement that gives a table a policy. */
  addRowDeletion(table: string, policy: string): string
  readSequences(context: CatalogContext): Promise<Sequence[]>
  readonly hashes: HashPrinter
  /** Whether one column is the mirror that a key has in place of the other's descending order. */
  isMirror?(mirror: CatalogColumn, of: CatalogColumn, type: ColumnType): boolean
}
