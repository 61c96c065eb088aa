import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const packages = new URL('../../packages/', import.meta.url)

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
}

/**
 * The entries of all packages, the longer names first, and the source of each: `@isotherm/core/keys` is
 * `…/packages/core/src/keys/index.ts`. Tests run on the sources, so that a failure points at a line of the source.
 */
export const sources: readonly (readonly [entry: string, file: string])[] = readdirSync(packages)
  .flatMap((folder) => {
    const { name, exports } = JSON.parse(
      readFileSync(new URL(`${folder}/package.json`, packages), 'utf8'),
    ) as Manifest
    return Object.entries(exports).flatMap(([path, target]) => {
      if (typeof target === 'string') return []
      // A folder of entries, `./data/*`, is one entry here.
      const file = target.default
        .replace('./dist/', `${folder}/src/`)
        .replace(/\/\*\.js$|\.js$/, (end) => (end === '.js' ? '.ts' : ''))
      return [[name + path.replace(/^\.|\/\*$/g, ''), fileURLToPath(new URL(file, packages))] as const]
    })
  })
  .toSorted(([one], [other]) => other.length - one.length)
