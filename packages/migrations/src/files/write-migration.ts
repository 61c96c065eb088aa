import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type DialectRuntime,
  type OptionKinds,
  anything,
  checkOptions,
  toMoment,
  required,
  shown,
  text,
} from '@isotherm/core/engine'
import { dialectOption } from '@isotherm/core/tools'
import { SNAPSHOT, STATEMENTS, checkArguments } from '../options.js'
import { type Snapshot, formatSnapshot, parseSnapshot } from '../snapshot.js'
import type { MigrationStatement } from '../statement.js'
import {
  type Migration,
  SNAPSHOT_FILE,
  checkNewName,
  invalid,
  nextStamp,
  statementHash,
} from './migration.js'
import { formatMigration, parseMigration } from './migration-text.js'
import { SQL_FILE, checkSnapshotDialect, migrationNames, readMigration } from './read-migrations.js'

export interface NewMigration {
  /** The name of the migration: letters, digits, `_` and `-`. */
  readonly name: string
  /** The dialect of the statements. */
  readonly dialect: DialectRuntime
  /** Empty for a migration that you write by hand. */
  readonly statements: readonly MigrationStatement[]
  readonly snapshot?: Snapshot
  /**
   * The time of its time stamp, as a `Date` or as ISO text with an offset, unless the last migration is of the same or a
   * later time. Default: now.
   */
  readonly at?: Date | string
}

const NEW_MIGRATION: OptionKinds<NewMigration> = {
  name: required(text("'add_orders'")),
  dialect: dialectOption,
  statements: required(STATEMENTS),
  snapshot: SNAPSHOT,
  // writeMigration checks the time itself.
  at: anything,
}

/**
 * Writes a migration into a folder, after all existing ones: wholly or not at all, and never over an existing file.
 *
 * @throws {IsothermError} `MIGRATION_INVALID` for a name, a statement or a snapshot that a file cannot hold;
 * `MIGRATION_DIALECT` for a snapshot of another dialect.
 * @example
 * const statements = [{ kind: 'ddl', sql: 'CREATE TABLE …' }]
 * await writeMigration('migrations', { name: 'add_orders', dialect: googlesql, statements })
 */
export async function writeMigration(folder: string, migration: NewMigration): Promise<Migration> {
  checkArguments('writeMigration', { folder })
  checkOptions('writeMigration', NEW_MIGRATION, migration)
  const { statements, snapshot, dialect } = migration
  checkNewName(migration.name)
  const at = momentFor(migration)
  const snapshotJson = snapshot && snapshotText(snapshot, migration.name, dialect)
  const sql = textOf(statements, migration.name, dialect)
  const last = (await migrationNames(folder)).at(-1)
  const name = `${nextStamp(at, last?.slice(0, 14))}_${migration.name}`
  await mkdir(folder, { recursive: true })
  // A folder that starts with a dot does not count as a migration yet.
  const unfinished = join(folder, `.new-${randomUUID()}`)
  await mkdir(unfinished)
  const path = join(folder, name)
  try {
    await writeFile(join(unfinished, SQL_FILE), sql)
    if (snapshotJson !== undefined) await writeFile(join(unfinished, SNAPSHOT_FILE), snapshotJson)
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    if (!isTaken(error)) throw error
    throw invalid(
      path,
      'already exists.',
      'Another process has just written it: look at both, and try again.',
    )
  }
  return readMigration(path, name, dialect)
}

/** The text of a snapshot that can be read back. */
function snapshotText(snapshot: Snapshot, name: string, dialect: DialectRuntime): string {
  const json = formatSnapshot(snapshot)
  const file = `The snapshot of the migration ${name}`
  checkSnapshotDialect(parseSnapshot(json, file), file, dialect)
  return json
}

function momentFor({ at = new Date(), name }: NewMigration): Date {
  const moment = toMoment(at)
  if (moment) return moment
  throw invalid(
    `The time of the migration ${name}`,
    `is ${shown(at)}.`,
    "Give a Date, or text with an offset: '2026-11-22T10:00:00Z'.",
  )
}

/** A folder with something in it cannot be renamed over. */
function isTaken(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOTEMPTY' || code === 'EEXIST'
}

function textOf(statements: readonly MigrationStatement[], name: string, dialect: DialectRuntime): string {
  const text = formatMigration(statements)
  const read = parseMigration(text, `the migration ${name}`, dialect)
  const at = statements.findIndex(
    (statement, each) =>
      read[each] === undefined || statementHash(read[each], dialect) !== statementHash(statement, dialect),
  )
  if (at < 0 && read.length === statements.length) return text
  throw invalid(
    `Statement ${(at < 0 ? statements.length : at) + 1} of the migration ${name}`,
    'cannot be stored in a migration file: it would be read back differently.',
    'Give one statement, without a semicolon at its end and without lines that have a meaning in migration files.',
  )
}
