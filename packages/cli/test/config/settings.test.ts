import { describe, expect, it } from 'vitest'
import type { Config } from '../../src/config/config.js'
import { settingsFrom, type Settings } from '../../src/config/settings.js'
import type { ProjectOptions } from '../../src/shared-options.js'

const named = (name: string): string => `projects/p/instances/i/databases/${name}`
const parts = (database: string) => ({ project: 'p', instance: 'i', database })

function settings(
  config: Partial<Config>,
  environment: Record<string, string> = {},
  options: ProjectOptions = {},
): Settings {
  const loaded = { config, path: '/shop/isotherm.config.ts', directory: '/shop' }
  return settingsFrom({ options, environment, loaded, directory: '/shop/sub' })
}

describe('settings', () => {
  it('have defaults, relative to the folder of the configuration', () => {
    expect(settings({ dialect: 'googlesql' })).toEqual({
      directory: '/shop',
      configPath: '/shop/isotherm.config.ts',
      dialect: 'googlesql',
      target: undefined,
      schema: ['./src/models/**/*.{ts,mts,js,mjs}'],
      schemaDirectory: '/shop',
      migrations: '/shop/migrations',
      database: undefined,
      historyTable: undefined,
      drizzle: {},
      lint: {},
    })
  })

  it('of a flag go before those of the environment, and these before those of the file', () => {
    const config = { dialect: 'googlesql', database: named('file') } as const
    const environment = { ISOTHERM_DATABASE: named('environment'), ISOTHERM_DIALECT: 'spanner-postgresql' }
    expect(settings(config).database).toEqual(parts('file'))
    expect(settings(config, environment)).toMatchObject({
      database: parts('environment'),
      dialect: 'spanner-postgresql',
    })
    const flags = { database: named('flag'), dialect: 'googlesql' }
    expect(settings(config, environment, flags)).toMatchObject({
      database: parts('flag'),
      dialect: 'googlesql',
    })
  })

  it('take an empty variable for one that is not set', () => {
    const config = { dialect: 'googlesql', database: named('file') } as const
    const environment = { ISOTHERM_DATABASE: '', ISOTHERM_DIALECT: '', SPANNER_EMULATOR_HOST: '' }
    expect(settings(config, environment)).toMatchObject({ dialect: 'googlesql', database: parts('file') })
  })

  it('send every address to the emulator of the environment, rather than to that of the file', () => {
    const database = { ...parts('d'), emulatorHost: 'file:1' }
    expect(settings({ database }).database).toEqual(database)
    const environment = { SPANNER_EMULATOR_HOST: 'environment:2' }
    expect(settings({ database }, environment).database).toEqual({
      ...database,
      emulatorHost: 'environment:2',
    })
    expect(settings({}, environment, { database: named('d') }).database).toEqual({
      ...parts('d'),
      emulatorHost: 'environment:2',
    })
  })

  it('leave a function as it is', () => {
    const database = (): never => {
      throw new Error('not called')
    }
    expect(settings({ database }, { SPANNER_EMULATOR_HOST: 'environment:2' }).database).toBe(database)
  })

  it('take paths of flags from where the command was called', () => {
    expect(settings({ out: './changes', schema: 'a.ts' })).toMatchObject({
      migrations: '/shop/changes',
      schema: ['a.ts'],
      schemaDirectory: '/shop',
    })
    expect(settings({ out: './changes' }, {}, { out: 'mine', schema: ['b.ts', 'c.ts'] })).toMatchObject({
      migrations: '/shop/sub/mine',
      schema: ['b.ts', 'c.ts'],
      schemaDirectory: '/shop/sub',
    })
  })

  it.each([
    [{ ISOTHERM_DIALECT: 'google' }, 'The dialect "google" is none.'],
    [
      { ISOTHERM_DATABASE: 'orders' },
      'The database is "orders", and not of the form projects/…/instances/…/databases/….',
    ],
  ])('refuse %o', (environment, message) => {
    expect(() => settings({}, environment)).toThrow(message)
  })
})
