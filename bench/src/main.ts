import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startCassandra, type Cassandra } from '@isotherm/cassandra/local'
import { startSpannerEmulator, type SpannerEmulator } from '@isotherm/spanner/local'
import type { Benchmark, BenchmarkContext } from './benchmark.js'
import { cassandraNewest } from './cassandra-newest.js'
import { diff } from './diff.js'
import { drizzleQueries } from './drizzle.js'
import { fingerprints } from './fingerprint.js'
import { imports } from './imports.js'
import { insert } from './insert.js'
import { merge } from './merge.js'
import { newest } from './newest.js'
import { pointRead } from './point-read.js'
import { progress } from './progress.js'
import { onPostgresql } from './postgresql.js'
import { type PostgresServer, startPostgres } from './postgres-server.js'
import { pageOf, sectionNamed, withSection } from './page.js'
import { missed, reportOf, tableOf, type BenchmarkResult } from './report.js'
import { scan } from './scan.js'
import { SECTION } from './sequences/section.js'

/** All benchmarks, in the order in which they run. A new one is a file here and a name in this list. */
const BENCHMARKS: readonly Benchmark[] = [
  insert,
  pointRead,
  newest,
  scan,
  merge,
  fingerprints,
  imports,
  diff,
  drizzleQueries,
  cassandraNewest,
  onPostgresql,
]

/** Where a run of all of them is written down. */
const PAGE = fileURLToPath(new URL('../../docs/benchmarks.md', import.meta.url))

const HELP = `Measures Isotherm against the vendor's client, both in this run, round by round.

  pnpm bench [--only NAME]... [--json FILE] [--markdown FILE] [--check]

  --only NAME  run this benchmark only; may be given more than once
  --json FILE  write the figures to a file as well
  --markdown FILE
               the same as a page; a run of all benchmarks writes docs/benchmarks.md
  --check      exit with 1 if a target is missed
  --help       print this

Benchmarks:
${BENCHMARKS.map(({ name, title }) => `  ${name.padEnd(12)} ${title}`).join('\n')}

Times are medians over the rounds; a ratio is Isotherm's time divided by the client's in the same round, median over the
rounds, with its median absolute deviation (MAD). CPU is this process's user and system time: the emulator's is not in it.`

/** @throws {TypeError} for arguments that make no sense. */
function readArguments() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      json: { type: 'string' },
      markdown: { type: 'string' },
      check: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const chosen = values.only?.map((name) => {
    const benchmark = BENCHMARKS.find((each) => each.name === name)
    if (benchmark) return benchmark
    const names = BENCHMARKS.map((each) => each.name).join(', ')
    throw new TypeError(`There is no benchmark ${name}; there are ${names}.`)
  })
  return { ...values, benchmarks: chosen ?? BENCHMARKS }
}

async function main(): Promise<void> {
  let wanted: ReturnType<typeof readArguments>
  try {
    wanted = readArguments()
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 2
    return
  }
  if (wanted.help) {
    console.log(HELP)
    return
  }
  const results: BenchmarkResult[] = []
  for (const benchmark of wanted.benchmarks) {
    const result = await run(benchmark)
    results.push(result)
    console.log(`${tableOf(result)}\n`)
  }
  if (wanted.json !== undefined) {
    await writeFile(wanted.json, `${JSON.stringify(reportOf(results), undefined, 2)}\n`)
  }
  const page = wanted.markdown ?? (wanted.only ? undefined : PAGE)
  if (page !== undefined) await writeFile(page, await withSequences(pageOf(reportOf(results))))
  const misses = missed(results)
  if (wanted.check && misses.length > 0) {
    console.error(`Missed: ${misses.join('; ')}`)
    process.exitCode = 1
  }
}

/** With the section that `pnpm bench:sequences` has written. */
async function withSequences(page: string): Promise<string> {
  const section = sectionNamed(await readFile(PAGE, 'utf8'), SECTION)
  return section === undefined ? page : withSection(page, SECTION, section)
}

/** Each on an engine of its own: the emulator gets slower with what it has been through. */
async function run(benchmark: Benchmark): Promise<BenchmarkResult> {
  const engines: string[] = []
  let emulator: Promise<SpannerEmulator> | undefined
  let cassandra: Promise<Cassandra> | undefined
  let postgres: Promise<PostgresServer> | undefined
  const noted = async <Engine extends { readonly description: string }>(
    starting: Promise<Engine>,
  ): Promise<Engine> => {
    const started = await starting
    engines.push(started.description)
    return started
  }
  const context: BenchmarkContext = {
    spanner: () => (emulator ??= noted(startSpannerEmulator())),
    cassandra: () => (cassandra ??= noted(startCassandra())),
    postgresql: () => (postgres ??= noted(startPostgres(18))),
    progress,
  }
  try {
    const comparisons = await benchmark.run(context)
    return { name: benchmark.name, title: benchmark.title, engines, comparisons }
  } finally {
    await (await emulator)?.stop()
    await (await cassandra)?.stop()
    await (await postgres)?.stop()
  }
}

await main()
