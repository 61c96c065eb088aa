import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

/** What is imported by a module, and by those that it imports, before anything is run. */
function importsOf(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  // Without the files that are written into projects.
  const text = readFileSync(file, 'utf8').replace(/`[^`]*`/g, '')
  // Types are gone by then, and what is imported in a call is not there yet.
  for (const [, specifier] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from '(.*?)'$/gm)) {
    if (specifier!.startsWith('.'))
      importsOf(fileURLToPath(new URL(specifier!.replace(/\.js$/, '.ts'), `file://${file}`)), seen)
    else seen.add(specifier!)
  }
  return seen
}

it('loads nothing that help does not need', () => {
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
  const packages = [...importsOf(main)].filter((each) => !each.startsWith('/') && !each.startsWith('node:'))
  expect(packages.toSorted()).toEqual(['commander', 'fastest-levenshtein'])
})
