import { definitionOf, type TableDefinition } from '@isotherm/core/adapter'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sqlFor } from '@isotherm/core/tools'
import { defineSchema, defineTable, type Schema, type SqlDialect } from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { getTableColumns, getTableName, is, Table } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { modelStyles } from '../../src/project/first-project.js'
import { writeModels } from '../../src/pull/write-models.js'
import { ModelFolders } from './models.js'

const RUNS = 60

/** Text that could end a string, a template, a comment or a line, or begin code. */
const PIECES = [
  "'",
  '"',
  '`',
  '\\',
  '$',
  '${',
  '}',
  '*/',
  '/*',
  '//',
  '\n',
  '\r',
  '\r\n',
  '\t',
  '\0',
  '\u2028',
  '\u2029',
  '\ud800',
  '\u202e',
  '\ufeff',
  ';',
  ')',
  '})',
  '<!--',
  '@',
  '#',
  ' ',
  '${globalThis.taken = true}',
  "'); globalThis.taken = true; ('",
  '*/ globalThis.taken = true /*',
  '\n;globalThis.taken = true;\n',
  'é',
  '日本',
  '𝒳',
  '\\u0027',
  '\\x27',
  'a',
  'Z9',
  '_',
]

const hostile = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'hasOwnProperty',
    'prototype',
    'Object',
    'Table',
    'Column',
    'Date',
  ),
  fc.constantFrom(
    'class',
    'default',
    'static',
    'async',
    'get',
    'declare',
    'await',
    'AND',
    'index',
    'con',
    '1',
    '2fa',
    '-',
  ),
)

/** Names that differ regardless of case, as names in a database do. */
const names = (length: number): fc.Arbitrary<string[]> =>
  fc.uniqueArray(hostile, { minLength: length, maxLength: length, selector: (name) => name.toLowerCase() })

const word = hostile.filter((name) => !name.includes('.'))

interface Hostile {
  readonly tables: readonly string[]
  readonly columns: readonly string[]
  readonly texts: readonly string[]
  readonly dialect: SqlDialect
}

const hostiles: fc.Arbitrary<Hostile> = fc.record({
  tables: fc.uniqueArray(word, { minLength: 2, maxLength: 2, selector: (name) => name.toLowerCase() }),
  columns: names(3),
  // Databases and models do not accept an empty expression. A number is read back as a value, not as SQL.
  texts: fc.array(
    hostile.filter((text) => text.trim() !== '' && !/^[+-]?\d+$/u.test(text.trim())),
    { minLength: 8, maxLength: 8 },
  ),
  dialect: fc.constantFrom(googlesql, spannerPostgresql),
})

/** A schema whose SQL is hostile, and whose names are too where `tables` and `columns` say so. */
function schemaOf({ tables, columns, texts, dialect }: Hostile): Schema {
  const [first = '', second = ''] = tables
  const sql = (at: number) => ({ [dialect.name]: texts[at]! })
  const column = (name: string) => ({
    ...({
      property: name,
      name,
      type: { kind: 'int64' },
      nullable: true,
      immutable: false,
      inherited: false,
    } as const),
  })
  const [key = '', plain = '', made = ''] = columns
  const tableNamed = (name: string): Schema['tables'][number] => ({
    name,
    columns: [
      { ...column(key), nullable: false },
      { ...column(plain), default: { sql: sql(0) } },
      { ...column(made), generated: { expression: sql(1), stored: true } },
    ],
    primaryKey: [{ property: key, order: 'asc' }],
    indexes: [
      {
        name: `${name}Index`,
        parts: [{ property: plain, order: 'desc' }],
        unique: true,
        nullFiltered: false,
        notNull: [],
        storing: [made],
      },
    ],
    checks: [{ name: `${name}Check`, expression: sql(2) }],
    foreignKeys: [
      {
        name: `${name}Key`,
        columns: [plain],
        table: name === first ? second : first,
        references: [key],
        onDelete: 'no action',
      },
    ],
    suppressions: [{ rule: 'spanner/shard-count', on: plain, reason: texts[4]!.trim() }],
  })
  return {
    version: 1,
    tables: [tableNamed(first), tableNamed(second)],
    namespaces: [],
    sequences: [],
    views: [{ name: 'View', query: { [dialect.name]: `${texts[5]!}\n${texts[6]!}` }, security: 'invoker' }],
    changeStreams: [
      {
        name: 'Stream',
        watch: [{ table: first, columns: [plain] }],
        options: { retention_period: texts[7]!, value_capture_type: texts[6]! },
      },
    ],
  }
}

async function definitionsIn(path: string): Promise<TableDefinition[]> {
  const module = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as Record<string, object>
  return Object.values(module).flatMap((model) => definitionOf(model) ?? [])
}

describe('models written from hostile names and SQL', () => {
  let folders: ModelFolders
  let count = 0

  beforeAll(async () => {
    folders = await ModelFolders.make()
  })

  afterAll(() => folders.remove())

  it.each(modelStyles)(
    'keep hostile SQL as data that does not run as code, in the style %s',
    async (style) => {
      await fc.assert(
        fc.asyncProperty(hostiles, async (drawn) => {
          const schema = schemaOf({ ...drawn, tables: ['One', 'Two'], columns: ['id', 'other_one', 'Made'] })
          const folder = `sql-${(count += 1)}`
          await folders.write(folder, writeModels(schema, { dialect: drawn.dialect, style }).files)
          const loaded = await folders.load(folder)
          const views = ({ views: all }: Schema) =>
            // A table of PostgreSQL in Drizzle belongs to both of its dialects.
            all.map((view) => ({ ...view, query: sqlFor(view.query, drawn.dialect.name) }))
          expect(views(loaded)).toEqual(views(schema))
          expect(loaded.changeStreams[0]!.options).toEqual(schema.changeStreams[0]!.options)
          const said = ({ tables }: Schema) =>
            tables.map(({ checks, suppressions }) => [
              checks.map((check) => ({ ...check, expression: sqlFor(check.expression, drawn.dialect.name) })),
              suppressions.map(({ reason }) => reason),
            ])
          expect(said(loaded)).toEqual(said(schema))
          const made = ({ tables }: Schema) =>
            tables.map(({ columns }) =>
              columns.map(({ name, default: preset, generated }) => [
                name,
                preset && 'sql' in preset ? { sql: sqlFor(preset.sql, drawn.dialect.name) } : preset,
                generated && { ...generated, expression: sqlFor(generated.expression, drawn.dialect.name) },
              ]),
            )
          expect(made(loaded)).toEqual(made(schema))
          expect('taken' in globalThis).toBe(false)
        }),
        { numRuns: RUNS },
      )
    },
  )

  it.each(['decorators', 'tables'] as const)(
    'keep hostile table and column names as data that does not run as code, in the style %s',
    async (style) => {
      await fc.assert(
        fc.asyncProperty(hostiles, async (drawn) => {
          const schema = schemaOf(drawn)
          const folder = `names-${(count += 1)}`
          const files = writeModels(schema, { dialect: drawn.dialect, style }).files
          await folders.write(folder, files)
          expect(new Set(files.map(({ path }) => path.toLowerCase())).size).toBe(3)
          const models = files.slice(0, 2).map(({ path }) => join(folders.path, folder, path))
          const definitions = (await Promise.all(models.map(definitionsIn))).flat()
          expect(definitions.map(({ name }) => name)).toEqual(drawn.tables)
          for (const { columns, indexes, options } of definitions) {
            expect(columns.map(({ name, property }) => name ?? property)).toEqual(drawn.columns)
            expect(columns.filter(({ property }) => property in Object.prototype)).toEqual([])
            expect(indexes.map(({ storing }) => storing)).toEqual([[columns[2]!.property]])
            expect(options.foreignKeys!.map((key) => key.columns)).toEqual([[columns[1]!.property]])
          }
          expect('taken' in globalThis).toBe(false)
        }),
        { numRuns: RUNS },
      )
    },
  )

  it('Drizzle tables keep hostile table and column names as data that does not run as code', async () => {
    await fc.assert(
      fc.asyncProperty(hostiles, async (drawn) => {
        const schema = { ...schemaOf(drawn), changeStreams: [] }
        const { dialect } = drawn
        const folder = `drizzle-${(count += 1)}`
        await folders.write(folder, writeModels(schema, { dialect, style: 'drizzle' }).files)
        const path = join(folders.path, folder, 'schema.ts')
        const exported = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as Record<
          string,
          unknown
        >
        const tables = Object.values(exported).filter((each) => is(each, Table))
        expect(tables.map((table) => getTableName(table))).toEqual(drawn.tables)
        for (const table of tables) {
          const columns = getTableColumns(table)
          expect(Object.values(columns).map(({ name }) => name)).toEqual(drawn.columns)
          expect(Object.keys(columns).filter((property) => property in Object.prototype)).toEqual([])
        }
        expect('taken' in globalThis).toBe(false)
      }),
      { numRuns: RUNS },
    )
  })

  it('compile without errors', async () => {
    expect(await folders.compile('standard')).toBe('')
  })

  it('lint comments in models stay on one line when a name contains a line break', () => {
    const Hot = defineTable('Hot', (t) => ({ at: t.timestamp().key() }), {
      indexes: [{ name: 'Named', on: ['at'] }],
    })
    const hot = JSON.parse(JSON.stringify(defineSchema([Hot])).replaceAll('Named', 'a\\nb')) as Schema
    const [file] = writeModels(hot, { dialect: googlesql, style: 'tables' }).files
    expect(file!.text).toMatch(/^\/\/ isotherm lint: monotonic-first-key: .* at/m)
    expect(file!.text).toMatch(/^\/\/ isotherm lint: monotonic-index: .*a b/m)
    expect(file!.text).toContain('name: `a\nb`')
  })
})
