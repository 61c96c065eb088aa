import fc from 'fast-check'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineSchema, defineTable, type IsothermError } from '../../src/index.js'
import {
  readMigrations,
  writeMigration,
  type MigrationStatement,
  type Snapshot,
} from '../../src/migrations/index.js'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'isotherm-migrations-'))
})
afterAll(() => rm(root, { recursive: true }))

const newFolder = () => mkdtemp(join(root, 'folder-'))

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
  it('gives back what was written into it, in order', async () => {
    const folder = join(await newFolder(), 'not', 'there yet')
    expect(await readMigrations(folder)).toEqual([])
    const at = new Date('2026-11-21T09:30:00Z')
    const first = await writeMigration(folder, {
      name: 'first',
      statements,
      snapshot: snapshotOf('1', null),
      at,
    })
    const second = await writeMigration(folder, {
      name: 'second',
      statements: [],
      snapshot: snapshotOf('2', '1'),
      at,
    })
    expect(first).toMatchObject({ name: '20261121093000_first', statements, path: join(folder, first.name) })
    // Never of the same second, nor before the last one.
    expect(second.name).toBe('20261121093001_second')
    const early = await writeMigration(folder, {
      name: 'early',
      statements,
      at: new Date('2020-01-01T00:00:00Z'),
    })
    expect(early.name).toBe('20261121093002_early')
    expect(await readMigrations(folder)).toEqual([first, second, early])
    expect(first.snapshot).toEqual(snapshotOf('1', null))
    expect(Object.isFrozen(first.snapshot!.schema.tables[0]!.columns)).toBe(true)
  })

  it('keeps the order of time stamps over the ends of minutes, days and years', async () => {
    const folder = await newFolder()
    const at = new Date('2026-12-31T23:59:59Z')
    await writeMigration(folder, { name: 'a', statements, at })
    expect((await writeMigration(folder, { name: 'b', statements, at })).name).toBe('20270101000000_b')
  })

  it('is written as people read it', async () => {
    const folder = await newFolder()
    const { path } = await writeMigration(folder, {
      name: 'both',
      statements: [...statements, { kind: 'transaction', sql: 'INSERT INTO a (id) VALUES (1)' }],
    })
    expect(await readFile(join(path, 'migration.sql'), 'utf8')).toBe(
      'CREATE TABLE a (id INT64) PRIMARY KEY (id);\n--> statement-breakpoint\n' +
        '-- isotherm: transaction\nINSERT INTO a (id) VALUES (1);\n',
    )
    expect(await readdir(path)).toEqual(['migration.sql'])
  })

  it('takes any statements that a file can hold, and refuses the others', async () => {
    const folder = await newFolder()
    const words = fc.array(
      fc.constantFrom('a', ' ', '\n', ';', "'", '--', '--> statement-breakpoint', '`', '#'),
    )
    let written = 0
    await fc.assert(
      fc.asyncProperty(fc.array(words, { minLength: 1, maxLength: 4 }), async (texts) => {
        const given = texts.map((text): MigrationStatement => ({ kind: 'ddl', sql: `DROP ${text.join('')}` }))
        const outcome = await writeMigration(folder, { name: 'x', statements: given }).then(
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
          migrations.map(() => given.map(lines)),
        )
        // Nothing is left of one that was refused.
        expect(await readMigrations(folder)).toEqual(migrations)
        const left = await readdir(folder)
        expect(left).toHaveLength(migrations.length)
        await Promise.all(left.map((name) => rm(join(folder, name), { recursive: true })))
      }),
      { numRuns: 150 },
    )
    expect(written).toBeGreaterThan(20)
  })

  it('is written to by two at once without harm', async () => {
    const folder = await newFolder()
    const at = new Date('2026-11-21T09:30:00Z')
    const outcomes = await Promise.allSettled(
      [1, 2].map((n) =>
        writeMigration(folder, { name: 'same', statements: Array(n).fill(statements[0]), at }),
      ),
    )
    const done = outcomes.filter(({ status }) => status === 'fulfilled')
    expect(done).toHaveLength(1)
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'MIGRATION_INVALID', message: expect.stringContaining('is there already') },
    })
    expect(await readdir(folder)).toEqual(['20261121093000_same'])
  })

  it.each(['', 'a b', '../a', 'ä', '_a', 'x'.repeat(190)])('refuses the name %j', async (name) => {
    const folder = await newFolder()
    await expect(writeMigration(folder, { name, statements })).rejects.toMatchObject({
      code: 'MIGRATION_INVALID',
    })
    expect(await readdir(folder)).toEqual([])
  })

  it('passes over files, and what is hidden', async () => {
    const folder = await newFolder()
    await writeFile(join(folder, 'README.md'), 'Mind the order.')
    await mkdir(join(folder, '.git'))
    await put(folder, '20261121093000_a', { 'migration.sql': 'DROP TABLE a', 'notes.txt': '' })
    expect(await readMigrations(folder)).toMatchObject([{ name: '20261121093000_a' }])
  })

  const json = (snapshot: Snapshot) => ({
    'migration.sql': 'DROP TABLE a',
    'snapshot.json': JSON.stringify(snapshot),
  })
  const sql = { 'migration.sql': 'DROP TABLE a' }
  it.each<[string, Readonly<Record<string, Readonly<Record<string, string>>>>, RegExp]>([
    [
      'a folder that is no migration',
      { drafts: sql },
      /drafts is not named as a migration is.*<YYYYMMDDHHmmss>_<name>/,
    ],
    ['a day that is none', { '20260230000000_a': sql }, /is not named as a migration is/],
    [
      'a migration without its text',
      { '20261121093000_a': {} },
      /20261121093000_a.migration\.sql is missing/,
    ],
    [
      'two of one second',
      { '20261121093000_a': sql, '20261121093000_b': sql },
      /20261121093000_b has the time stamp of 20261121093000_a/,
    ],
    [
      'a statement that is none',
      { '20261121093000_a': { 'migration.sql': 'SELECT 1' } },
      /Statement 1 of .*20261121093000_a.migration\.sql begins with SELECT/,
    ],
    [
      'two dialects',
      {
        '20261121093000_a': json(snapshotOf('1', null)),
        '20261121093001_b': json(snapshotOf('2', '1', 'spanner-postgresql')),
      },
      /is of the dialect spanner-postgresql, and that of 20261121093000_a of googlesql/,
    ],
  ])('refuses %s', async (_, folders, message) => {
    const folder = await newFolder()
    for (const [name, files] of Object.entries(folders)) await put(folder, name, files)
    await expect(readMigrations(folder)).rejects.toMatchObject({
      code: 'MIGRATION_INVALID',
      message: expect.stringMatching(message),
    })
  })

  it('refuses what is no folder', async () => {
    const file = join(await newFolder(), 'file')
    await writeFile(file, '')
    await expect(readMigrations(file)).rejects.toMatchObject({ code: 'MIGRATION_INVALID' })
  })

  it('does without snapshots in the middle', async () => {
    const folder = await newFolder()
    await put(folder, '20261121093000_a', json(snapshotOf('1', null)))
    await put(folder, '20261121093001_by_hand', sql)
    await put(folder, '20261121093002_c', json(snapshotOf('2', '1')))
    expect((await readMigrations(folder)).map(({ snapshot }) => snapshot?.id)).toEqual(['1', undefined, '2'])
  })
})
