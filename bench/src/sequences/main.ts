import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { LATENCIES, openSequenceWork, runLoad } from '@isotherm/cli/bench'
import { startSpannerEmulator } from '@isotherm/spanner/local'
import { withSection } from '../page.js'
import { progress } from '../progress.js'
import { compareWithPublished } from './comparison.js'
import { sequenceDatabase } from './database.js'
import { readOptions, type Options } from './options.js'
import { plotOf } from './plot.js'
import { SECTION, sectionOf } from './section.js'
import { missedOf, targetsOf } from './targets.js'

const PAGE = fileURLToPath(new URL('../../../docs/benchmarks.md', import.meta.url))
const PLOT = fileURLToPath(new URL('../../../docs/sequences.svg', import.meta.url))

async function main(options: Options): Promise<void> {
  const figures = options.all ? await runAll(options) : await runOne(options)
  if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(figures, undefined, 2)}\n`)
}

async function runOne(options: Options): Promise<unknown> {
  const { mode, threads, iterations, dialect } = options
  await using emulator = await startSpannerEmulator()
  const db = await sequenceDatabase(emulator, dialect)
  const work = await openSequenceWork(mode, db, mode, options)
  const result = await runLoad(work, { callers: threads, values: iterations }, (taken) =>
    progress(mode, taken, iterations),
  )
  await work.close()
  console.log(`${mode}, ${threads} concurrent callers, ${dialect.name}, on ${emulator.description}`)
  console.log(`${result.rate.toFixed(1)} values/s`)
  for (const which of LATENCIES) console.log(`${which} ${result[which].toFixed(1)} ms`)
  console.log(`CPU ${result.cpu.toFixed(0)} µs a value`)
  return result
}

async function runAll({ dialect, rounds, write, check }: Options): Promise<unknown> {
  const figures = await compareWithPublished({
    dialect,
    rounds,
    progress: (done, total) => progress('sequences', done, total),
  })
  const section = sectionOf(figures)
  console.log(section)
  if (write) {
    await writeFile(PAGE, withSection(await readFile(PAGE, 'utf8'), SECTION, section))
    await writeFile(PLOT, plotOf(figures))
  }
  const targets = targetsOf(figures)
  const misses = missedOf(targets)
  if (check && misses.length > 0) {
    console.error(`Missed: ${misses.join('; ')}`)
    process.exitCode = 1
  }
  return { ...figures, targets }
}

await main(readOptions(process.argv.slice(2)))
