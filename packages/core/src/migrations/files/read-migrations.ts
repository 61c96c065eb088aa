import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseSnapshot } from '../snapshot.js'
import { SNAPSHOT_FILE } from './check-snapshots.js'
import { invalid } from './invalid.js'
import { migrationHash, type Migration } from './migration.js'
import { stampOf } from './migration-name.js'
import { parseMigration } from './migration-text.js'

export const SQL_FILE = 'migration.sql'

/**
 * The migrations in a folder, oldest first: each a folder `<YYYYMMDDHHmmss>_<name>` that holds `migration.sql`, and
 * `snapshot.json` where it was generated. A folder that is not there holds none. Plain files, and what starts with a dot, are
 * passed over.
 *
 * @throws {IsothermError} `MIGRATION_INVALID` for a name, a file or a statement that is not as it should be, two migrations
 * of the same second, and two dialects. Whether their snapshots follow one another is for `checkSnapshots` to say.
 */
export async function readMigrations(folder: string): Promise<readonly Migration[]> {
  const names = await migrationNames(folder)
  const migrations = await Promise.all(names.map((name) => readMigration(join(folder, name), name)))
  checkDialects(migrations)
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

function checkDialects(migrations: readonly Migration[]): void {
  const [first, ...rest] = migrations.filter(({ snapshot }) => snapshot)
  const other = rest.find(({ snapshot }) => snapshot!.dialect !== first!.snapshot!.dialect)
  if (!other) return
  throw invalid(
    join(other.path, SNAPSHOT_FILE),
    `is of the dialect ${other.snapshot!.dialect}, and that of ${first!.name} of ${first!.snapshot!.dialect}.`,
    'Keep a folder of migrations for each database.',
  )
}
