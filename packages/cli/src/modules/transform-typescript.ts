import { existsSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { compileFunction } from 'node:vm'
import type { ModuleConfig, Options } from '@swc/core'
import { CommandError } from '../command-error.js'
import { compilerOptionsOf, hasInterop, pathsMatcherOf } from './tsconfig.js'

const require = createRequire(import.meta.url)

/** File endings that TypeScript accepts in place of its own. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
  '.jsx': ['.tsx'],
}

const WITHOUT_ENDING = ['.ts', '.tsx', '.mts', '.js', '.mjs', '/index.ts', '/index.tsx', '/index.js']

/** Whether a module is TypeScript that has to be transformed. */
export function isTypeScript(url: string): boolean {
  return url.startsWith('file:') && /\.(?:ts|mts|cts|tsx)$/.test(url.replace(/[?#].*$/, ''))
}

/**
 * The file of an import in TypeScript that Node would not find: `./order.js` for `order.ts`, a path without its extension,
 * an alias of `paths` in tsconfig.json. Undefined if Node resolves the import.
 */
export function findTypeScript(specifier: string, parent: string): string | undefined {
  if (specifier.startsWith('node:')) return undefined
  const candidates = /^(?:\.{0,2}\/|file:)/.test(specifier)
    ? [specifier.startsWith('file:') ? fileURLToPath(specifier) : resolve(dirname(parent), specifier)]
    : (pathsMatcherOf(parent)?.(specifier) ?? [])
  for (const candidate of candidates) {
    const found = sourceOf(candidate)
    if (found !== undefined) return found
  }
  return undefined
}

function sourceOf(path: string): string | undefined {
  if (isFile(path)) return path
  const ending = /\.\w+$/.exec(path)?.[0] ?? ''
  const stem = path.slice(0, path.length - ending.length)
  const written = (SOURCES[ending] ?? []).map((source) => stem + source)
  return [...written, ...WITHOUT_ENDING.map((each) => path + each)].find(isFile)
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile()
}

/** The JavaScript of a TypeScript module, and what Node has to take it for. */
export interface Transformed {
  readonly code: string
  readonly format: 'commonjs' | 'module'
}

/**
 * Compiles a TypeScript module as the project does: its decorators, and whether it becomes CommonJS, are what its
 * tsconfig.json and its package.json say.
 *
 * @throws {SyntaxError} naming the file and the line.
 */
export function transformTypeScript(source: string, path: string): Transformed {
  refuseDecoratedDeclarations(source, path)
  const rule = formatOf(path)
  if (rule !== 'module') {
    const code = compile(source, path, 'commonjs')
    if (rule === 'commonjs' || isCommonJs(code)) return { code, format: 'commonjs' }
  }
  return { code: compile(source, path, 'module'), format: 'module' }
}

/**
 * The module system of a file. `either` is for a bundler in a package without `type`: such files import as CommonJS does,
 * unless they use what only ES modules have.
 */
function formatOf(path: string): 'commonjs' | 'module' | 'either' {
  if (path.endsWith('.mts')) return 'module'
  const { module = '' } = compilerOptionsOf(path)
  if (path.endsWith('.cts') || /^(?:commonjs|amd|umd|system)$/i.test(module)) return 'commonjs'
  if (packageTypeOf(dirname(path)) === 'module') return 'module'
  return /^node/i.test(module) ? 'commonjs' : 'either'
}

const packageTypes = new Map<string, unknown>()

/** The `type` of the nearest package.json. */
function packageTypeOf(folder: string): unknown {
  if (!packageTypes.has(folder)) {
    const manifest = join(folder, 'package.json')
    const above = dirname(folder)
    const type = existsSync(manifest)
      ? (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly type?: unknown }).type
      : above !== folder && packageTypeOf(above)
    packageTypes.set(folder, type)
  }
  return packageTypes.get(folder)
}

/** Compiled CommonJS does not parse as such if the source has an await outside of functions. */
function isCommonJs(code: string): boolean {
  if (!/\bimport\.meta\b|\bawait\b/.test(code)) return true
  try {
    compileFunction(code)
    return true
  } catch {
    return false
  }
}

/** A CommonJS module of what is an ES module, for a Node whose hooks do not reach what `require` loads of it. */
export function transformForRequire(source: string, path: string): string {
  refuseDecoratedDeclarations(source, path)
  return compile(source, path, 'commonjs')
}

function compile(source: string, path: string, format: Transformed['format']): string {
  const { transformSync } = loadCompiler()
  try {
    const { code } = transformSync(source, swcOptions(path, format))
    return format === 'commonjs' && !hasInterop(path) ? withMark(code) : code
  } catch (cause) {
    // Below the message is the location in the transformer's own code.
    const [said = ''] = stripVTControlCharacters((cause as Error).message).split('\n\nCaused by:')
    throw new SyntaxError(`${path} is not TypeScript:\n${said.trim()}`, { cause })
  }
}

/**
 * Loaded only if there is TypeScript: it leaves a cache in the user's home.
 *
 * @throws {CommandError} `NOT_INSTALLED` if its program for this platform is missing, as after an installation without optional
 * packages.
 */
function loadCompiler(): typeof import('@swc/core') {
  try {
    return require('@swc/core') as typeof import('@swc/core')
  } catch (cause) {
    throw new CommandError(
      'NOT_INSTALLED',
      `@swc/core, which compiles TypeScript, cannot be loaded: ${(cause as Error).message}`,
      {
        fix: 'Install the packages again on this machine, with optional packages: npm install --include=optional.',
        cause,
      },
    )
  }
}

/**
 * The transformer leaves the decorators of such fields out without a word, and a column would be lost. The compiler refuses them too
 * (TS1206).
 *
 * @throws {SyntaxError} for a field with `declare` and a decorator, unless decorators are legacy ones.
 */
function refuseDecoratedDeclarations(source: string, path: string): void {
  if (!/\bdeclare\b/.test(source) || compilerOptionsOf(path).experimentalDecorators === true) return
  const { parser } = swcOptions(path, 'module').jsc ?? {}
  let syntaxTree: unknown
  try {
    syntaxTree = loadCompiler().parseSync(source, { ...parser!, target: 'es2022' })
  } catch {
    // What does not parse is reported where it is compiled.
    return
  }
  const [field] = decoratedDeclarations(syntaxTree)
  if (field === undefined) return
  throw new SyntaxError(
    `${path} has decorators on the field ${field}, which has declare: they would not run. Remove declare, and write ! after the ` +
      'name if the field has no initial value.',
  )
}

/** The class fields with `declare` and a decorator, anywhere in a syntax tree. */
function decoratedDeclarations(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return []
  const { type, declare, decorators, key } = node as {
    readonly type?: unknown
    readonly declare?: unknown
    readonly decorators?: readonly unknown[]
    readonly key?: { readonly value?: unknown }
  }
  if (type === 'ClassProperty' && declare === true && (decorators?.length ?? 0) > 0)
    return [typeof key?.value === 'string' ? key.value : 'with a computed name']
  return Object.values(node).flatMap(decoratedDeclarations)
}

/** A line that may start with a decorator: one in a comment or a text looks the same. */
const MAYBE_DECORATED = /^\s*(?:export\s+(?:default\s+)?)?@[\w$]/m

/** As soon as Node runs decorators, nothing is wrong with files that have them. */
const nodeRunsDecorators = (): boolean => {
  try {
    // oxlint-disable-next-line typescript/no-implied-eval, no-new-func -- The only question that the engine answers.
    return Boolean(new Function('@(() => {}) class Decorated {}'))
  } catch {
    return false
  }
}

/**
 * Refuses JavaScript in which its compiler left the decorators. Node's own error, "Invalid or unexpected token", has neither the
 * file's name nor the reason.
 *
 * @throws {SyntaxError} with the setting that leaves them, and what to write instead.
 */
export function refuseLeftDecorators(source: string, path: string): void {
  if (!MAYBE_DECORATED.test(source) || nodeRunsDecorators()) return
  const { parseSync } = loadCompiler()
  const isParsed = (decorators: boolean): boolean => {
    try {
      parseSync(source, { syntax: 'ecmascript', decorators, decoratorsBeforeExport: true, target: 'es2022' })
      return true
    } catch {
      return false
    }
  }
  if (isParsed(false) || !isParsed(true)) return
  throw new SyntaxError(
    `${path} has decorators, which Node cannot run: its compiler left them as they were, as TypeScript and esbuild do for the ` +
      'target esnext. Set "target": "es2022" or "experimentalDecorators": true and compile it again, or name the TypeScript ' +
      'files in schema: isotherm compiles them itself.',
  )
}

/** With `noInterop` the transformer leaves `__esModule` out, which the compiler never does. */
function withMark(code: string): string {
  const exportsNames = /^(?:Object\.defineProperty\(exports|_export\(exports|_export_star\()/m.test(code)
  return exportsNames
    ? code.replace('"use strict";', '$&Object.defineProperty(exports, "__esModule", { value: true });')
    : code
}

function moduleConfig(path: string, format: Transformed['format']): ModuleConfig {
  // `import x = require()` is allowed in both.
  if (format === 'module') return { type: 'nodenext' }
  const { module = '' } = compilerOptionsOf(path)
  return {
    type: 'commonjs',
    // Node finds the names of a module's exports by these annotations.
    exportInteropAnnotation: true,
    noInterop: !hasInterop(path),
    // For Node, import() stays what it is.
    ignoreDynamic: !/^commonjs$/i.test(module),
  }
}

function swcOptions(path: string, format: Transformed['format']): Options {
  const compilerOptions = compilerOptionsOf(path)
  const legacy = compilerOptions.experimentalDecorators === true
  return {
    filename: path,
    swcrc: false,
    configFile: false,
    isModule: true,
    sourceMaps: 'inline',
    module: moduleConfig(path, format),
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true, tsx: path.endsWith('x') },
      // Messages name the class of a model.
      keepClassNames: true,
      experimental: { keepImportAttributes: true },
      transform: {
        useDefineForClassFields:
          compilerOptions.useDefineForClassFields ?? definesFields(compilerOptions.target),
        verbatimModuleSyntax: compilerOptions.verbatimModuleSyntax ?? false,
        ...(legacy
          ? { legacyDecorator: true, decoratorMetadata: compilerOptions.emitDecoratorMetadata === true }
          : { decoratorVersion: '2023-11' }),
      },
    },
  }
}

/** As the compiler does by default: from the year in which JavaScript got fields. */
function definesFields(target: string | undefined): boolean {
  if (target === undefined) return true
  const year = /^es(\d{4})$/i.exec(target)?.[1]
  return year === undefined ? /^esnext$/i.test(target) : Number(year) >= 2022
}
