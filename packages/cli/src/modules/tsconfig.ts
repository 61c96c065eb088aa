import { existsSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { compileFunction } from 'node:vm'
import {
  type Cache,
  type TsConfigResult,
  createFilesMatcher,
  createPathsMatcher,
  parseTsconfig,
} from 'get-tsconfig'
import { CommandError } from '../command-error.js'

/** The compiler's options that decide how a module is loaded. */
export interface CompilerOptions {
  readonly emitDecoratorMetadata?: boolean
  readonly esModuleInterop?: boolean
  readonly experimentalDecorators?: boolean
  readonly module?: string
  readonly target?: string
  readonly useDefineForClassFields?: boolean
  readonly verbatimModuleSyntax?: boolean
}

type PathsMatcher = (specifier: string) => readonly string[]

const cache: Cache = new Map()
const ofFile = new Map<string, TsConfigResult | undefined>()
const checked = new Set<string>()
const matchers = new Map<string, PathsMatcher | undefined>()
let chosen: string | undefined

/** Compiles every file by this tsconfig.json, and the projects that it references, and not by the nearest one. */
export function chooseTsconfig(path: string): void {
  chosen = path
  ofFile.clear()
}

/**
 * The tsconfig.json of a file, with the files that it extends: the nearest one, or the project among its `references` that
 * includes the file, as in an editor.
 *
 * @throws {CommandError} `CONFIG` for a file that is missing, or is not JSON.
 */
export function tsconfigOf(path: string): TsConfigResult | undefined {
  if (!ofFile.has(path)) {
    const tsconfig = chosen === undefined ? nearest(path) : read(chosen)
    ofFile.set(path, tsconfig && (projectOf(path, tsconfig, new Set()) ?? tsconfig))
  }
  return ofFile.get(path)
}

export function compilerOptionsOf(path: string): CompilerOptions {
  return tsconfigOf(path)?.config.compilerOptions ?? {}
}

/** The files that an import may mean by `paths` of its tsconfig.json. */
export function pathsMatcherOf(path: string): PathsMatcher | undefined {
  const tsconfig = tsconfigOf(path)
  if (!tsconfig) return undefined
  if (!matchers.has(tsconfig.path)) matchers.set(tsconfig.path, createPathsMatcher(tsconfig) ?? undefined)
  return matchers.get(tsconfig.path)
}

/** Whether the compiler gives CommonJS modules a default export by itself: the default since TypeScript 6. */
export function hasInterop(path: string): boolean {
  const { esModuleInterop, module = '' } = compilerOptionsOf(path)
  if (esModuleInterop !== undefined) return esModuleInterop
  // A bundler always does.
  if (!/^(?:commonjs|amd|umd|system|)$/i.test(module)) return true
  return compilerVersion(path) >= 6
}

/** The major version of the project's compiler. */
function compilerVersion(path: string): number {
  try {
    const manifest = createRequire(path).resolve('typescript/package.json')
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }
    return Number.parseInt(version, 10)
  } catch {
    return Infinity
  }
}

/**
 * Whether a build by this tsconfig.json includes a file that is not in its `rootDir`: the compiler refuses it (TS6059), or
 * without `rootDir` writes all files a folder deeper.
 *
 * @throws {CommandError} `CONFIG` for a tsconfig.json that cannot be read, or extends one that is missing.
 */
export function compilesOutsideRoot(tsconfigPath: string, file: string): boolean {
  const tsconfig = read(tsconfigPath)
  const { outDir, rootDir, noEmit } = tsconfig.config.compilerOptions ?? {}
  if (outDir === undefined || noEmit === true || !createFilesMatcher(tsconfig)(file)) return false
  return rootDir === undefined || relative(resolve(dirname(tsconfigPath), rootDir), file).startsWith('..')
}

function nearest(path: string): TsConfigResult | undefined {
  const folder = dirname(path)
  const file = join(folder, 'tsconfig.json')
  if (existsSync(file)) return read(file)
  return folder === path ? undefined : nearest(folder)
}

function read(path: string): TsConfigResult {
  try {
    const config = parseTsconfig(path, cache)
    refuseMistakes()
    return { path, config }
  } catch (cause) {
    if (cause instanceof CommandError) throw cause
    throw unusable(`${path} cannot be read: ${(cause as Error).message}`, cause)
  }
}

/** The parser accepts anything; the compiler does not. Its cache has the text of all files that it read. */
function refuseMistakes(): void {
  for (const [key, text] of cache as ReadonlyMap<string, unknown>) {
    if (typeof text !== 'string' || !key.startsWith('readFileSync:') || checked.has(key)) continue
    try {
      // JSON with comments and trailing commas is an expression of JavaScript. It is only parsed.
      if (text.trim() !== '') compileFunction(`return (${text.replace(/^\uFEFF/, '')}\n)`)
      checked.add(key)
    } catch (cause) {
      const file = key.replace(/^readFileSync:|:utf8$/g, '')
      throw unusable(`${file} is not JSON: ${(cause as Error).message}.`, cause)
    }
  }
}

/** The project that includes a file: this one, or one that it references. */
function projectOf(path: string, tsconfig: TsConfigResult, seen: Set<string>): TsConfigResult | undefined {
  if (seen.has(tsconfig.path)) return undefined
  seen.add(tsconfig.path)
  const { references = [] } = tsconfig.config
  // Without references there is no choice, so what it includes does not matter.
  if (references.length === 0 && seen.size === 1) return tsconfig
  if (createFilesMatcher(tsconfig)(path)) return tsconfig
  for (const reference of references) {
    const found = projectOf(path, read(fileOf(reference.path, tsconfig.path)), seen)
    if (found) return found
  }
  return undefined
}

function fileOf(reference: string, from: string): string {
  const path = resolve(dirname(from), reference)
  if (!existsSync(path)) throw unusable(`${from} references ${reference}, which does not exist.`)
  return statSync(path).isDirectory() ? join(path, 'tsconfig.json') : path
}

function unusable(what: string, cause?: unknown): CommandError {
  return new CommandError('CONFIG', what, {
    ...(cause !== undefined && { cause }),
    fix: 'Correct it, or name another file: tsconfig in isotherm.config.ts, or --tsconfig.',
  })
}
