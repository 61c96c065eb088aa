import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  findTypeScript,
  isTypeScript,
  refuseLeftDecorators,
  transformTypeScript,
} from '../../src/modules/transform-typescript.js'

let folder: string

const MODEL = `import { Table, type Generated } from './x.js'
@Table('T')
export class T { @Table('a') at!: Date; plain?: string }
`

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'isotherm-typescript-'))
  const files: Readonly<Record<string, string>> = {
    'tsconfig.json':
      '{ "compilerOptions": { "paths": { "@lib/*": ["./src/lib/*"] } } } // comments are allowed',
    'src/order.ts': '',
    'src/customer.mts': '',
    'src/item.cts': '',
    'src/real.js': '',
    'src/real.ts': '',
    'src/folder/index.ts': '',
    'src/lib/shard.ts': '',
    'legacy/tsconfig.json': '{ "extends": "./base.json" }',
    'legacy/base.json':
      '{ "compilerOptions": { "experimentalDecorators": true, "emitDecoratorMetadata": true, "target": "es2020" } }',
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
})

afterAll(() => rmSync(folder, { recursive: true }))

describe('decorators on a field with declare', () => {
  const source = `class T { @Column.string() name!: string; @Column.string() declare slug: string }`

  it('are refused, because the compiled module would not have the column', () => {
    expect(() => transformTypeScript(source, join(folder, 'src/t.ts'))).toThrow(
      /has decorators on the field slug, which has declare: they would not run\. Remove declare/,
    )
  })

  it('are refused under a name that is not an identifier too, and a file that does not parse has its own error', () => {
    const computed = 'class T { @Column.string() declare [name]: string }'
    expect(() => transformTypeScript(computed, join(folder, 'src/t.ts'))).toThrow(
      /the field with a computed name/,
    )
    expect(() => transformTypeScript('declare const', join(folder, 'src/t.ts'))).toThrow(
      /t\.ts is not TypeScript:/,
    )
  })

  it('are kept in the legacy mode, where they run', () => {
    expect(transformTypeScript(source, join(folder, 'legacy/t.ts')).code).toMatch(/"slug"/)
  })
})

describe('imports in TypeScript files', () => {
  it.each([
    ['./order.js', 'src/order.ts'],
    ['./order.ts', 'src/order.ts'],
    ['./order', 'src/order.ts'],
    ['./customer.mjs', 'src/customer.mts'],
    ['./item.cjs', 'src/item.cts'],
    ['./real.js', 'src/real.js'],
    ['./folder', 'src/folder/index.ts'],
    ['../src/order.js', 'src/order.ts'],
    ['@lib/shard', 'src/lib/shard.ts'],
    ['@lib/shard.js', 'src/lib/shard.ts'],
  ])('findTypeScript() resolves the import %s to %s', (specifier, path) => {
    const found = findTypeScript(specifier, join(folder, 'src/main.ts'))
    expect(found).toBe(join(folder, path))
  })

  it.each(['./missing.js', '@isotherm/core', '@lib/missing', 'node:fs'])(
    'findTypeScript() leaves the import %s to Node',
    (specifier) => {
      expect(findTypeScript(specifier, join(folder, 'src/main.ts'))).toBeUndefined()
    },
  )

  it('isTypeScript() recognizes TypeScript files by their extension', () => {
    const url = (name: string): string => pathToFileURL(join(folder, name)).href
    expect(
      ['a.ts', 'a.mts', 'a.cts', 'a.tsx', 'a.ts?x=1'].every((name) => isTypeScript(`file:///x/${name}`)),
    ).toBe(true)
    expect([url('a.js'), url('a.json'), 'data:text/typescript,a.ts', 'node:ts'].some(isTypeScript)).toBe(
      false,
    )
  })
})

describe('decorators in TypeScript files', () => {
  it('are compiled as standard decorators by default', () => {
    const { code } = transformTypeScript(MODEL, join(folder, 'src/model.mts'))
    expect(code).toContain('metadata')
    expect(code).not.toContain('design:type')
    // A declared field is a field.
    expect(code).toMatch(/^\s*plain = /m)
    expect(code).not.toMatch(/import .*Generated/)
  })

  it('are compiled as legacy decorators with type metadata when an extended tsconfig.json says so', () => {
    const { code } = transformTypeScript(MODEL, join(folder, 'legacy/model.ts'))
    expect(code).toContain('design:type')
    // Before ES2022, a field that is only declared is not emitted.
    expect(code).not.toMatch(/^\s*plain(?: =|;)/m)
  })
})

describe('a compiled TypeScript file', () => {
  const SOURCE = "import limits from 'limits'\nexport const most = limits.max\n"
  const write = (path: string, text: unknown): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), typeof text === 'string' ? text : JSON.stringify(text))
  }
  const formatOf = (path: string, source = SOURCE): string =>
    transformTypeScript(source, join(folder, path)).format

  it.each([
    // The compiler option module, the package's type, the file extension; the expected format.
    ['nodenext', undefined, 'ts', 'commonjs'],
    ['nodenext', 'commonjs', 'ts', 'commonjs'],
    ['nodenext', 'module', 'ts', 'module'],
    ['Node16', 'module', 'cts', 'commonjs'],
    ['node20', undefined, 'mts', 'module'],
    ['CommonJS', undefined, 'ts', 'commonjs'],
    ['commonjs', 'module', 'ts', 'commonjs'],
    ['commonjs', undefined, 'tsx', 'commonjs'],
    ['esnext', undefined, 'ts', 'commonjs'],
    ['preserve', 'module', 'ts', 'module'],
    [undefined, undefined, 'ts', 'commonjs'],
    [undefined, 'module', 'ts', 'module'],
  ] as const)(
    'transformTypeScript() compiles module %s, package type %s and extension %s to the format %s',
    (module, type, ending, format) => {
      const at = `formats/${String(module)}-${String(type)}-${ending}`
      write(`${at}/package.json`, { type })
      write(`${at}/tsconfig.json`, { compilerOptions: { module } })
      expect(formatOf(`${at}/src/a.${ending}`)).toBe(format)
    },
  )

  it('transformTypeScript() compiles a file with await outside functions to an ES module', () => {
    write('await/package.json', {})
    write('await/tsconfig.json', { compilerOptions: { module: 'esnext' } })
    expect(formatOf('await/a.ts', 'export const a = await 1')).toBe('module')
    expect(formatOf('await/b.ts', 'export const a = async () => await 1')).toBe('commonjs')
  })

  it.each([
    [{ esModuleInterop: true }, undefined, true],
    [{ esModuleInterop: false }, undefined, false],
    [{ module: 'commonjs' }, '5.9.3', false],
    [{ module: 'commonjs' }, '7.0.2', true],
    [{ module: 'commonjs' }, undefined, true],
    [{ module: 'nodenext' }, '5.2.2', true],
    [{ module: 'esnext' }, '5.9.3', true],
  ] as const)(
    'transformTypeScript() with options %o and TypeScript %s wraps default imports of CommonJS: %s',
    (options, version, expected) => {
      const at = `interop/${JSON.stringify(options).replaceAll(/\W/g, '')}-${String(version)}`
      write(`${at}/package.json`, {})
      write(`${at}/tsconfig.json`, { compilerOptions: options })
      if (version !== undefined) write(`${at}/node_modules/typescript/package.json`, { version })
      const { code } = transformTypeScript(SOURCE, join(folder, at, 'a.ts'))
      expect(code.includes('_interop_require_default')).toBe(expected)
      expect(code).toContain('"__esModule"')
    },
  )

  it('transformTypeScript() keeps import() with module nodenext, but not with module commonjs', () => {
    const source = "export const later = () => import('./later.js')"
    write('later/nodenext/tsconfig.json', { compilerOptions: { module: 'nodenext' } })
    write('later/commonjs/tsconfig.json', { compilerOptions: { module: 'commonjs' } })
    expect(transformTypeScript(source, join(folder, 'later/nodenext/a.ts')).code).toContain('import(')
    expect(transformTypeScript(source, join(folder, 'later/commonjs/a.ts')).code).not.toContain('import(')
  })

  it('transformTypeScript() keeps import attributes and converts import x = require() in an ES module', () => {
    const source = "import a from './a.json' with { type: 'json' }\nimport b = require('b')\nexport { a, b }"
    const { code } = transformTypeScript(source, join(folder, 'a.mts'))
    expect(code).toMatch(/with \{\s*type: 'json'\s*\}/)
    expect(code).toContain('createRequire(import.meta.url)')
  })
})

it('transformTypeScript() names the file and the line of a syntax error', () => {
  const path = join(folder, 'src/broken.ts')
  expect(() => transformTypeScript('const a = 1\nexport const b = (', path)).toThrow(
    /broken\.ts is not TypeScript:\n[^]*broken\.ts:2:\d+[^]*$/,
  )
  expect(() => transformTypeScript('(', path)).not.toThrow(/Caused by|backtrace/)
})

describe('JavaScript with decorators', () => {
  it.each([
    // esbuild 0.28 and tsc 5.9 with the target esnext.
    ['output of esbuild', '@Table("Log")\nclass Log {\n  @Key() @UuidV4() id;\n}\n'],
    ['on an exported class', "@Table('Log')\nexport class Log {}\n"],
    ['after the keyword export', "export @Table('Log') class Log {}\n"],
    ['only on a field', 'class Log {\n  @Column.string()\n  name;\n}\n'],
  ])('is rejected by refuseLeftDecorators(), since Node cannot run decorators: %s', (_, source) => {
    expect(() => refuseLeftDecorators(source, '/app/dist/log.js')).toThrow(
      /^\/app\/dist\/log\.js has decorators, which Node cannot run: its compiler left them as they were, [^]*Set "target": "es2022"/,
    )
  })

  it.each([
    ['an @ line in a comment', '/*\n@Table("Log")\n*/\nexport const a = 1\n'],
    ['an @ line in a template string', 'export const a = `\n@Table("Log")\n`\n'],
    ['a syntax error outside the comment', '/*\n@Table("Log")\n*/\nexport const a = (\n'],
    ['CommonJS with an @ line in a comment', '/*\n@Table\n*/\nexports.a = 1\nif (true) return\n'],
  ])('refuseLeftDecorators() accepts JavaScript without decorators: %s', (_, source) => {
    expect(() => refuseLeftDecorators(source, '/app/dist/log.js')).not.toThrow()
  })
})
