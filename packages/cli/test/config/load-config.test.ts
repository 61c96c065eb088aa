import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findConfig, loadConfig } from '../../src/config/load-config.js'
import { settingsFrom } from '../../src/config/settings.js'
import { connect } from '../../src/project/connection.js'

const ENGINE = `
const dialect = { name: 'map' }
export const engine = {
  name: 'Map',
  dialects: { map: { label: 'a map', load: async () => dialect } },
  address: {
    form: 'map:name',
    read: (text) => (text.startsWith('map:') ? { address: { name: text.slice(4) } } : undefined),
    parts: { name: { kind: 'text', required: true } },
  },
  connect: async ({ name }) => ({
    driver: { name: 'Map', dialect },
    description: 'the map ' + name,
    [Symbol.asyncDispose]: async () => {},
  }),
}
`

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'isotherm-engine-'))
  writeFileSync(join(folder, 'engine.mjs'), ENGINE)
  writeFileSync(join(folder, 'none.mjs'), 'export const engine = { name: 5 }')
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

async function settings(config: object, options: object = {}) {
  const path = join(folder, 'isotherm.config.json')
  writeFileSync(path, JSON.stringify(config))
  const loaded = await loadConfig(folder, path)
  return settingsFrom({ options, environment: {}, loaded, directory: folder })
}

describe('an engine named in the configuration', () => {
  it.each(['map:orders', { name: 'orders' }])('opens the database %j in connect()', async (database) => {
    const opened = await connect({ settings: await settings({ engine: './engine.mjs', database }) }, 'refuse')
    expect(opened.description).toBe('the map orders')
    expect(opened.dialect.name).toBe('map')
  })

  it('accepts only its own dialects', async () => {
    expect((await settings({ engine: './engine.mjs' })).dialect).toBe('map')
    await expect(settings({ engine: './engine.mjs', dialect: 'cql' })).rejects.toThrow(
      'dialect is "cql", not one of map.',
    )
    await expect(settings({ engine: './engine.mjs' }, { dialect: 'googlesql' })).rejects.toThrow(
      '--dialect is "googlesql", which is not a dialect.',
    )
  })

  it('rejects a database without its URL prefix or without a required part', async () => {
    await expect(settings({ engine: './engine.mjs', database: 'orders' })).rejects.toThrow(
      'database is "orders", and not of the form map:name.',
    )
    await expect(settings({ engine: './engine.mjs', database: {} })).rejects.toThrow(
      'database.name is missing.',
    )
  })

  it.each([
    ['./none.mjs', 'engine is "./none.mjs", but that module does not export an engine.'],
    ['./nowhere.mjs', 'engine is "./nowhere.mjs", which cannot be loaded: '],
    ['@acme/nowhere/cli', 'engine is "@acme/nowhere/cli", which cannot be loaded: '],
  ])(
    'is rejected with CONFIG when the module %s cannot be loaded or does not export an engine',
    async (engine, message) => {
      await expect(settings({ engine })).rejects.toMatchObject({
        code: 'CONFIG',
        message: expect.stringContaining(message) as string,
      })
    },
  )

  it('is rejected when the setting engine is not a string', async () => {
    await expect(settings({ engine: 5 })).rejects.toThrow('engine is 5, not a string.')
  })
})

it.each(['ts', 'mts', 'cts', 'js', 'mjs', 'cjs', 'json'])(
  'findConfig() finds isotherm.config.%s',
  (ending) => {
    const project = mkdtempSync(join(folder, 'project-'))
    const path = join(project, `isotherm.config.${ending}`)
    writeFileSync(path, '')
    expect(findConfig(project, undefined)).toBe(path)
  },
)
