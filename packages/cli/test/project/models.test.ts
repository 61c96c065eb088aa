import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listedEngines } from '../../src/engines.js'
import { settingsFrom } from '../../src/config/settings.js'
import { schemaOf } from '../../src/project/project.js'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'isotherm-project-'))
  const files: Readonly<Record<string, string>> = {
    'schema.mjs':
      "export const schema = { version: 1, tables: [{ name: 'Visit', suppressions: [] }], sequences: [], views: [] }\n",
    'empty.mjs': 'export const schema = { version: 1, tables: [], sequences: [], views: [] }\n',
    'throws.mjs': 'export const limit = 5\n\nexport const first = undefined.limit\n',
    'imports.mjs': "import './throws.mjs'\n",
    // The message of Node, since vitest links modules by itself.
    'imports-a-type.mjs':
      "throw new SyntaxError(\"The requested module './status.js' does not provide an export named 'Status'\")",
    'package.json': JSON.stringify({
      imports: {
        '#hidden/*': null,
        '#orders': { browser: './dist/orders/none.js', default: ['./dist/orders/index.js'] },
        '#models/*': { types: './src/*.ts', default: './dist/*.js' },
      },
    }),
    'mixed/visit.mjs': "export { schema } from '../schema.mjs'\n",
    'mixed/visits.json': '{}',
    'mixed/visit.mjs.map': '{}',
    'mixed/tables.d.ts': 'export {}',
    'mixed/more/README.md': '# Visits',
    'app/(shop)/[id]/visit.mjs': "export { schema } from '../../../schema.mjs'\n",
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
})

afterAll(() => rmSync(folder, { recursive: true }))

const read = async (schema: string, historyTable = 'Applied') =>
  schemaOf({
    settings: await settingsFrom({
      options: {},
      environment: {},
      loaded: {
        config: { schema, historyTable },
        path: undefined,
        directory: folder,
        engines: listedEngines,
      },
      directory: folder,
    }),
  })

it('schemaOf() returns the schema that a module of the project exports', async () => {
  expect((await read('schema.mjs')).tables.map(({ name }) => name)).toEqual(['Visit'])
})

it('schemaOf() throws MODELS for a schema without tables', async () => {
  await expect(read('empty.mjs')).rejects.toMatchObject({
    code: 'MODELS',
    message: 'The schema of empty.mjs is empty: it has no tables.',
  })
})

it.each(['throws.mjs', 'imports.mjs'])(
  'schemaOf() names the failing line of throws.mjs when the schema module is %s',
  async (module) => {
    await expect(read(module)).rejects.toMatchObject({
      code: 'MODELS',
      message: expect.stringMatching(/^throws\.mjs:3:\d+ cannot be loaded: Cannot read prop/) as string,
    })
  },
)

it('schemaOf() suggests a type import when a module does not export an imported name', async () => {
  await expect(read('imports-a-type.mjs')).rejects.toMatchObject({
    code: 'MODELS',
    message: expect.stringContaining("does not provide an export named 'Status'") as string,
    fix: "If Status is a type, import it as one: import { type Status } from './status.js'",
  })
})

it.each(['mixed', './mixed/', '{mixed,other}', 'mixed/**/*.{ts,mjs}', 'app/(shop)/[id]', 'app\\(shop)'])(
  'schemaOf() reads the modules, and no other file, of schema: %s',
  async (schema) => {
    expect((await read(schema)).tables.map(({ name }) => name)).toEqual(['Visit'])
  },
)

it('schemaOf() throws MODELS for an empty glob, which does not mean the root folder', async () => {
  await expect(read('')).rejects.toMatchObject({ code: 'MODELS', message: 'A glob in schema is empty.' })
})

it.each([
  ['mixed/*', 'mixed/visit.mjs.map'],
  ['mixed/**', 'mixed/more/README.md'],
  ['mixed/visits.json', 'mixed/visits.json'],
])('schemaOf() throws MODELS for schema %s, which matches the file %s', async (schema, file) => {
  await expect(read(schema)).rejects.toMatchObject({
    code: 'MODELS',
    message: `${file}, which schema matches, is not a module.`,
    fix:
      'Name a folder, or end the glob with the endings of modules, as the default does: ' +
      './src/models/**/*.{ts,mts,cts,tsx,js,mjs,cjs}',
  })
})

it.each([
  ['import', 'dist/order.js', ' imported from /shop/src/line.ts', '#models/order', '#models/*'],
  ['require', 'dist/order.js', '\nRequire stack:\n- /shop/src/line.ts', '#models/order', '#models/*'],
  ['require-entry', 'dist/orders/index.js', '', '#orders', '#orders'],
])(
  'schemaOf() names the entry of package.json that maps an import to a file which does not exist: %s',
  async (name, path, rest, specifier, entry) => {
    // Again the message of Node.
    const message = JSON.stringify(`Cannot find module '${join(folder, path)}'${rest}`)
    writeFileSync(join(folder, `${name}.mjs`), `throw new Error(${message})`)
    await expect(read(`${name}.mjs`)).rejects.toMatchObject({
      code: 'MODELS',
      fix:
        `By imports of ${join(folder, 'package.json')}, ${specifier} is ${path}, which does not exist. ` +
        `Map "${entry}" to the sources in paths of tsconfig.json, or build first.`,
    })
  },
)

it.each([
  ['relative', './order.js', ''],
  ['elsewhere', '/shop/order.js', ' imported from /shop/line.js'],
])(
  'schemaOf() gives no fix for a missing file that package.json does not name: %s',
  async (name, path, rest) => {
    const message = JSON.stringify(`Cannot find module '${path}'${rest}`)
    writeFileSync(join(folder, `${name}.mjs`), `throw new Error(${message})`)
    await expect(read(`${name}.mjs`)).rejects.toMatchObject({ code: 'MODELS', fix: undefined })
  },
)

it('schemaOf() throws CONFIG when historyTable is also a table of the models', async () => {
  await expect(read('schema.mjs', 'visit')).rejects.toMatchObject({
    code: 'CONFIG',
    message: 'historyTable is "visit", which is a table of the models.',
  })
})
