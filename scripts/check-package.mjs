// Packs a package as it is published, and checks it: the script `check:package` of each package, `node ../../scripts/check-package.mjs
// KILOBYTES`. KILOBYTES is how large the packed file may be, which is what an installation downloads.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const limit = Number(process.argv[2])
if (!(limit > 0)) throw new Error('Say how many kilobytes the packed file may have.')

const folder = mkdtempSync(join(tmpdir(), 'isotherm-package-'))
try {
  run(process.env.npm_execpath, 'pack', '--pack-destination', folder)
  const [name] = readdirSync(folder)
  const file = join(folder, name)
  run(bin('publint'), 'run', file, '--strict')
  // `require` gets the ES module, from Node 20.19 on: there is no second copy of it, whose classes would be others.
  run(bin('attw'), file, '--profile', 'strict', '--ignore-rules', 'cjs-resolves-to-esm')
  const kilobytes = Math.ceil(statSync(file).size / 1000)
  console.log(`${name}: ${kilobytes} kB of ${limit}`)
  if (kilobytes > limit) {
    console.error(`${name} is larger than it may be.`)
    process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true })
}

/** A command that this repository has. */
function bin(name) {
  return fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url))
}

function run(...[command, ...given]) {
  execFileSync(command, given, { stdio: 'inherit' })
}
