import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type EngineEntry, engineAmong } from '../engines.js'

/** Whether a project's package.json asks for Drizzle. */
export function usesDrizzle(directory: string): boolean {
  return 'drizzle-orm' in dependenciesOf(directory)
}

/** The engine that it is for, by the engine's package or the client that it asks for; else the first one. */
export function likelyEngine(directory: string): EngineEntry {
  return engineAmong(dependenciesOf(directory))
}

/** Whether the nearest package.json makes `.ts` files CommonJS. */
export function isCommonJs(directory: string): boolean {
  const manifest = foldersAround(directory)
    .map(manifestIn)
    .find((found) => found !== undefined)
  return manifest !== undefined && (manifest as { readonly type?: unknown }).type !== 'module'
}

/**
 * Whether a package is installed: a package.json requires it, and node_modules has it, in this folder or in a parent
 * folder, as in a workspace. A folder without any package.json has the packages that Node finds.
 *
 * @param wanted a name, with a version that it has to begin with or without one: `drizzle-orm@0.45`
 */
export function isInstalled(directory: string, wanted: string): boolean {
  const at = wanted.indexOf('@', 1)
  const [name, version] = at < 0 ? [wanted, ''] : [wanted.slice(0, at), `${wanted.slice(at + 1)}.`]
  const folders = foldersAround(directory)
  const manifests = folders.filter((folder) => manifestIn(folder) !== undefined)
  const isRequired = manifests.length === 0 || manifests.some((folder) => name in dependenciesOf(folder))
  return (
    isRequired && folders.some((folder) => isVersion(manifestIn(join(folder, 'node_modules', name)), version))
  )
}

function isVersion(manifest: object | undefined, start: string): boolean {
  return manifest !== undefined && 'version' in manifest && `${String(manifest.version)}.`.startsWith(start)
}

/** From the inside out. */
function foldersAround(directory: string): string[] {
  const above = dirname(directory)
  return above === directory ? [directory] : [directory, ...foldersAround(above)]
}

function manifestIn(folder: string): object | undefined {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as unknown
    return typeof manifest === 'object' && manifest !== null ? manifest : undefined
  } catch {
    return undefined
  }
}

function dependenciesOf(directory: string): object {
  const manifest = manifestIn(directory)
  const { dependencies, devDependencies } = (manifest ?? {}) as Readonly<Record<string, object | undefined>>
  return { ...dependencies, ...devDependencies }
}
