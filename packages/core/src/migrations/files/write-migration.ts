import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatSnapshot, type Snapshot } from '../snapshot.js'
import type { MigrationStatement } from '../statement.js'
import { SNAPSHOT_FILE } from './check-snapshots.js'
import { invalid } from './invalid.js'
import { statementHash, type Migration } from './migration.js'
import { nextStamp, stampOf } from './migration-name.js'
import { formatMigration, parseMigration } from './migration-text.js'
import { migrationNames, readMigration, SQL_FILE } from './read-migrations.js'

export interface NewMigration {
  /** What it does: letters, digits, `_` and `-`. */
  readonly name: string
  /** None for a migration that somebody is to write. */
  readonly statements: readonly MigrationStatement[]
  readonly snapshot?: Snapshot
  /** The moment of its time stamp, unless the last migration is of the same or a later one. Default: now. */
  readonly at?: Date
}

/**
 * Writes a migration into a folder, after all that are there: wholly or not at all, and over nothing.
 *
 * @throws {IsothermError} `MIGRATION_INVALID` for a name, or a statement, that no file could hold.
 * @example
 * await writeMigration('migrations', { name: 'add_orders', statements: [{ kind: 'ddl', sql: 'CREATE TABLE …' }] })
 */
export async function writeMigration(folder: string, migration: NewMigration): Promise<Migration> {
  const { statements, snapshot, at = new Date() } = migration
  const sql = textOf(statements, migration.name)
  const last = (await migrationNames(folder)).at(-1)
  const name = `${nextStamp(at, last?.slice(0, 14))}_${migration.name}`
  stampOf(name, `The migration ${JSON.stringify(migration.name)}`)
  await mkdir(folder, { recursive: true })
  // A folder that starts with a dot is no migration yet.
  const unfinished = join(folder, `.new-${randomUUID()}`)
  await mkdir(unfinished)
  const path = join(folder, name)
  try {
    await writeFile(join(unfinished, SQL_FILE), sql)
    if (snapshot) await writeFile(join(unfinished, SNAPSHOT_FILE), formatSnapshot(snapshot))
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    if (!isTaken(error)) throw error
    throw invalid(
      path,
      'is there already.',
      'Another process has just written it: look at both, and try again.',
    )
  }
  return readMigration(path, name)
}

/** A folder with something in it cannot be renamed over. */
function isTaken(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOTEMPTY' || code === 'EEXIST'
}

function textOf(statements: readonly MigrationStatement[], name: string): string {
  const text = formatMigration(statements)
  const read = parseMigration(text, `the migration ${name}`)
  const at = statements.findIndex(
    (statement, each) => read[each] === undefined || statementHash(read[each]) !== statementHash(statement),
  )
  if (at < 0 && read.length === statements.length) return text
  throw invalid(
    `Statement ${(at < 0 ? statements.length : at) + 1} of the migration ${name}`,
    'cannot be kept in a file: read back it would be another.',
    'Give one statement, without a semicolon at its end and without lines that mean something to migrations.',
  )
}
