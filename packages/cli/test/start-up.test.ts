import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

/** All modules that a module imports, directly or indirectly, before any code is run. */
function importsOf(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  // Without the files that are written into projects.
  const text = readFileSync(file, 'utf8').replace(/`[^`]*`/g, '')
  // Type imports are erased, and dynamic imports are loaded later.
  for (const [, specifier] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from '(.*?)'$/gm)) {
    if (specifier!.startsWith('.'))
      importsOf(fileURLToPath(new URL(specifier!.replace(/\.js$/, '.ts'), `file://${file}`)), seen)
    else seen.add(specifier!)
  }
  return seen
}

it('main.ts loads no packages at start-up except commander and fastest-levenshtein', () => {
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
  const packages = [...importsOf(main)].filter((each) => !each.startsWith('/') && !each.startsWith('node:'))
  expect(packages.toSorted()).toEqual(['commander', 'fastest-levenshtein'])
})
