import {
  type DialectRuntime,
  type LexicalSyntax,
  type Token,
  isSymbol,
  tokenize,
} from '@isotherm/core/engine'
import { checkRuntime, tokenAt } from '@isotherm/core/tools'
import { checkArguments } from '../options.js'
import { RESHARD_ACTIONS } from '../reshard/command.js'
import type { MigrationStatement, StatementKind } from '../statement.js'
import { invalid, startOf } from './migration.js'

/**
 * The first section, from 0, that a break cuts off inside a text or a comment; undefined where none is.
 *
 * @param breakLine what stood between the sections
 */
function cutSection(
  sections: readonly string[],
  breakLine: string,
  lexicalSyntax: LexicalSyntax,
): number | undefined {
  const first = sections.findIndex((section) => isCut(section, lexicalSyntax))
  if (first < 0) return undefined
  // A quote that nothing closes further down is a slip of the pen, for the database to speak of.
  const isClosedLater = sections.some(
    (_, at) => at > first && !isCut(sections.slice(first, at + 1).join(breakLine), lexicalSyntax),
  )
  return isClosedLater ? first : undefined
}

function isCut(section: string, lexicalSyntax: LexicalSyntax): boolean {
  for (let at = 0; at < section.length;) {
    const { length, token } = tokenAt(section, at, lexicalSyntax)
    if (token && opens(section, at, length, lexicalSyntax)) return true
    at += length
  }
  return false
}

function opens(sql: string, at: number, length: number, { opening, tripleQuote }: LexicalSyntax): boolean {
  opening.lastIndex = at
  if (length === 1 && opening.exec(sql)) return true
  if (!tripleQuote) return false
  tripleQuote.lastIndex = at
  const [start, quotes = ''] = tripleQuote.exec(sql) ?? []
  if (start === undefined) return false
  return length < start.length + 3 || !sql.slice(at, at + length).endsWith(quotes)
}

// The text of a `migration.sql`: statements, separated by a line that SQL takes for a comment. A semicolon does not
// separate statements, since it may be in a string or in a body.

const BREAKPOINT = '--> statement-breakpoint'

/** A line of its own, or the end of a statement's last line. */
const BREAK = /[ \t]*--> statement-breakpoint[ \t]*(?:\n|$)/

const MARK = /^[ \t]*--[ \t]*isotherm:[ \t]*(.*?)[ \t]*$/m

/** The first words of statements of each marked kind. */
const MARKED = {
  transaction: ['INSERT', 'UPDATE', 'DELETE', 'MERGE', 'WITH'],
  partitioned: ['UPDATE', 'DELETE'],
  reshard: RESHARD_ACTIONS,
} as const satisfies Readonly<Record<Exclude<StatementKind, 'ddl'>, readonly string[]>>

const NO_DDL = new Set<string>([...MARKED.transaction, 'SELECT', 'TRUNCATE'])

/**
 * The statements of a migration's text. Its line ends are not significant, even in strings: a checkout may change them all.
 *
 * @param file for messages
 * @param dialect that of the statements
 * @throws {IsothermError} `MIGRATION_INVALID` naming the statement, by its number from 1, and what to do.
 */
export function parseMigration(
  text: string,
  file: string,
  dialect: DialectRuntime,
): readonly MigrationStatement[] {
  checkArguments('parseMigration', { text, file })
  checkRuntime('parseMigration', dialect)
  const { lexicalSyntax } = dialect
  const isSaid = (section: string): boolean => firstWord(section, lexicalSyntax) !== undefined
  const sections = text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .split(new RegExp(BREAK, 'g'))
  const cut = cutSection(sections, `${BREAKPOINT}\n`, lexicalSyntax)
  if (cut !== undefined) {
    throw invalid(
      `Statement ${sections.slice(0, cut).filter(isSaid).length + 1} of ${file}`,
      `ends inside a string or a comment that contains the line "${BREAKPOINT}".`,
      "Close it before that line. If a string needs this line, concatenate it: '--> statement' || '-breakpoint'.",
    )
  }
  return sections
    .filter(isSaid)
    .map((section, at) => parseStatement(section.trim(), `Statement ${at + 1} of ${file}`, lexicalSyntax))
}

/** The text for statements; `parseMigration` gives the same ones back. */
export function formatMigration(statements: readonly MigrationStatement[]): string {
  checkArguments('formatMigration', { statements })
  return statements
    .map(({ kind, sql }) => {
      const mark = kind === 'ddl' ? '' : `-- isotherm: ${kind}\n`
      // In a comment on the last line a semicolon would end nothing.
      const end = /(--|#).*$/.test(sql) ? '' : ';'
      return `${mark}${sql}${end}\n`
    })
    .join(`${BREAKPOINT}\n`)
}

function parseStatement(section: string, where: string, lexicalSyntax: LexicalSyntax): MigrationStatement {
  const [head = ''] = /^(?:[ \t]*(?:--.*)?\n)*/.exec(section) ?? []
  const found = MARK.exec(head)
  const [line = '', mark] = found ?? []
  const body = found
    ? section.slice(0, found.index) + section.slice(found.index + line.length).replace(/^\n/, '')
    : section
  const other = MARK.exec(body)
  if (other) {
    throw found
      ? invalid(where, `is marked twice: "${line.trim()}" and "${other[0].trim()}".`, 'Remove one of them.')
      : invalid(where, `has "${other[0].trim()}" inside it.`, 'Put the mark before its first word.')
  }
  const sql = withoutEnd(body.trim(), where, lexicalSyntax)
  return { kind: kindOf(mark, firstWord(sql, lexicalSyntax) ?? '', where), sql }
}

/** @param word its first */
function kindOf(mark: string | undefined, word: string, where: string): StatementKind {
  if (mark === undefined) {
    if (!NO_DDL.has(word)) return 'ddl'
    const fix = Object.hasOwn(MARKABLE, word)
      ? `Put "-- isotherm: transaction" before it${MARKABLE[word] ? ', or "-- isotherm: partitioned" for very many rows' : ''}.`
      : 'A migration changes the schema, or rows by INSERT, UPDATE, DELETE or MERGE.'
    throw invalid(
      where,
      `begins with ${word}, which is not a schema change, so that it needs a mark that says how to run it.`,
      fix,
    )
  }
  if (!isMark(mark)) {
    throw invalid(
      where,
      `has the unknown mark "${mark}".`,
      `The marks are ${Object.keys(MARKED).join(', ')}.`,
    )
  }
  const allowed: readonly string[] = MARKED[mark]
  if (allowed.includes(word)) return mark
  throw invalid(
    where,
    `is marked ${mark} and begins with ${word}.`,
    `That is for ${allowed.join(', ')}; a change of the schema has no mark.`,
  )
}

function isMark(mark: string): mark is keyof typeof MARKED {
  return Object.hasOwn(MARKED, mark)
}

/** Statements that can be marked, and whether as partitioned too. */
const MARKABLE: Readonly<Record<string, boolean>> = Object.fromEntries(
  MARKED.transaction.map((word) => [word, (MARKED.partitioned as readonly string[]).includes(word)]),
)

/** The first keyword in upper case; undefined for text that says nothing. Comments and hints are passed over. */
function firstWord(sql: string, lexicalSyntax: LexicalSyntax): string | undefined {
  const start = startOf(sql, lexicalSyntax)
  if (start === undefined) return undefined
  const token = tokenize(sql.slice(start), lexicalSyntax).find(
    (each) => !isSymbol(each, ';') && !isSymbol(each, '('),
  )
  return token?.text.toUpperCase()
}

/** Without the semicolon that ends it. */
function withoutEnd(sql: string, where: string, lexicalSyntax: LexicalSyntax): string {
  const tokens = tokenize(sql, lexicalSyntax)
  if (hasSeveral(tokens))
    throw invalid(where, 'holds several statements.', `Put a line "${BREAKPOINT}" between them.`)
  if (!isSymbol(tokens.at(-1), ';')) return sql
  // A comment may follow, and hold semicolons too.
  for (let end = sql.lastIndexOf(';'); end > 0; end = sql.lastIndexOf(';', end - 1)) {
    const before = sql.slice(0, end)
    if (tokenize(before, lexicalSyntax).length === tokens.length - 1)
      return withoutEnd(before.trimEnd() + sql.slice(end + 1), where, lexicalSyntax)
  }
  return sql
}

function hasSeveral(tokens: readonly Token[]): boolean {
  const end = tokens.findIndex((token) => isSymbol(token, ';'))
  return end >= 0 && tokens.slice(end).some((token) => !isSymbol(token, ';'))
}
