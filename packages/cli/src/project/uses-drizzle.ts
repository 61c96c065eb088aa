import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Whether a project's package.json asks for Drizzle. */
export function usesDrizzle(directory: string): boolean {
  return 'drizzle-orm' in dependenciesOf(directory)
}

/** Whether it asks for the client of Cassandra, and for none of Spanner. */
export function hasCassandraOnly(directory: string): boolean {
  const dependencies = dependenciesOf(directory)
  return 'cassandra-driver' in dependencies && !('@google-cloud/spanner' in dependencies)
}

function dependenciesOf(directory: string): object {
  let manifest: unknown
  try {
    manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
  } catch {
    return {}
  }
  const { dependencies, devDependencies } = (manifest ?? {}) as Readonly<Record<string, object | undefined>>
  return { ...dependencies, ...devDependencies }
}
