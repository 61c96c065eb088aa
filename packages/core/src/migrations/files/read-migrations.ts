import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseSnapshot, type Snapshot } from '../snapshot.js'
import { invalid } from './invalid.js'
import { migrationHash, type Migration } from './migration.js'
import { stampOf } from './migration-name.js'
import { parseMigration } from './migration-text.js'

export const SQL_FILE = 'migration.sql'
export const SNAPSHOT_FILE = 'snapshot.json'

/**
 * The migrations in a folder, oldest first: each a folder `<YYYYMMDDHHmmss>_<name>` that holds `migration.sql`, and
 * `snapshot.json` where it was generated. A folder that is not there holds none. Plain files, and what starts with a dot, are
 * passed over.
 *
 * @throws {IsothermError} `MIGRATION_INVALID` for a name, a file or a statement that is not as it should be, two migrations
 * of the same second, and snapshots that do not follow one another.
 */
export async function readMigrations(folder: string): Promise<readonly Migration[]> {
  const names = await migrationNames(folder)
  const migrations = await Promise.all(names.map((name) => readMigration(join(folder, name), name)))
  checkSnapshots(migrations)
  return migrations
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
        `has the time stamp of ${same}, so that nothing says which comes first.`,
        'Give the later one a later time stamp.',
      )
    }
    stamps.set(stamp, name)
  }
  return names
}

export async function readMigration(path: string, name: string): Promise<Migration> {
  const file = join(path, SQL_FILE)
  const [sql, json] = await Promise.all([textOf(file), textOf(join(path, SNAPSHOT_FILE))])
  if (sql === undefined) {
    throw invalid(file, 'is missing.', 'Take it from version control, or remove the folder if it never ran.')
  }
  const statements = parseMigration(sql, file)
  return {
    name,
    statements,
    hash: migrationHash(statements),
    ...(json !== undefined && { snapshot: parseSnapshot(json, join(path, SNAPSHOT_FILE)) }),
    path,
  }
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw invalid(file, `cannot be read: ${(error as Error).message}.`, 'See to its rights.')
  }
}

/** Each snapshot continues the one before it. */
function checkSnapshots(migrations: readonly Migration[]): void {
  let last: { readonly name: string; readonly snapshot: Snapshot } | undefined
  const ids = new Map<string, string>()
  for (const { name, snapshot, path } of migrations) {
    if (!snapshot) continue
    const file = join(path, SNAPSHOT_FILE)
    const same = ids.get(snapshot.id)
    if (same !== undefined) {
      throw invalid(file, `has the id of the snapshot of ${same}.`, 'Generate this migration again.')
    }
    if (snapshot.previous !== (last?.snapshot.id ?? null)) {
      const expected = last ? `that of ${last.name}` : 'no other'
      const [made] = [...ids].filter(([id]) => id === snapshot.previous).map(([, of]) => of)
      throw invalid(
        file,
        `continues ${snapshot.previous === null ? 'no other snapshot' : `that of ${made ?? 'a migration that is not here'}`}, where it should continue ${expected}.`,
        'Branches were merged, or a migration was taken away: delete this migration and generate it again.',
      )
    }
    if (last && last.snapshot.dialect !== snapshot.dialect) {
      throw invalid(
        file,
        `is of the dialect ${snapshot.dialect}, and that of ${last.name} of ${last.snapshot.dialect}.`,
        'Keep a folder of migrations for each database.',
      )
    }
    ids.set(snapshot.id, name)
    last = { name, snapshot }
  }
}
