import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Whether a project's package.json asks for Drizzle. */
export function usesDrizzle(directory: string): boolean {
  let manifest: unknown
  try {
    manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
  } catch {
    return false
  }
  const { dependencies, devDependencies } = (manifest ?? {}) as Readonly<Record<string, object | undefined>>
  return 'drizzle-orm' in { ...dependencies, ...devDependencies }
}
