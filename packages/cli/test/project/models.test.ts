import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
  }
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text)
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

it('schemaOf() throws CONFIG when historyTable is also a table of the models', async () => {
  await expect(read('schema.mjs', 'visit')).rejects.toMatchObject({
    code: 'CONFIG',
    message: 'historyTable is "visit", which is a table of the models.',
  })
})
