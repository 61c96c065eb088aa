import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Benchmark } from './benchmark.js'
import { type Sample, comparisonOf } from './harness.js'

const call = promisify(execFile)
const ROUNDS = 15
const bench = fileURLToPath(new URL('..', import.meta.url))
const core = fileURLToPath(new URL('../../packages/core', import.meta.url))

/** What one process spends on importing, its own start left out. */
async function importing(...modules: readonly string[]): Promise<Sample> {
  const lines = [
    'const [before, begun] = [process.cpuUsage(), performance.now()]',
    ...modules.map((name) => `await import(${JSON.stringify(name)})`),
    'const { user, system } = process.cpuUsage(before)',
    'console.log(JSON.stringify({ cpu: user + system, wall: (performance.now() - begun) * 1000 }))',
  ]
  const { stdout } = await call(process.execPath, ['--input-type=module', '-e', lines.join('\n')], {
    cwd: bench,
  })
  return JSON.parse(stdout) as Sample
}

export const imports: Benchmark = {
  name: 'imports',
  title:
    'a process that imports @isotherm/core as it is published, against drizzle-orm with drizzle-orm/pg-core',
  async run() {
    await call(process.execPath, ['../../scripts/bundle-package.mjs'], { cwd: core })
    const raw: Sample[] = []
    const ours: Sample[] = []
    // The first of each fills the cache of files.
    for (let round = -1; round < ROUNDS; round++) {
      const drizzle = await importing('drizzle-orm', 'drizzle-orm/pg-core')
      const own = await importing(`${core}/lib/index.js`)
      if (round < 0) continue
      raw.push(drizzle)
      ours.push(own)
    }
    const name = 'raw: Drizzle'
    return [comparisonOf({ name, per: 'import', operations: 1, targets: { cpu: 1.5 } }, raw, ours)]
  },
}
