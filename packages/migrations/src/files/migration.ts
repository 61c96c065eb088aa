import {
  type DialectRuntime,
  IsothermError,
  type LexicalSyntax,
  checkArgument,
  isSymbol,
  shown,
  itemAt,
} from '@isotherm/core/engine'
import { checkRuntime, tokenAt } from '@isotherm/core/tools'
import { createHash } from 'node:crypto'
import { MIGRATION_LIST, checkArguments } from '../options.js'
import type { Snapshot } from '../snapshot.js'
import type { MigrationStatement } from '../statement.js'
import { join } from 'node:path'

/** The error for an invalid folder, file or statement. */
export function invalid(where: string, what: string, fix: string): IsothermError {
  return new IsothermError('MIGRATION_INVALID', `${where} ${what}`, { fix })
}

/** A migration as its folder contains it. */
export interface Migration {
  /** The folder's: `20261121093000_add_orders`. */
  readonly name: string
  readonly statements: readonly MigrationStatement[]
  /** Of all statements: whether the migration was edited after it had run. */
  readonly hash: string
  /** Absent from a migration that was written by hand without one. */
  readonly snapshot?: Snapshot
  /** The folder. */
  readonly path: string
}

/**
 * SHA-256 in hex over what a statement does: line ends do not matter, nor do spaces at the ends of lines, unless they are
 * in a string.
 *
 * @param dialect that of the statement, which defines its strings
 */
export function statementHash(statement: MigrationStatement, dialect: DialectRuntime): string {
  checkArguments('statementHash', { statement })
  checkRuntime('statementHash', dialect)
  const { kind, sql } = statement
  const text = sql.replaceAll('\r\n', '\n').trim()
  const texts = textsIn(text, dialect.lexicalSyntax)
  const plain = text.replace(/[ \t]+$/gm, (spaces, at: number) =>
    texts.some(({ from, to }) => from <= at && at < to) ? spaces : '',
  )
  return sha256(`${kind}\n${plain}`)
}

/** Where texts, and quoted names, stand that go over several lines. */
function textsIn(
  sql: string,
  lexicalSyntax: LexicalSyntax,
): { readonly from: number; readonly to: number }[] {
  const texts = []
  for (let at = 0; at < sql.length;) {
    const { length, token } = tokenAt(sql, at, lexicalSyntax)
    if (token && sql.slice(at, at + length).includes('\n')) texts.push({ from: at, to: at + length })
    at += length
  }
  return texts
}

/** SHA-256 in hex over all statements of a migration. */
export function migrationHash(statements: readonly MigrationStatement[], dialect: DialectRuntime): string {
  checkArguments('migrationHash', { statements })
  checkRuntime('migrationHash', dialect)
  return sha256(statements.map((statement) => statementHash(statement, dialect)).join('\n'))
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export const SNAPSHOT_FILE = 'snapshot.json'

/** A migration whose snapshot does not continue the one before it. */
export interface SnapshotBreak {
  readonly migration: Migration
  /** Migrations of another branch, oldest first, without which this one was generated; empty if there is no such branch. */
  readonly beside: readonly Migration[]
  /** The error, for a caller that does not know what has run. */
  readonly error: IsothermError
}

/**
 * Checks that each snapshot continues the one before it, so that the last one contains all migrations: before the next one
 * is generated from it. Migrations that have run can be read, and applied, without this check.
 *
 * @throws {IsothermError} `MIGRATION_INVALID` for the migrations of branches that were merged, naming them; for a snapshot
 * whose predecessor is gone, or that was copied.
 * @example
 * const migrations = await readMigrations('migrations', googlesql)
 * checkSnapshots(migrations)
 */
export function checkSnapshots(migrations: readonly Migration[]): void {
  checkArgument('checkSnapshots', 'migrations', MIGRATION_LIST, migrations)
  const [first] = snapshotBreaks(migrations)
  if (first) throw first.error
}

/** All places where a snapshot does not continue the one before it, oldest first. */
export function snapshotBreaks(migrations: readonly Migration[]): readonly SnapshotBreak[] {
  const chain = migrations.filter(hasSnapshot)
  return chain.flatMap((migration, at) => breakAt(migration, chain.slice(0, at)) ?? [])
}

type Generated = Migration & { readonly snapshot: Snapshot }

function hasSnapshot(migration: Migration): migration is Generated {
  return migration.snapshot !== undefined
}

function breakAt(migration: Generated, earlier: readonly Generated[]): SnapshotBreak | undefined {
  const { id, previous } = migration.snapshot
  const file = join(migration.path, SNAPSHOT_FILE)
  const same = earlier.find(({ snapshot }) => snapshot.id === id)
  if (same) {
    const what = `has the id of the snapshot of ${same.name}.`
    return { migration, beside: [], error: invalid(file, what, 'Generate this migration again.') }
  }
  const last = earlier.at(-1)
  if (previous === (last?.snapshot.id ?? null)) return undefined
  const from = earlier.findLastIndex(({ snapshot }) => snapshot.id === previous)
  if (from < 0 && previous !== null) {
    const expected = last ? `that of ${last.name}` : 'no other'
    const error = invalid(
      file,
      `continues that of a migration that is missing, but should continue ${expected}.`,
      'Restore the missing one from version control; or, if this one was never applied, delete it and generate it again.',
    )
    return { migration, beside: [], error }
  }
  const beside = earlier.slice(from + 1)
  return { migration, beside, error: mergedBranches(migration, beside, earlier[from]) }
}

function mergedBranches(
  { name, path }: Migration,
  beside: readonly Migration[],
  common: Migration | undefined,
): IsothermError {
  const [other, latest] = [itemAt(beside, 0), itemAt(beside, -1)]
  const continues = `continues ${common ? `that of ${common.name}` : 'no other snapshot'}`
  return invalid(
    join(path, SNAPSHOT_FILE),
    `${continues}, but should continue that of ${latest.name}: ${other.name} and ${name} come from branches that were merged.`,
    `Delete the one that was never applied (isotherm status shows it), and generate it again. ` +
      'If both were applied, delete this snapshot.json, run isotherm generate, and remove the statements that have run from the new migration.sql.',
  )
}

// A migration is called `20261121093000_add_orders`: its time stamp, in UTC, orders it among the others.

const NAME = /^(\d{14})_([A-Za-z0-9][A-Za-z0-9_-]*)$/
const NEW_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/
const STAMP = 'YYYYMMDDHHmmss_'

/** As long as a name may be: it is part of a key. */
const LONGEST = 200

/**
 * The time stamp of a migration's name.
 *
 * @param where for messages
 * @throws {IsothermError} `MIGRATION_INVALID` for a name without a time stamp.
 */
export function stampOf(name: string, where: string): string {
  const stamp = NAME.exec(name)?.[1]
  if (stamp !== undefined && name.length <= LONGEST && stampAt(timeOf(stamp)) === stamp) return stamp
  throw invalid(
    where,
    'is not a valid name of a migration.',
    `Name it <YYYYMMDDHHmmss>_<name>, of letters, digits, _ and -, up to ${LONGEST} characters.`,
  )
}

/**
 * Checks what a caller calls a new migration. The time stamp is put before it.
 *
 * @throws {IsothermError} `MIGRATION_INVALID`
 */
export function checkNewName(name: string): void {
  const max = LONGEST - STAMP.length
  if (NEW_NAME.test(name) && name.length <= max) return
  throw invalid(
    'The migration',
    `cannot be named ${shown(name)}.`,
    `A name has letters, digits, _ and -, a letter or a digit first, and up to ${max} characters: add_orders. Isotherm puts the time stamp before it.`,
  )
}

/** The stamp for a new migration: the current time, but after the last one. */
export function nextStamp(at: Date, last: string | undefined): string {
  const stamp = stampAt(at.getTime())
  if (last === undefined || stamp > last) return stamp
  return stampAt(timeOf(last) + 1000)
}

function stampAt(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) return ''
  return new Date(milliseconds).toISOString().slice(0, 19).replace(/\D/g, '')
}

function timeOf(stamp: string): number {
  return Date.parse(stamp.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3T$4:$5:$6Z'))
}

/**
 * The beginning of a statement, behind comments and hints, on one line: for messages.
 *
 * @param dialect the statement's
 * @param length in characters, at most
 * @example
 * excerpt('-- why\nCREATE TABLE Customer (…)', googlesql, 40)
 */
export function excerpt(sql: string, dialect: DialectRuntime, length = 120): string {
  checkArguments('excerpt', { sql, length })
  checkRuntime('excerpt', dialect)
  const line = sql.slice(startOf(sql, dialect.lexicalSyntax)).replace(/\s+/g, ' ').trim()
  return line.length > length ? `${line.slice(0, length - 1)}…` : line
}

/** The start of a statement's first word, after comments and hints; undefined for text without a statement. */
export function startOf(sql: string, lexicalSyntax: LexicalSyntax): number | undefined {
  let hint: { readonly at: number; readonly end: string } | undefined
  for (let at = 0; at < sql.length;) {
    const { length, token } = tokenAt(sql, at, lexicalSyntax)
    if (hint) {
      if (isSymbol(token, hint.end)) hint = undefined
    } else if (token) {
      const end = endOfHint(sql, at)
      if (end === undefined) return at
      hint = { at, end }
    }
    at += length
  }
  return hint?.at
}

const BRACED_HINT = /@\s*\{/y

/**
 * The end of the hint that begins here, if there is one. In a dialect where this form is a comment, it does not count as a
 * token.
 */
function endOfHint(sql: string, at: number): string | undefined {
  if (sql.startsWith('/*@', at)) return '*/'
  BRACED_HINT.lastIndex = at
  return BRACED_HINT.test(sql) ? '}' : undefined
}
