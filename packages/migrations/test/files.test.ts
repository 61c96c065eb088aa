import { readMigrations, writeMigration, type MigrationStatement, type Snapshot } from '@isotherm/migrations'
import { defineSchema, defineTable, type IsothermError } from '@isotherm/core'
import { cql, keyspacesCql } from '@isotherm/cassandra'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import fc from 'fast-check'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rejection } from '../../core/test/support/refusal.js'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'isotherm-migrations-'))
})
afterAll(() => rm(root, { recursive: true }))

const newFolder = () => mkdtemp(join(root, 'folder-'))

const dialect = googlesql

const statements: readonly MigrationStatement[] = [
  { kind: 'ddl', sql: 'CREATE TABLE a (id INT64) PRIMARY KEY (id)' },
]

const schema = defineSchema([
  defineTable('Customer', (t) => ({ id: t.uuidV4().key(), name: t.string({ length: 100, nullable: true }) })),
])

function snapshotOf(
  id: string,
  previous: string | null,
  dialect: Snapshot['dialect'] = 'googlesql',
): Snapshot {
  return { version: 1, dialect, id, previous, schema }
}

/** A migration's folder, with these files. */
async function put(folder: string, name: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(join(folder, name))
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, name, file), text)
}

describe('a folder of migrations', () => {
  it.each(['bad name!', '', '_a', 'a'.repeat(186)])(
    'rejects the migration name %j, and lists the valid characters of a name',
    async (name) => {
      await expect(writeMigration(await newFolder(), { name, dialect, statements })).rejects.toMatchObject({
        code: 'MIGRATION_INVALID',
        message: expect.stringContaining('The migration cannot be named ') as string,
        fix: expect.stringMatching(
          /^A name has letters, digits, _ and -, [^<]* Isotherm puts the time stamp before it\.$/,
        ) as string,
      })
    },
  )

  it('accepts a migration name of the maximum length', async () => {
    const { name } = await writeMigration(await newFolder(), { name: 'a'.repeat(185), dialect, statements })
    expect(name).toHaveLength(200)
  })

  it('returns the written migrations in order, with a later time stamp for each migration', async () => {
    const folder = join(await newFolder(), 'not', 'there yet')
    expect(await readMigrations(folder, dialect)).toEqual([])
    const at = new Date('2026-11-21T09:30:00Z')
    const first = await writeMigration(folder, {
      name: 'first',
      dialect,
      statements,
      snapshot: snapshotOf('1', null),
      at,
    })
    const second = await writeMigration(folder, {
      name: 'second',
      dialect,
      statements: [],
      snapshot: snapshotOf('2', '1'),
      at,
    })
    expect(first).toMatchObject({ name: '20261121093000_first', statements, path: join(folder, first.name) })
    // A time stamp is never equal to the last one, nor before it.
    expect(second.name).toBe('20261121093001_second')
    const early = await writeMigration(folder, {
      name: 'early',
      dialect,
      statements,
      at: new Date('2020-01-01T00:00:00Z'),
    })
    expect(early.name).toBe('20261121093002_early')
    expect(await readMigrations(folder, dialect)).toEqual([first, second, early])
    expect(first.snapshot).toEqual(snapshotOf('1', null))
    expect(Object.isFrozen(first.snapshot!.schema.tables[0]!.columns)).toBe(true)
  })

  it('gives two migrations of the same second consecutive time stamps, across the end of a year', async () => {
    const folder = await newFolder()
    const at = new Date('2026-12-31T23:59:59Z')
    await writeMigration(folder, { name: 'a', dialect, statements, at })
    expect((await writeMigration(folder, { name: 'b', dialect, statements, at })).name).toBe(
      '20270101000000_b',
    )
  })

  it('accepts a time stamp as text with an offset, and rejects other text', async () => {
    const folder = await newFolder()
    const at = '2026-11-21T10:30:00+01:00'
    expect((await writeMigration(folder, { name: 'a', dialect, statements, at })).name).toBe(
      '20261121093000_a',
    )
    for (const wrong of ['2026-11-21', 'today', new Date(Number.NaN)]) {
      const write = writeMigration(folder, { name: 'b', dialect, statements, at: wrong })
      await expect(write).rejects.toMatchObject({
        code: 'MIGRATION_INVALID',
        message: expect.stringContaining('The time of the migration b is '),
      })
    }
  })

  it('writeMigration() writes breakpoints between statements, and marks above DML', async () => {
    const folder = await newFolder()
    const { path } = await writeMigration(folder, {
      name: 'both',
      dialect,
      statements: [...statements, { kind: 'transaction', sql: 'INSERT INTO a (id) VALUES (1)' }],
    })
    expect(await readFile(join(path, 'migration.sql'), 'utf8')).toBe(
      'CREATE TABLE a (id INT64) PRIMARY KEY (id);\n--> statement-breakpoint\n' +
        '-- isotherm: transaction\nINSERT INTO a (id) VALUES (1);\n',
    )
    expect(await readdir(path)).toEqual(['migration.sql'])
  })

  it('accepts random statements that a file can hold, and rejects all other statements', async () => {
    const folder = await newFolder()
    const words = fc.array(
      fc.constantFrom('a', ' ', '\n', ';', "'", '--', '--> statement-breakpoint', '`', '#'),
    )
    let runs = 0
    let written = 0
    await fc.assert(
      fc.asyncProperty(fc.array(words, { minLength: 1, maxLength: 4 }), async (texts) => {
        runs++
        const statements = texts.map((text): MigrationStatement => ({
          kind: 'ddl',
          sql: `DROP ${text.join('')}`,
        }))
        const outcome = await writeMigration(folder, { name: 'x', dialect, statements }).then(
          (migration) => ({ code: 'WRITTEN', migrations: [migration] }),
          (error: unknown) => ({ code: (error as IsothermError).code, migrations: [] }),
        )
        const { code, migrations } = outcome
        expect(code).toBe(migrations.length > 0 ? 'WRITTEN' : 'MIGRATION_INVALID')
        written += migrations.length
        const lines = ({ sql }: MigrationStatement) =>
          sql
            .trim()
            .split('\n')
            .map((line) => line.trimEnd())
        expect(migrations.map(({ statements: read }) => read.map(lines))).toEqual(
          migrations.map(() => statements.map(lines)),
        )
        // A rejected migration leaves no files.
        expect(await readMigrations(folder, dialect)).toEqual(migrations)
        const left = await readdir(folder)
        expect(left).toHaveLength(migrations.length)
        await Promise.all(left.map((name) => rm(join(folder, name), { recursive: true })))
      }),
      { numRuns: 400 },
    )
    expect(written / runs).toBeGreaterThan(0.13)
  })

  it('lets only one of two concurrent writers create a migration of the same name', async () => {
    const folder = await newFolder()
    const at = new Date('2026-11-21T09:30:00Z')
    const outcomes = await Promise.allSettled(
      [1, 2].map((n) =>
        writeMigration(folder, { name: 'same', dialect, statements: Array(n).fill(statements[0]), at }),
      ),
    )
    const done = outcomes.filter(({ status }) => status === 'fulfilled')
    expect(done).toHaveLength(1)
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'MIGRATION_INVALID', message: expect.stringContaining('already exists') },
    })
    expect(await readdir(folder)).toEqual(['20261121093000_same'])
  })

  it.each(['', 'a b', '../a', 'ä', '_a', 'x'.repeat(190)])(
    'rejects the migration name %j and writes no file',
    async (name) => {
      const folder = await newFolder()
      await expect(writeMigration(folder, { name, dialect, statements })).rejects.toMatchObject({
        code: 'MIGRATION_INVALID',
      })
      expect(await readdir(folder)).toEqual([])
    },
  )

  it('ignores files and hidden folders', async () => {
    const folder = await newFolder()
    await writeFile(join(folder, 'README.md'), 'Mind the order.')
    await mkdir(join(folder, '.git'))
    await put(folder, '20261121093000_a', { 'migration.sql': 'DROP TABLE a', 'notes.txt': '' })
    expect(await readMigrations(folder, dialect)).toMatchObject([{ name: '20261121093000_a' }])
  })

  const json = (snapshot: Snapshot) => ({
    'migration.sql': 'DROP TABLE a',
    'snapshot.json': JSON.stringify(snapshot),
  })
  const sql = { 'migration.sql': 'DROP TABLE a' }
  it.each<[string, Readonly<Record<string, Readonly<Record<string, string>>>>, RegExp]>([
    [
      'a folder without a time stamp',
      { drafts: sql },
      /drafts is not a valid name of a migration.*<YYYYMMDDHHmmss>_<name>/,
    ],
    ['a folder with an invalid date', { '20260230000000_a': sql }, /is not a valid name of a migration/],
    [
      'a migration without migration.sql',
      { '20261121093000_a': {} },
      /20261121093000_a.migration\.sql is missing/,
    ],
    [
      'two migrations with the same time stamp',
      { '20261121093000_a': sql, '20261121093000_b': sql },
      /20261121093000_b has the same time stamp as 20261121093000_a/,
    ],
    [
      'a statement that begins with SELECT',
      { '20261121093000_a': { 'migration.sql': 'SELECT 1' } },
      /Statement 1 of .*20261121093000_a.migration\.sql begins with SELECT/,
    ],
  ])('rejects %s with MIGRATION_INVALID', async (_, folders, message) => {
    const folder = await newFolder()
    for (const [name, files] of Object.entries(folders)) await put(folder, name, files)
    await expect(readMigrations(folder, dialect)).rejects.toMatchObject({
      code: 'MIGRATION_INVALID',
      message: expect.stringMatching(message),
    })
  })

  it.each<[of: string, wrong: object, said: string]>([
    ['no dialect', { dialect: '' }, 'has no dialect.'],
    ['an unknown version', { version: 2 }, 'is a snapshot of version 2, and this release reads version 1.'],
    ['no id', { id: '' }, 'has no id.'],
    ['an invalid schema', { schema: {} }, 'schema'],
  ])('writes nothing for a snapshot with %s', async (_, wrong, said) => {
    const folder = join(await newFolder(), 'migrations')
    const snapshot = { ...snapshotOf('1', null), ...wrong } as Snapshot
    const error = await rejection(writeMigration(folder, { name: 'a', dialect, statements, snapshot }))
    expect(error.message).toContain(said)
    await expect(readdir(folder)).rejects.toMatchObject({ code: 'ENOENT' })
    await writeMigration(folder, { name: 'a', dialect, statements, snapshot: snapshotOf('1', null) })
    await expect(readMigrations(folder, dialect)).resolves.toHaveLength(1)
  })

  const dialects = [googlesql, spannerPostgresql, cql, keyspacesCql]
  it.each(dialects)('rejects a snapshot of every dialect other than $name', async (requested) => {
    const statements: readonly MigrationStatement[] = [{ kind: 'ddl', sql: 'DROP TABLE a' }]
    for (const stored of dialects.filter((each) => each !== requested)) {
      const folder = await newFolder()
      const snapshot = snapshotOf('1', null, stored.name)
      const { path } = await writeMigration(folder, { name: 'a', dialect: stored, statements, snapshot })
      await expect(readMigrations(folder, stored)).resolves.toHaveLength(1)
      const fix = `Give the dialect ${stored.name}, or the folder of the migrations for ${requested.name}: each database has a folder of its own.`
      await expect(readMigrations(folder, requested)).rejects.toMatchObject({
        code: 'MIGRATION_DIALECT',
        message: `${join(path, 'snapshot.json')} is for the dialect ${stored.name}, not for ${requested.name}. ${fix}`,
        fix,
      })
      await expect(
        writeMigration(folder, { name: 'b', dialect: requested, statements, snapshot }),
      ).rejects.toMatchObject({ code: 'MIGRATION_DIALECT' })
    }
  })

  it('rejects a snapshot of another dialect before reading the statements', async () => {
    const folder = await newFolder()
    const snapshot = JSON.stringify(snapshotOf('1', null, 'cql'))
    await put(folder, '20261121093000_a', {
      'migration.sql': '// why\nDROP TABLE a',
      'snapshot.json': snapshot,
    })
    await expect(readMigrations(folder, googlesql)).rejects.toMatchObject({ code: 'MIGRATION_DIALECT' })
  })

  it('rejects a path that is not a folder', async () => {
    const file = join(await newFolder(), 'file')
    await writeFile(file, '')
    await expect(readMigrations(file, dialect)).rejects.toMatchObject({ code: 'MIGRATION_INVALID' })
  })

  it('accepts a migration without a snapshot between migrations with snapshots', async () => {
    const folder = await newFolder()
    await put(folder, '20261121093000_a', json(snapshotOf('1', null)))
    await put(folder, '20261121093001_by_hand', sql)
    await put(folder, '20261121093002_c', json(snapshotOf('2', '1')))
    expect((await readMigrations(folder, dialect)).map(({ snapshot }) => snapshot?.id)).toEqual([
      '1',
      undefined,
      '2',
    ])
  })
})
