// What a package takes when it is installed: `node ../../scripts/check-package-size.mjs KILOBYTES`, in the package's folder and
// after a build. Source maps are told, not counted: nothing loads them before something has failed.

import { execFileSync } from 'node:child_process'

const limit = Number(process.argv[2])
if (!(limit > 0)) throw new Error('Say how many kilobytes the package may have.')

const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
})
const [{ name, files }] = JSON.parse(listed)

const kinds = [
  ['source maps', /\.map$/],
  ['declarations', /\.d\.ts$/],
  ['JavaScript', /\.js$/],
  ['others', /^/],
]
const sizes = new Map(kinds.map(([kind]) => [kind, 0]))
for (const { path, size } of files) {
  const [kind] = kinds.find(([, pattern]) => pattern.test(path))
  sizes.set(kind, sizes.get(kind) + size)
}

const { 'source maps': maps, ...counted } = Object.fromEntries(sizes)
const total = Object.values(counted).reduce((sum, size) => sum + size, 0)
const parts = Object.entries(counted).map(([kind, size]) => `${kind} ${inKilobytes(size)}`)
console.log(
  `${name}: ${inKilobytes(total)} of ${limit} kB (${parts.join(', ')}; source maps ${inKilobytes(maps)})`,
)
if (total > limit * 1000) {
  console.error(`${name} is larger than it may be.`)
  process.exitCode = 1
}

function inKilobytes(bytes) {
  return `${Math.ceil(bytes / 1000)} kB`
}
