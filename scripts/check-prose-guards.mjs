// Proves that the check of words and names can fail: one file with one offence after the other, each of which has to be reported
// at its line, and nothing else.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const check = fileURLToPath(new URL('check-prose.mjs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'isotherm-prose-'))

/** @type {[what: string, file: string, text: string, says: string | undefined][]} */
const planted = [
  [
    'a sentence of a page',
    'page.md',
    '# Page\n\nWhat is dear, and how to mend it.\n',
    '3: dear => expensive',
  ],
  ['a heading', 'page.md', '# What is dear\n', '1: dear => expensive'],
  [
    'a comment in an example of a page',
    'page.md',
    '# A\n\n```ts\nlet a = 1 // mended\n```\n',
    '4: mended => fix',
  ],
  ['a code block of another language', 'page.md', '```sh\nmend\n```\n', undefined],
  ['a message', 'code.ts', 'throw new Error(`The model ${1} is no table.`)\n', '1: is no '],
  ['a comment', 'code.ts', '// A walk of all buckets.\nexport {}\n', '1: walk => scan'],
  ['a docstring', 'code.ts', '/**\n * Reckons the shards.\n */\nexport {}\n', '2: Reckons => compute'],
  [
    'the title of a test',
    'code.test.ts',
    "it('runs hot in one place', () => {})\n",
    '1: runs hot => hotspot',
  ],
  [
    'a name',
    'code.ts',
    'export const x = 1\nexport class FairTurnstile {}\n',
    '2: FairTurnstile: use FifoLock',
  ],
  ['a name in capitals', 'code.ts', 'export const FREE_LANES = 1\n', '1: FREE_LANES: use partition'],
  ['a longer word', 'code.ts', 'export const planes = 1\n', undefined],
  ['a private name', 'code.ts', 'export class A {\n  #lane = 1\n}\n', '2: lane: use partition'],
  ['a text of one word, which is a value', 'code.ts', "export const name = 'walk'\n", undefined],
]

let failed = 0
try {
  for (const [what, name, text, says] of planted) {
    const file = join(folder, name)
    writeFileSync(file, text)
    const { status, stderr } = spawnSync(process.execPath, [check, file], { encoding: 'utf8' })
    const ok = says === undefined ? status === 0 : status === 1 && stderr.startsWith(`${file}:${says}`)
    if (!ok) failed++
    console.log(
      `${ok ? 'ok' : 'not ok'}: ${what} is ${says === undefined ? 'passed over' : `reported: ${says}`}`,
    )
    if (!ok) console.log(stderr)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`${planted.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
