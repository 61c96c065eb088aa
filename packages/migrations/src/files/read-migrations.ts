import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type DialectRuntime, IsothermError } from '@isotherm/core/engine'
import { checkRuntime } from '@isotherm/core/tools'
import { checkArguments } from '../options.js'
import { type Snapshot, parseSnapshot } from '../snapshot.js'
import { type Migration, SNAPSHOT_FILE, invalid, migrationHash, stampOf } from './migration.js'
import { parseMigration } from './migration-text.js'

export const SQL_FILE = 'migration.sql'

/**
 * The migrations in a folder, oldest first: each a folder `<YYYYMMDDHHmmss>_<name>` that holds `migration.sql`, and
 * `snapshot.json` where it was generated. A folder that is not there holds none. Plain files, and what starts with a dot, are
 * passed over.
 *
 * @param dialect that of the database, by whose rules the statements are read
 * @throws {IsothermError} `MIGRATION_INVALID` for a name, a file or a statement that is not as it should be, and for two
 * migrations of the same second; `MIGRATION_DIALECT` for a snapshot of another dialect. Whether their snapshots follow one another
 * is for `checkSnapshots` to say.
 * @example
 * const migrations = await readMigrations('migrations', googlesql)
 */
export async function readMigrations(folder: string, dialect: DialectRuntime): Promise<readonly Migration[]> {
  checkArguments('readMigrations', { folder })
  checkRuntime('readMigrations', dialect)
  const names = await migrationNames(folder)
  return Promise.all(names.map((name) => readMigration(join(folder, name), name, dialect)))
}

/** The names of the migrations in a folder, oldest first. */
export async function migrationNames(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw invalid(folder, `cannot be read: ${error.message}.`, 'Give a folder of migrations.')
  })
  const names = entries
    .filter((entry) => !entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort()
  const stamps = new Map<string, string>()
  for (const name of names) {
    const stamp = stampOf(name, join(folder, name))
    const same = stamps.get(stamp)
    if (same !== undefined) {
      throw invalid(
        join(folder, name),
        `has the same time stamp as ${same}, so that their order is unknown.`,
        'Give the later one a later time stamp.',
      )
    }
    stamps.set(stamp, name)
  }
  return names
}

export async function readMigration(path: string, name: string, dialect: DialectRuntime): Promise<Migration> {
  const file = join(path, SQL_FILE)
  const [sql, json] = await Promise.all([textOf(file), textOf(join(path, SNAPSHOT_FILE))])
  if (sql === undefined) {
    throw invalid(
      file,
      'is missing.',
      'Restore it from version control, or remove the folder if it never ran.',
    )
  }
  // A wrong dialect would look like a mistake in the statements.
  const snapshot = json === undefined ? undefined : snapshotOf(json, join(path, SNAPSHOT_FILE), dialect)
  const statements = parseMigration(sql, file, dialect)
  return {
    name,
    statements,
    hash: migrationHash(statements, dialect),
    ...(snapshot && { snapshot }),
    path,
  }
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw invalid(file, `cannot be read: ${(error as Error).message}.`, 'Check its permissions.')
  }
}

function snapshotOf(json: string, file: string, dialect: DialectRuntime): Snapshot {
  const snapshot = parseSnapshot(json, file)
  checkSnapshotDialect(snapshot, file, dialect)
  return snapshot
}

/** @throws {IsothermError} `MIGRATION_DIALECT` for a snapshot of another dialect. */
export function checkSnapshotDialect(
  { dialect: stored }: Pick<Snapshot, 'dialect'>,
  file: string,
  { name }: DialectRuntime,
): void {
  if (stored === name) return
  throw new IsothermError('MIGRATION_DIALECT', `${file} is for the dialect ${stored}, not for ${name}.`, {
    fix: `Give the dialect ${stored}, or the folder of the migrations for ${name}: each database has a folder of its own.`,
  })
}
