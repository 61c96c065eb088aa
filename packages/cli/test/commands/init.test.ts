import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { init } from '../../src/commands/init.js'
import { findConfig, loadConfig } from '../../src/config/load-config.js'
import { createOutput } from '../../src/terminal/output.js'
import { silent, silentOutput } from '../support/silent-output.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isotherm-init-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

async function initialized(
  environment: Readonly<Record<string, string>>,
  options: Readonly<Record<string, string>> = {},
  output = silentOutput,
): Promise<string> {
  await init.run({
    args: [],
    options: { ...options, yes: true },
    output,
    directory: folder,
    environment,
    signal: new AbortController().signal,
  })
  return readFileSync(join(folder, 'isotherm.config.ts'), 'utf8')
}

describe('the dialect that isotherm init writes', () => {
  it('comes from ISOTHERM_DIALECT', async () => {
    expect(await initialized({ ISOTHERM_DIALECT: 'spanner-postgresql' })).toContain(
      "dialect: 'spanner-postgresql'",
    )
  })

  it('comes from --dialect even when ISOTHERM_DIALECT is set', async () => {
    const text = await initialized({ ISOTHERM_DIALECT: 'spanner-postgresql' }, { dialect: 'cql' })
    expect(text).toContain("dialect: 'cql'")
  })

  it('is googlesql when ISOTHERM_DIALECT is empty', async () => {
    expect(await initialized({ ISOTHERM_DIALECT: '' })).toContain("dialect: 'googlesql'")
  })

  it('isotherm init throws USAGE and writes no file when ISOTHERM_DIALECT is not a dialect', async () => {
    await expect(initialized({ ISOTHERM_DIALECT: 'keyspaces' })).rejects.toMatchObject({
      code: 'USAGE',
      message: 'ISOTHERM_DIALECT is "keyspaces", which is not a dialect.',
    })
    expect(existsSync(join(folder, 'isotherm.config.ts'))).toBe(false)
  })

  it('isotherm init throws USAGE when ISOTHERM_DIALECT and the database URL have different dialects', async () => {
    const environment = { ISOTHERM_DIALECT: 'googlesql', ISOTHERM_DATABASE: 'cassandra://host/blog?dc=dc1' }
    await expect(initialized(environment)).rejects.toMatchObject({ code: 'USAGE' })
  })
})

describe('the packages that isotherm init asks for', () => {
  it.each([
    ['pglite:./data', '@isotherm/postgresql @electric-sql/pglite'],
    ['postgresql://app@host/shop', '@isotherm/postgresql pg'],
    ['cassandra://host/blog?dc=dc1', '@isotherm/cassandra cassandra-driver'],
  ])('are those of the database %s', async (database, packages) => {
    let text = ''
    const stdout = { write: (part: string) => (text += part) !== '' }
    await initialized({}, { database }, createOutput({ ...silent, stdout }))
    expect(text).toContain(`npm install @isotherm/core ${packages} &&`)
  })
})

describe('the database that isotherm init writes', () => {
  it.each([
    "keyspaces://o'brien@cassandra.eu-west-1.amazonaws.com/blog?region=eu-west-1&auth=password",
    "cassandra://127.0.0.1/blog?dc=rack'1",
    'cassandra://a\\b@127.0.0.1/blog?dc=datacenter1',
  ])('is read back unchanged by loadConfig(): %s', async (database) => {
    await initialized({ ISOTHERM_DATABASE: database })
    const path = findConfig(folder, undefined)!
    mkdirSync(join(folder, 'node_modules/@isotherm/cli'), { recursive: true })
    writeFileSync(
      join(folder, 'node_modules/@isotherm/cli/package.json'),
      JSON.stringify({ type: 'module', exports: './index.js' }),
    )
    writeFileSync(
      join(folder, 'node_modules/@isotherm/cli/index.js'),
      'export const defineConfig = (config) => config',
    )
    expect((await loadConfig(folder, path)).config.database).toBe(database)
  })
})
