// Proves that check-drizzle-parity.mjs can fail: makes one mistake at a time in a copy of the list, and expects to be told.
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = new URL('..', import.meta.url).pathname
const list = join(root, 'docs/reference/drizzle-parity.md')
// Beside the list, since its links are relative.
const copy = join(root, 'docs/reference/.drizzle-parity-copy.md')
const text = readFileSync(list, 'utf8')

const mistakes = [
  [
    'a method that is missing',
    (page) => page.replace(/^\| `leftJoin` .*\n/m, ''),
    'leftJoin is not in the list',
  ],
  [
    'a method that Drizzle has not',
    (page) => page.replace('| `leftJoin` |', '| `asofJoin` |'),
    'Drizzle has no',
  ],
  ['a method that is there twice', (page) => page.replace(/^\| `having` .*\n/m, '$&$&'), 'in the list twice'],
  ['a heading too many', (page) => `${page}\n## \`PgMerge\`\n`, 'that nothing declares'],
  ['a file that is not there', (page) => page.replace('joins.test.ts', 'jions.test.ts'), 'there is no file'],
  [
    'a test that is not there',
    (page) =>
      page.replace('[offset() without limit() writes the largest possible limit]', '[offset() alone]'),
    'has no test called',
  ],
  [
    'a title that is not a test’s',
    (page) =>
      page.replace('[offset() without limit() writes the largest possible limit]', '[limit() and offset()]'),
    'has no test called limit() and offset()',
  ],
  [
    'no test at all',
    (page) =>
      page.replace(/\[offset\(\) without limit\(\) writes the largest possible limit\]\([^)]*\)/, 'works'),
    'links no test',
  ],
  [
    'too little that works',
    (page) =>
      page.replace(/^(\| `(?:union|intersect|except)\w*` \|).*/gm, '$1 not yet: a set | not yet: a set |'),
    'of what is possible works',
  ],
]

/** What the check says, and whether it fails. */
function check(page) {
  writeFileSync(copy, page)
  try {
    execFileSync('node', [join(root, 'scripts/check-drizzle-parity.mjs'), copy], { stdio: 'pipe' })
    return ''
  } catch (error) {
    return `${error.stdout}${error.stderr}`
  } finally {
    rmSync(copy)
  }
}

let failed = 0
const clean = check(text)
if (clean !== '') {
  failed++
  console.error(`The list itself fails:\n${clean}`)
}
for (const [what, plant, expected] of mistakes) {
  const page = plant(text)
  if (page === text) throw new Error(`There is nothing to make of it: ${what}`)
  const said = check(page)
  if (said.includes(expected)) console.log(`found: ${what}`)
  else {
    failed++
    console.error(`not found: ${what}\n${said}`)
  }
}
process.exitCode = failed > 0 ? 1 : 0
