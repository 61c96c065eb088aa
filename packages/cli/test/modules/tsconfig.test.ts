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
    // A solution references a folder and a file; the project in that folder references another project.
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

describe('compiler options of a source file', () => {
  it.each([
    ['the nearest tsconfig.json', 'plain/src/a.ts', 'es2017'],
    [
      'the nearest tsconfig.json when no tsconfig.json includes the file',
      'plain/isotherm.config.ts',
      'es2017',
    ],
    ['the referenced project that includes the file', 'solution/app/src/a.ts', 'es2021'],
    ['the referenced configuration file that includes the file', 'solution/tools/a.ts', 'es2019'],
    ['the project of a solution in the folder of the file', 'solution/lib/a.ts', 'es2020'],
    ['tsconfig.app.json for application code, as Vite writes it', 'vite/src/a.ts', 'es2020'],
    ['tsconfig.node.json for configuration files, as Vite writes it', 'vite/isotherm.config.ts', 'es2023'],
    ['a tsconfig.json with comments', 'comments/a.ts', 'es2019'],
  ])('compilerOptionsOf() reads %s', (_, path, target) => {
    expect(targetOf(path)).toBe(target)
  })

  it('compilerOptionsOf() reads the solution tsconfig.json when none of its projects includes the file', () => {
    expect(targetOf('vite/other/a.ts')).toBeUndefined()
    expect(targetOf('circle/a.ts')).toBeUndefined()
  })

  it('compilerOptionsOf() merges extended files and packages; later entries of extends take precedence', () => {
    expect(module.compilerOptionsOf(join(folder, 'extends/a.ts'))).toMatchObject({
      target: 'es2021',
      module: 'es2020',
      experimentalDecorators: true,
    })
  })

  it('compilerOptionsOf() reads the tsconfig.json passed to chooseTsconfig() and its referenced projects', () => {
    expect(targetOf('plain/src/a.ts')).toBe('es2017')
    module.chooseTsconfig(join(folder, 'chosen.json'))
    expect(targetOf('plain/src/a.ts')).toBe('es2018')
    module.chooseTsconfig(join(folder, 'solution/tsconfig.json'))
    expect(targetOf('solution/lib/a.ts')).toBe('es2020')
  })

  it('pathsMatcherOf() applies the paths of a project only to files that the project includes', () => {
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
    /\/missing-project\/tsconfig\.json references \.\/none, which does not exist\.$/,
  ],
])('tsconfigOf() throws CONFIG and names the file when tsconfig.json %s', (_, name, message) => {
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
