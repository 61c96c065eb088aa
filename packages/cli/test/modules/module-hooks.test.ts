import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ResolveHookContext } from 'node:module'
import { MessageChannel } from 'node:worker_threads'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { LoadedModules } from '../../src/modules/loaded-modules.js'
import { initialize, load, resolve } from '../../src/modules/module-hooks.js'

let folder: string
let projectUrl: string
const commandUrl = 'file:///elsewhere/cli/'

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'isotherm-hooks-'))
  projectUrl = new URL('isotherm.config.js', pathToFileURL(`${folder}/`)).href
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** The module from whose folder an import of the command is resolved. */
function importer(specifier: string): string | undefined {
  initialize({ projectUrl, commandUrl })
  const context = {
    conditions: [],
    importAttributes: {},
    importAssertions: {},
    parentURL: `${commandUrl}dist/main.js`,
  }
  let seen: string | undefined
  void resolve(specifier, context, (_: string, next?: Partial<ResolveHookContext>) => {
    seen = next?.parentURL
    return { url: 'file:///found.js' }
  })
  return seen
}

it.each([
  '@isotherm/core',
  '@isotherm/spanner',
  '@isotherm/cassandra',
  '@isotherm/migrations',
  '@isotherm/drizzle-adapter',
  '@google-cloud/spanner',
  'cassandra-driver',
])('resolve() finds %s in the packages of the project', (name) => {
  const at = join(folder, 'node_modules', name)
  mkdirSync(at, { recursive: true })
  writeFileSync(join(at, 'package.json'), JSON.stringify({ name, version: '1.0.0', main: 'index.js' }))
  writeFileSync(join(at, 'index.js'), '')
  expect(importer(name)).toBe(projectUrl)
})

it('resolve() finds packages that are not shared with the project, such as commander, from the command', () => {
  expect(importer('commander')).toBe(`${commandUrl}dist/main.js`)
})

it('resolve() finds the package of an engine from the configuration file', () => {
  const config = 'file:///shop/isotherm.config.js'
  const seen: unknown[] = []
  const context = {
    conditions: [],
    importAttributes: {},
    importAssertions: {},
    parentURL: `${commandUrl}dist/main.js`,
  }
  void resolve(
    `isotherm-from:${config}#@acme/engine/cli`,
    context,
    (name: string, next?: Partial<ResolveHookContext>) => {
      seen.push(name, next?.parentURL)
      return { url: 'file:///found.js' }
    },
  )
  expect(seen).toEqual(['@acme/engine/cli', config])
})

it('load() and require() tell each other which ES modules they have loaded, so that each is evaluated once', () => {
  const { port1, port2 } = new MessageChannel()
  const byRequire = new LoadedModules(port1)
  initialize({ projectUrl, commandUrl, loadedModules: port2 })
  const sourceOf = (path: string): unknown => {
    const context = { conditions: [], format: undefined, importAttributes: {}, importAssertions: {} }
    const loaded = load(pathToFileURL(path).href, context, () => ({ format: 'module' }))
    expect(loaded).toMatchObject({ format: 'module' })
    return (loaded as { source?: unknown }).source
  }
  const [one, other] = ['one.mts', 'other.mts'].map((name) => join(folder, name))
  for (const path of [one!, other!])
    writeFileSync(path, "export const max: number = 5\nexport default max\nexport * from './min.mjs'\n")

  expect(sourceOf(one!)).toMatch(/^export const max = 5;/)
  expect(byRequire.hasOther(one!)).toBe(true)
  expect(byRequire.hasOther(other!)).toBe(false)

  byRequire.add(other!)
  expect(sourceOf(other!)).toBe(
    [
      "import { createRequire } from 'node:module'",
      `const value = createRequire(import.meta.url)(${JSON.stringify(other)})`,
      'const _0 = value["default"]',
      'const _1 = value["max"]',
      'export { _0 as "default", _1 as "max" }',
      'export * from "./min.mjs"',
    ].join('\n'),
  )
  port1.close()
  port2.close()
})
