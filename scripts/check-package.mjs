// Packs a package as it is published, and checks it: the script `check:package` of each package, `node ../../scripts/check-package.mjs
// KILOBYTES`. KILOBYTES is how large the packed file may be, which is what an installation downloads.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const limit = Number(process.argv[2])
if (!(limit > 0)) throw new Error('Say how many kilobytes the packed file may have.')

const folder = mkdtempSync(join(tmpdir(), 'isotherm-package-'))
try {
  run(process.env.npm_execpath, 'pack', '--pack-destination', folder)
  const [name] = readdirSync(folder)
  const file = join(folder, name)
  run(bin('publint'), 'run', file, '--strict')
  // A package without CommonJS files: `require` gets the ES module, from Node 20.19 on.
  run(bin('attw'), file, '--profile', 'strict', '--ignore-rules', 'cjs-resolves-to-esm')
  const kilobytes = Math.ceil(statSync(file).size / 1000)
  console.log(`${name}: ${kilobytes} kB of ${limit}`)
  if (kilobytes > limit) fail(`${name} is larger than it may be.`)
  for (const [from, to] of missing(file)) fail(`${name}: ${from} names ${to}, which is not in the package.`)
} finally {
  rmSync(folder, { recursive: true })
}

/** Source maps that the code names, and what a README links to without an address, as far as the package does not have them. */
function missing(file) {
  const unpacked = join(folder, 'unpacked')
  mkdirSync(unpacked)
  run('tar', '-xzf', file, '-C', unpacked)
  return readdirSync(unpacked, { recursive: true })
    .flatMap((path) => {
      const pattern = /\.(?:js|ts)$/.test(path)
        ? /^\/\/# sourceMappingURL=(?!data:)(.*)$/gm
        : path.endsWith('README.md')
          ? /\]\((?!https:)(.*?)\)/g
          : undefined
      const text = pattern ? readFileSync(join(unpacked, path), 'utf8') : ''
      return pattern ? [...text.matchAll(pattern)].map(([, to]) => [path, to]) : []
    })
    .filter(([path, to]) => !existsSync(join(unpacked, dirname(path), to)))
}

function fail(message) {
  console.error(message)
  process.exitCode = 1
}

/** A command that this repository has. */
function bin(name) {
  return fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url))
}

function run(...[command, ...given]) {
  execFileSync(command, given, { stdio: 'inherit' })
}
