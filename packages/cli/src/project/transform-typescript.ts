import { dirname, resolve } from 'node:path'
import { type Cache, type TsConfigResult, createPathsMatcher, getTsconfig } from 'get-tsconfig'
import { existsSync, statSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { createRequire } from 'node:module'
import type { Options } from '@swc/core'

const require = createRequire(import.meta.url)
const cache: Cache = new Map()
const matchers = new Map<string, ((specifier: string) => readonly string[]) | undefined>()

/** The nearest tsconfig.json of a file, with the files that it extends. */
function tsconfigOf(path: string): TsConfigResult | undefined {
  return getTsconfig(dirname(path), 'tsconfig.json', cache) ?? undefined
}

/** The files that an import may mean by `paths` of its tsconfig.json. */
function pathsMatcherOf(path: string): ((specifier: string) => readonly string[]) | undefined {
  const tsconfig = tsconfigOf(path)
  if (!tsconfig) return undefined
  if (!matchers.has(tsconfig.path)) matchers.set(tsconfig.path, createPathsMatcher(tsconfig) ?? undefined)
  return matchers.get(tsconfig.path)
}

/** File endings that TypeScript accepts in place of its own. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
  '.jsx': ['.tsx'],
}

const WITHOUT_ENDING = ['.ts', '.mts', '.js', '.mjs', '/index.ts', '/index.js']

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
    if (found !== undefined) return pathToFileURL(found).href
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

/** JavaScript of a TypeScript module, decorators compiled in the mode that its tsconfig.json asks for. */
export function transformTypeScript(source: string, path: string): string {
  const compilerOptions = tsconfigOf(path)?.config.compilerOptions ?? {}
  try {
    // Loaded only if there is TypeScript: it leaves a cache in the user's home.
    const { transformSync } = require('@swc/core') as typeof import('@swc/core')
    return transformSync(source, swcOptions(path, compilerOptions)).code
  } catch (cause) {
    // Below the message is the location in the transformer's own code.
    const [said = ''] = stripVTControlCharacters((cause as Error).message).split('\n\nCaused by:')
    throw new SyntaxError(`${path} is not TypeScript:\n${said.trim()}`, { cause })
  }
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
  const { parseSync } = require('@swc/core') as typeof import('@swc/core')
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

interface CompilerOptions {
  readonly experimentalDecorators?: boolean
  readonly emitDecoratorMetadata?: boolean
  readonly useDefineForClassFields?: boolean
  readonly verbatimModuleSyntax?: boolean
  readonly target?: string
}

function swcOptions(path: string, compilerOptions: CompilerOptions): Options {
  const legacy = compilerOptions.experimentalDecorators === true
  return {
    filename: path,
    swcrc: false,
    configFile: false,
    isModule: true,
    sourceMaps: 'inline',
    module: { type: 'es6' },
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true, tsx: path.endsWith('x') },
      // Messages name the class of a model.
      keepClassNames: true,
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
