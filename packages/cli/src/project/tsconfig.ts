import { dirname } from 'node:path'
import { createPathsMatcher, getTsconfig, type Cache, type TsConfigResult } from 'get-tsconfig'

const cache: Cache = new Map()
const matchers = new Map<string, ((specifier: string) => readonly string[]) | undefined>()

/** The nearest tsconfig.json of a file, with what it extends. */
export function tsconfigOf(path: string): TsConfigResult | undefined {
  return getTsconfig(dirname(path), 'tsconfig.json', cache) ?? undefined
}

/** What an import in a file may mean by `paths` of its tsconfig.json. */
export function pathsMatcherOf(path: string): ((specifier: string) => readonly string[]) | undefined {
  const tsconfig = tsconfigOf(path)
  if (!tsconfig) return undefined
  if (!matchers.has(tsconfig.path)) matchers.set(tsconfig.path, createPathsMatcher(tsconfig) ?? undefined)
  return matchers.get(tsconfig.path)
}
