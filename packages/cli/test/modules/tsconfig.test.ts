import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type * as Tsconfig from '../../src/modules/tsconfig.js'

let folder: string
let module: typeof Tsconfig

const OPTIONS = (target: string): string => JSON.stringify({ compilerOptions: { target } })

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'isotherm-tsconfig-'))
  const files: Readonly<Record<string, string>> = {
    // A solution, of which a project refers to another, and one names a file.
    'solution/tsconfig.json':
      '{ "files": [], "references": [{ "path": "./app" }, { "path": "tools.json" }] }',
    'solution/app/tsconfig.json':
      '{ "include": ["src"], "references": [{ "path": "../lib" }], "compilerOptions": { "target": "es2021" } }',
    'solution/lib/tsconfig.json':
      '{ "compilerOptions": { "target": "es2020", "paths": { "@lib/*": ["./*"] } } }',
    'solution/tools.json': '{ "include": ["tools"], "compilerOptions": { "target": "es2019" } }',
    // As Vite writes it.
    'vite/tsconfig.json':
      '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }, { "path": "./tsconfig.node.json" }] }',
    'vite/tsconfig.app.json': '{ "include": ["src"], "compilerOptions": { "target": "es2020" } }',
    'vite/tsconfig.node.json': '{ "include": ["*.config.ts"], "compilerOptions": { "target": "es2023" } }',
    'circle/tsconfig.json': '{ "files": [], "references": [{ "path": "." }] }',
    'extends/tsconfig.json': '{ "extends": ["./one.json", "@acme/base", "@acme/other/strict.json"] }',
    'extends/one.json': '{ "compilerOptions": { "target": "es2019", "module": "es2020" } }',
    'node_modules/@acme/base/package.json': '{ "name": "@acme/base", "version": "1.0.0" }',
    'node_modules/@acme/base/tsconfig.json': OPTIONS('es2021'),
    'node_modules/@acme/other/package.json': '{ "name": "@acme/other", "version": "1.0.0" }',
    'node_modules/@acme/other/strict.json': '{ "compilerOptions": { "experimentalDecorators": true } }',
    'broken/tsconfig.json': '{ "compilerOptions": ',
    'broken-base/tsconfig.json': '{ "extends": "./base.json" }',
    'broken-base/base.json': '{ "compilerOptions": { "target" "es2020" } }',
    'missing-base/tsconfig.json': '{ "extends": "./none.json" }',
    'missing-project/tsconfig.json': '{ "files": [], "references": [{ "path": "./none" }] }',
    'comments/tsconfig.json':
      '\uFEFF{ /* of the compiler */ "compilerOptions": { "target": "es2019", }, } // end',
    'plain/tsconfig.json': '{ "include": ["src"], "compilerOptions": { "target": "es2017" } }',
    'chosen.json': OPTIONS('es2018'),
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
})

afterAll(() => rmSync(folder, { recursive: true }))

beforeEach(async () => {
  vi.resetModules()
  module = await import('../../src/modules/tsconfig.js')
})

const targetOf = (path: string): unknown => module.compilerOptionsOf(join(folder, path)).target

describe('the tsconfig.json of a file', () => {
  it.each([
    ['the nearest one', 'plain/src/a.ts', 'es2017'],
    ['the nearest one that does not include it, if there is no other', 'plain/isotherm.config.ts', 'es2017'],
    ['the referenced project that includes it', 'solution/app/src/a.ts', 'es2021'],
    ['the referenced file that includes it', 'solution/tools/a.ts', 'es2019'],
    ['the project of a solution in its own folder', 'solution/lib/a.ts', 'es2020'],
    ['of the application, as Vite writes it', 'vite/src/a.ts', 'es2020'],
    ['of the tools, as Vite writes it', 'vite/isotherm.config.ts', 'es2023'],
    ['one with comments', 'comments/a.ts', 'es2019'],
  ])('is %s', (_, path, target) => {
    expect(targetOf(path)).toBe(target)
  })

  it('is the solution where no project includes it', () => {
    expect(targetOf('vite/other/a.ts')).toBeUndefined()
    expect(targetOf('circle/a.ts')).toBeUndefined()
  })

  it('extends files and packages, of which the last takes precedence', () => {
    expect(module.compilerOptionsOf(join(folder, 'extends/a.ts'))).toMatchObject({
      target: 'es2021',
      module: 'es2020',
      experimentalDecorators: true,
    })
  })

  it('is the chosen one, and the projects that this references', () => {
    expect(targetOf('plain/src/a.ts')).toBe('es2017')
    module.chooseTsconfig(join(folder, 'chosen.json'))
    expect(targetOf('plain/src/a.ts')).toBe('es2018')
    module.chooseTsconfig(join(folder, 'solution/tsconfig.json'))
    expect(targetOf('solution/lib/a.ts')).toBe('es2020')
  })

  it('has the paths of the project that includes it', () => {
    module.chooseTsconfig(join(folder, 'solution/tsconfig.json'))
    expect(module.pathsMatcherOf(join(folder, 'solution/lib/a.ts'))?.('@lib/b')).toEqual([
      join(folder, 'solution/lib/b'),
    ])
    expect(module.pathsMatcherOf(join(folder, 'solution/app/src/a.ts'))?.('@lib/b') ?? []).toEqual([])
  })
})

it.each([
  ['is not JSON', 'broken', /^\/.*\/broken\/tsconfig\.json is not JSON: Unexpected token/],
  ['extends a file that is not JSON', 'broken-base', /^\/.*\/broken-base\/base\.json is not JSON: /],
  [
    'extends a file that is missing',
    'missing-base',
    /\/missing-base\/tsconfig\.json cannot be read: .*none\.json/,
  ],
  [
    'references a project that is missing',
    'missing-project',
    /\/missing-project\/tsconfig\.json references \.\/none, which is not there\.$/,
  ],
])('a tsconfig.json that %s is refused by name', (_, name, message) => {
  const path = join(folder, name, 'a.ts')
  const refusal = expect.objectContaining({
    code: 'CONFIG',
    message: expect.stringMatching(message) as string,
    fix: expect.stringContaining('--tsconfig') as string,
  }) as Error
  expect(() => module.tsconfigOf(path)).toThrow(refusal)
  // Not only the first time.
  expect(() => module.tsconfigOf(path)).toThrow(refusal)
})
