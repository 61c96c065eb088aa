import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { init } from '../../src/commands/init.js'
import { findConfig, loadConfig } from '../../src/config/load-config.js'
import { createOutput } from '../../src/terminal/output.js'
import { silent } from '../support/silent-output.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isotherm-init-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** Runs the command in the folder, and returns what it prints. */
async function run(
  environment: Readonly<Record<string, string>> = {},
  options: Readonly<Record<string, string>> = {},
): Promise<string> {
  const written: string[] = []
  await init.run({
    args: [],
    options: { ...options, yes: true },
    output: createOutput({ ...silent, stdout: { write: (text: string) => written.push(text) > 0 } }),
    directory: folder,
    environment,
    signal: new AbortController().signal,
  })
  return written.join('')
}

async function initialized(
  environment: Readonly<Record<string, string>>,
  options: Readonly<Record<string, string>> = {},
): Promise<string> {
  await run(environment, options)
  return readFileSync(join(folder, 'isotherm.config.ts'), 'utf8')
}

function write(files: Readonly<Record<string, object>>): void {
  for (const [path, content] of Object.entries(files))
    writeFileSync(join(folder, path), JSON.stringify(content))
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
    expect(await run({}, { database })).toContain(`npm install @isotherm/core ${packages} &&`)
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

describe('the configuration file that isotherm init writes', () => {
  it.each<[string, Readonly<Record<string, object>>]>([
    ['isotherm.config.ts', {}],
    ['isotherm.config.ts', { 'package.json': { type: 'module' } }],
    ['isotherm.config.mts', { 'package.json': { type: 'commonjs' } }],
    ['isotherm.config.mts', { 'package.json': { name: 'shop' } }],
  ])('is %s for the files %j', async (name, files) => {
    write(files)
    await run()
    expect(readdirSync(folder).filter((file) => file.startsWith('isotherm.config'))).toEqual([name])
    expect(findConfig(folder, undefined)).toBe(join(folder, name))
  })
})

describe('isotherm init says that the build compiles its configuration too', () => {
  const options = { outDir: './dist', module: 'nodenext' }
  const packageJson = { name: 'shop' }

  it.each<[string, string, Readonly<Record<string, object>>]>([
    ['has no include and no rootDir', 'tsconfig.json', { 'tsconfig.json': { compilerOptions: options } }],
    [
      'has a rootDir without it',
      'tsconfig.json',
      { 'tsconfig.json': { compilerOptions: { ...options, rootDir: './src' } } },
    ],
    [
      'is that of nest new',
      'tsconfig.build.json',
      {
        'tsconfig.json': { compilerOptions: options },
        'tsconfig.build.json': {
          extends: './tsconfig.json',
          exclude: ['node_modules', 'test', 'dist', '**/*spec.ts'],
        },
      },
    ],
  ])('when tsconfig.json %s', async (_, build, files) => {
    write({ ...files, 'package.json': packageJson })
    expect(await run()).toContain(
      `${build} compiles isotherm.config.mts too: tsc may then write dist/src/main.js in place of dist/main.js, or report ` +
        'TS6059.\nAdd "isotherm.config.mts" to its "exclude".\n',
    )
  })

  it.each<[string, Readonly<Record<string, object>>]>([
    ['is missing', {}],
    ['includes src alone', { 'tsconfig.json': { compilerOptions: options, include: ['src'] } }],
    ['excludes it', { 'tsconfig.json': { compilerOptions: options, exclude: ['isotherm.config.*'] } }],
    ['has its folder as rootDir', { 'tsconfig.json': { compilerOptions: { ...options, rootDir: '.' } } }],
    ['writes no output', { 'tsconfig.json': { compilerOptions: { ...options, noEmit: true } } }],
    [
      'extends one that is missing',
      { 'tsconfig.json': { extends: '@tsconfig/none', compilerOptions: options } },
    ],
  ])('and does not when tsconfig.json %s', async (_, files) => {
    write({ ...files, 'package.json': packageJson })
    expect(await run()).toMatch(/npx isotherm migrate\n$/)
  })
})
