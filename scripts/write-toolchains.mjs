// Writes the table of docs/reference/toolchains.md from test/toolchains/rows.mjs: `node scripts/write-toolchains.mjs [--check]`. With
// --check it writes nothing, and fails if the table is not what it would write.

import { readFileSync, writeFileSync } from 'node:fs'
import { rows } from '../test/toolchains/rows.mjs'

const page = new URL('../docs/reference/toolchains.md', import.meta.url)
const BEGIN = '<!-- Written by scripts/write-toolchains.mjs from test/toolchains/rows.mjs. -->\n'
const END = '<!-- End of what is written. -->'

const table = [
  '| tool | version | decorators | modules | | what is needed |',
  '| --- | --- | --- | --- | --- | --- |',
  ...rows.map(({ tool, version, mode, format, fails, needs }) => {
    const modules = format === 'esm' ? 'ES modules' : 'CommonJS'
    return `| ${[tool, version, mode, modules, fails ? '**no**' : 'yes', needs].join(' | ')} |`
  }),
].join('\n')

const text = readFileSync(page, 'utf8')
const [before, rest] = text.split(BEGIN)
const after = rest?.split(END)[1]
if (after === undefined) throw new Error(`docs/reference/toolchains.md lacks the lines ${BEGIN}and ${END}`)
const wanted = `${before}${BEGIN}\n${table}\n\n${END}${after}`

if (!process.argv.includes('--check')) {
  writeFileSync(page, wanted)
  console.log(`wrote the ${rows.length} rows of docs/reference/toolchains.md`)
} else if (text === wanted) {
  console.log(`docs/reference/toolchains.md has the ${rows.length} rows of test/toolchains/rows.mjs`)
} else {
  console.error(
    'docs/reference/toolchains.md does not have the rows of test/toolchains/rows.mjs: node scripts/write-toolchains.mjs',
  )
  process.exitCode = 1
}
