import { describe, expect, it } from 'vitest'
import type { Config } from '../../src/config/config.js'
import { settingsFrom, type Settings } from '../../src/config/settings.js'
import type { ProjectOptions } from '../../src/definition/command.js'
import { listedEngines } from '../../src/engines.js'
import { connect } from '../../src/project/connection.js'
import { withoutSecrets } from '../../src/config/database.js'

const named = (name: string): string => `projects/p/instances/i/databases/${name}`
const parts = (database: string) => ({
  engine: { module: '@isotherm/spanner/cli' },
  address: { project: 'p', instance: 'i', database },
})

function settings(
  config: Partial<Config>,
  environment: Record<string, string> = {},
  options: ProjectOptions = {},
): Promise<Settings> {
  const loaded = {
    config,
    path: '/shop/isotherm.config.ts',
    directory: '/shop',
    engines: listedEngines,
  }
  return settingsFrom({ options, environment, loaded, directory: '/shop/sub' })
}

describe('settings', () => {
  it('have defaults, with paths relative to the folder of the configuration', async () => {
    expect(await settings({ dialect: 'googlesql' })).toEqual({
      engines: listedEngines,
      directory: '/shop',
      configPath: '/shop/isotherm.config.ts',
      dialect: 'googlesql',
      schema: ['./src/models/**/*.{ts,mts,cts,tsx,js,mjs,cjs}'],
      schemaDirectory: '/shop',
      migrations: '/shop/migrations',
      database: undefined,
      historyTable: undefined,
      drizzle: {},
      lint: {},
    })
  })

  it('are taken from flags first, then from the environment, then from the configuration', async () => {
    const config = { dialect: 'googlesql', database: named('file') } as const
    const environment = { ISOTHERM_DATABASE: named('environment'), ISOTHERM_DIALECT: 'spanner-postgresql' }
    expect(await settings(config)).toMatchObject({ database: parts('file') })
    expect(await settings(config, environment)).toMatchObject({
      database: parts('environment'),
      dialect: 'spanner-postgresql',
    })
    const flags = { database: named('flag'), dialect: 'googlesql' }
    expect(await settings(config, environment, flags)).toMatchObject({
      database: parts('flag'),
      dialect: 'googlesql',
    })
  })

  it('ignore empty environment variables', async () => {
    const config = { dialect: 'googlesql', database: named('file') } as const
    const environment = { ISOTHERM_DATABASE: '', ISOTHERM_DIALECT: '' }
    expect(await settings(config, environment)).toMatchObject({
      dialect: 'googlesql',
      database: parts('file'),
    })
  })

  it('keep a database function unchanged', async () => {
    const database = (): never => {
      throw new Error('not called')
    }
    expect((await settings({ database })).database).toBe(database)
  })

  it('paths of flags are relative to the current folder, and paths of the configuration to its folder', async () => {
    expect(await settings({ out: './changes', schema: 'a.ts' })).toMatchObject({
      migrations: '/shop/changes',
      schema: ['a.ts'],
      schemaDirectory: '/shop',
    })
    expect(await settings({ out: './changes' }, {}, { out: 'mine', schema: ['b.ts', 'c.ts'] })).toMatchObject(
      {
        migrations: '/shop/sub/mine',
        schema: ['b.ts', 'c.ts'],
        schemaDirectory: '/shop/sub',
      },
    )
  })

  it.each([
    [{ ISOTHERM_DIALECT: 'google' }, 'ISOTHERM_DIALECT is "google", which is not a dialect.'],
    [
      { ISOTHERM_DATABASE: 'orders' },
      'The database is "orders", and not of the form projects/…/instances/…/databases/…, cassandra://',
    ],
  ])('reject an invalid dialect or database name in the environment: %o', async (environment, message) => {
    await expect(settings({}, environment)).rejects.toThrow(message)
  })
})

describe('settings of a keyspace', () => {
  const url = 'cassandra://host/blog?dc=dc1'

  it('take the dialect cql from a cassandra:// URL', async () => {
    expect(await settings({}, { ISOTHERM_DATABASE: url })).toMatchObject({
      dialect: 'cql',
      database: {
        engine: { module: '@isotherm/cassandra/cli' },
        address: { contactPoints: ['host'], keyspace: 'blog', localDataCenter: 'dc1' },
      },
    })
  })

  it('take the dialect from the flag, then ISOTHERM_DIALECT, then the URL or the configuration', async () => {
    const keyspaces = 'keyspaces:///blog?region=eu-west-1'
    const parts = { keyspace: 'blog', region: 'eu-west-1' }
    expect(await settings({ database: keyspaces })).toMatchObject({
      dialect: 'keyspaces-cql',
      database: { address: parts },
    })
    const said = { dialect: 'keyspaces-cql', database: parts } as const
    expect(await settings(said)).toMatchObject({ dialect: 'keyspaces-cql', database: { address: parts } })
    expect(await settings(said, { ISOTHERM_DIALECT: 'cql' })).toMatchObject({ dialect: 'cql' })
    expect(await settings(said, { ISOTHERM_DIALECT: 'cql' }, { dialect: 'keyspaces-cql' })).toMatchObject({
      dialect: 'keyspaces-cql',
    })
  })

  it.each([
    ['keyspaces-cql', url, 'cql'],
    ['googlesql', url, 'cql'],
    ['cql', 'keyspaces:///blog?region=eu-west-1', 'keyspaces-cql'],
  ] as const)(
    'keep the dialect %s, but connect() throws CONFIG for the database %s of another dialect',
    async (dialect, database, of) => {
      const opened = await settings({ dialect }, { ISOTHERM_DATABASE: database })
      expect(opened.dialect).toBe(dialect)
      await expect(connect({ settings: opened }, 'refuse')).rejects.toMatchObject({
        code: 'CONFIG',
        message: `The dialect is ${dialect}, but the URL of the database is for ${of}.`,
      })
    },
  )

  it('reject an unknown dialect, a malformed URL, and a URL with a password', async () => {
    await expect(settings({}, { ISOTHERM_DATABASE: url, ISOTHERM_DIALECT: 'keyspaces' })).rejects.toThrow(
      'ISOTHERM_DIALECT is "keyspaces", which is not a dialect.',
    )
    for (const meant of ['cassandra:/host/a', 'Cassandra://host/a', 'jdbc:cassandra://host/a']) {
      await expect(settings({}, { ISOTHERM_DATABASE: meant })).rejects.toThrow(
        `The database is "${meant}", and not of the form cassandra://host,host/keyspace`,
      )
    }
    await expect(settings({}, { ISOTHERM_DATABASE: 'cassandra://u:p@host/a' })).rejects.toThrow(
      'The database is "cassandra://…@host/a", and contains a password',
    )
  })
})

describe('withoutSecrets()', () => {
  it('replaces user and password in a database URL by an ellipsis', () => {
    expect(withoutSecrets('cassandra://root:secret@host/a')).toBe('cassandra://…@host/a')
    expect(withoutSecrets('keyspaces://root:secret@host/a')).toBe('keyspaces://…@host/a')
    expect(withoutSecrets('keyspace://root:sec/ret@host/a')).toBe('keyspace://…@host/a')
    expect(withoutSecrets('Cassandra://root:secret@host/a')).toBe('Cassandra://…@host/a')
    expect(withoutSecrets('cassandra://host/a')).toBe('cassandra://host/a')
  })
})
