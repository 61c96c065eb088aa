import { existsSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { portablePath } from '../config/paths.js'

/**
 * What to do if `imports` of package.json map an import to a file that does not exist, as before a build. The compiler finds its
 * source, by `outDir` and `rootDir`; Node does not.
 *
 * @param message of Node's error
 */
export function fixOfUnbuiltImport(message: string): string | undefined {
  const [, file] = /^Cannot find module '(.+?)'(?: imported from |\n|$)/.exec(message) ?? []
  if (file === undefined || !isAbsolute(file)) return undefined
  const manifest = manifestAbove(dirname(file))
  if (manifest === undefined) return undefined
  const path = portablePath(relative(dirname(manifest), file))
  const { imports = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly imports?: object }
  for (const [name, value] of Object.entries(imports)) {
    for (const target of targetsOf(value)) {
      const matched = starOf(target, `./${path}`)
      if (matched === undefined) continue
      return (
        `By imports of ${manifest}, ${name.replace('*', matched)} is ${path}, which does not exist. ` +
        `Map "${name}" to the sources in paths of tsconfig.json, or build first.`
      )
    }
  }
  return undefined
}

function manifestAbove(folder: string): string | undefined {
  const manifest = join(folder, 'package.json')
  if (existsSync(manifest)) return manifest
  const above = dirname(folder)
  return above === folder ? undefined : manifestAbove(above)
}

/** The files of an entry, under all conditions. */
function targetsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return Object.values(value ?? {}).flatMap(targetsOf)
}

/** What the star of a target stands for in a path; an empty string for a target without a star. */
function starOf(target: string, path: string): string | undefined {
  const [before = '', after] = target.split('*')
  if (after === undefined) return target === path ? '' : undefined
  const isTarget =
    path.startsWith(before) && path.endsWith(after) && path.length > before.length + after.length
  return isTarget ? path.slice(before.length, path.length - after.length) : undefined
}
