import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { startSpannerEmulator, type SpannerEmulator } from '@isotherm/core/engines'
import type { Benchmark, BenchmarkContext } from './benchmark.js'
import { insert } from './insert.js'
import { newest } from './newest.js'
import { pointRead } from './point-read.js'
import { progress } from './progress.js'
import { missed, reportOf, tableOf, type BenchmarkResult } from './report.js'

/** All benchmarks, in the order in which they run. A new one is a file here and a name in this list. */
const BENCHMARKS: readonly Benchmark[] = [insert, pointRead, newest]

const HELP = `Measures Isotherm against the vendor's client, both in this run, round by round.

  pnpm bench [--only NAME]... [--json FILE] [--check]

  --only NAME  run this benchmark only; may be given more than once
  --json FILE  write the figures to a file as well
  --check      exit with 1 if a target is missed
  --help       print this

Benchmarks:
${BENCHMARKS.map(({ name, title }) => `  ${name.padEnd(12)} ${title}`).join('\n')}

Times are medians over the rounds; a ratio is Isotherm's time divided by the client's in the same round, median over the
rounds, with its median absolute deviation (MAD). CPU is this process's user and system time: the emulator's is not in it.`

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      json: { type: 'string' },
      check: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(HELP)
    return
  }
  const { results, engines } = await runAll(chosen(values.only))
  if (values.json !== undefined) {
    await writeFile(values.json, `${JSON.stringify(reportOf(results, engines), undefined, 2)}\n`)
  }
  const misses = missed(results)
  if (values.check && misses.length > 0) {
    console.error(`Missed: ${misses.join('; ')}`)
    process.exitCode = 1
  }
}

function chosen(only: readonly string[] | undefined): readonly Benchmark[] {
  if (only === undefined) return BENCHMARKS
  return only.map((name) => {
    const benchmark = BENCHMARKS.find((each) => each.name === name)
    if (benchmark) return benchmark
    throw new TypeError(
      `There is no benchmark ${name}; there are ${BENCHMARKS.map((each) => each.name).join(', ')}.`,
    )
  })
}

async function runAll(benchmarks: readonly Benchmark[]) {
  const results: BenchmarkResult[] = []
  const engines: string[] = []
  let emulator: Promise<SpannerEmulator> | undefined
  const start = async (): Promise<SpannerEmulator> => {
    const started = await startSpannerEmulator()
    engines.push(started.description)
    console.log(`Engine: ${started.description}\n`)
    return started
  }
  const context: BenchmarkContext = { spanner: () => (emulator ??= start()), progress }
  try {
    for (const benchmark of benchmarks) {
      const comparisons = await benchmark.run(context)
      results.push({ name: benchmark.name, title: benchmark.title, comparisons })
      console.log(`${tableOf(benchmark, comparisons)}\n`)
    }
  } finally {
    await (await emulator)?.stop()
  }
  return { results, engines }
}

await main().catch((error: unknown) => {
  console.error(error instanceof TypeError ? error.message : error)
  process.exitCode = 2
})
