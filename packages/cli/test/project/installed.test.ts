import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isInstalled, likelyEngine, usesDrizzle } from '../../src/project/installed.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isotherm-manifest-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

it.each([
  [{ dependencies: { 'cassandra-driver': '4' } }, 'cql', false],
  [{ devDependencies: { 'cassandra-driver': '4' }, dependencies: { 'drizzle-orm': '1' } }, 'cql', true],
  [{ dependencies: { 'cassandra-driver': '4', '@google-cloud/spanner': '8' } }, 'googlesql', false],
  [{ dependencies: { '@google-cloud/spanner': '8' } }, 'googlesql', false],
  [{ dependencies: { pg: '8' } }, 'googlesql', false],
  [{ dependencies: { '@isotherm/spanner': '0', pg: '8' } }, 'googlesql', false],
  [{ dependencies: { '@isotherm/cassandra': '0', '@google-cloud/spanner': '8' } }, 'cql', false],
  [{ devDependencies: { '@isotherm/postgresql': '0' } }, 'postgresql', false],
  [{}, 'googlesql', false],
  ['nothing', 'googlesql', false],
])(
  'likelyEngine() and usesDrizzle() decide by the dependencies in package.json: %j',
  (manifest, dialect, drizzle) => {
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
    expect([likelyEngine(folder).dialects[0], usesDrizzle(folder)]).toEqual([dialect, drizzle])
  },
)

it('likelyEngine() returns Spanner and usesDrizzle() returns false in a folder without package.json', () => {
  expect([likelyEngine(folder).dialects[0], usesDrizzle(folder)]).toEqual(['googlesql', false])
})

describe('isInstalled()', () => {
  const manifest = (path: string, value: object): void => {
    mkdirSync(join(folder, path), { recursive: true })
    writeFileSync(join(folder, path, 'package.json'), JSON.stringify(value))
  }
  const installed = (name: string, version: string, at = '.'): void =>
    manifest(`${at}/node_modules/${name}`, { name, version })

  it('returns true only when package.json lists the package and node_modules contains the package', () => {
    manifest('.', { dependencies: { '@isotherm/core': '^0.1.0', 'drizzle-orm': '^0.45.0' } })
    expect(isInstalled(folder, '@isotherm/core')).toBe(false)
    installed('@isotherm/core', '0.1.0')
    expect(isInstalled(folder, '@isotherm/core')).toBe(true)
    installed('cassandra-driver', '4.8.0')
    expect(isInstalled(folder, 'cassandra-driver')).toBe(false)
  })

  it('compares the requested version with the first parts of the installed version', () => {
    manifest('.', { dependencies: { 'drizzle-orm': '*' } })
    installed('drizzle-orm', '0.45.4')
    expect([isInstalled(folder, 'drizzle-orm@0.45'), isInstalled(folder, 'drizzle-orm@0.4')]).toEqual([
      true,
      false,
    ])
  })

  it('finds a package that the workspace around the folder has installed', () => {
    manifest('.', { devDependencies: { '@isotherm/cli': '*' } })
    installed('@isotherm/cli', '0.1.0')
    manifest('apps/shop', { name: 'shop' })
    expect(isInstalled(join(folder, 'apps/shop'), '@isotherm/cli')).toBe(true)
  })
})
