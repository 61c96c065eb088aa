import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { pathsMatcherOf } from './tsconfig.js'

/** Endings that TypeScript lets stand for its own. */
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
 * What an import in a TypeScript file means, where Node would not find it: `./order.js` for `order.ts`, a file without its
 * ending, an alias of `paths` in tsconfig.json. Undefined where Node knows better.
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
