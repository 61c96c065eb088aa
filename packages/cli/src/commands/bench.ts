import type { LoadResult } from '../bench/load.js'
import { type SequenceMode, modesOf, sequenceModes } from '../bench/sequence-modes.js'
import type { SequenceSizes } from '../bench/sequence-work.js'
import { CommandError, exitCodes } from '../command-error.js'
import {
  type CommandContext,
  type ProjectOptions,
  connectionOptions,
  defineCommand,
} from '../definition/command.js'
import { durationText, parseDuration, shown } from '../text.js'
import { type Connection, connect } from '../project/connection.js'
import { installedEngines } from '../config/engines.js'
import { listedEngines } from '../engines.js'
import { type Project, openProject } from '../project/project.js'
import type { Output } from '../terminal/output.js'
import { TimeProgress } from '../terminal/progress.js'

interface BenchOptions extends ProjectOptions {
  readonly mode?: readonly SequenceMode[]
  readonly processes?: string
  readonly threads?: string
  readonly callers?: string
  readonly duration?: string
  readonly warmUp?: string
  readonly transaction?: string
  readonly batch?: string
  readonly lowWater?: string
  readonly ranges?: SequenceSizes['ranges']
}

export const bench = defineCommand<BenchOptions>({
  name: 'bench',
  summary: 'measure the throughput of sequences on a development database',
  description:
    'Measures how fast callers get numbers of a sequence, and checks that no number comes twice. Each caller takes a number for a ' +
    'simulated application transaction, in as many processes and threads as you choose. Creates the table isotherm_bench_sequences ' +
    '(and the sequence isotherm_bench_numbers where the database has sequences) and drops both at the end; if one of them exists, ' +
    'the command stops. Modes: sync takes a number in the application transaction, sync-batch takes several at once; async takes ' +
    'one in a transaction of its own; batch takes from a range that is fetched when the last one is used up, async-batch from one ' +
    'that is fetched before that; native takes from the sequence of the database; naive reads and writes a row, and begins again ' +
    'after a conflict; plain counts in memory, which is the most that the simulated transactions allow. A database without ' +
    'transactions has async, batch, async-batch and plain.',
  arguments: [{ name: '<subject>', description: 'sequences' }],
  options: [
    {
      flags: '--mode <mode>',
      description: 'how numbers are taken; see above',
      choices: Object.keys(sequenceModes),
      repeatable: true,
      otherwise: 'async and async-batch',
    },
    { flags: '--processes <n>', description: 'processes that take numbers', otherwise: '1' },
    { flags: '--threads <n>', description: 'threads in each process, with a client each', otherwise: '1' },
    { flags: '--callers <n>', description: 'callers at the same time in each thread', otherwise: '10' },
    { flags: '--duration <time>', description: 'how long each mode is measured: 30s, 5m', otherwise: '10s' },
    {
      flags: '--warm-up <time>',
      description: 'time before the measurement that is not counted',
      otherwise: '1s',
    },
    {
      flags: '--transaction <time>',
      description: 'duration of the simulated application transaction',
      otherwise: '10ms',
    },
    { flags: '--batch <n>', description: 'numbers in a range, or in a transaction', otherwise: '200' },
    {
      flags: '--low-water <n>',
      description: 'fetch the next range when this many numbers are left',
      otherwise: '50',
    },
    {
      flags: '--ranges <ranges>',
      description: 'size of the ranges of async-batch and native',
      choices: ['fixed', 'adaptive'],
      otherwise: 'adaptive',
    },
    ...connectionOptions,
  ],
  engineOptions: (engines) => engines.flatMap(({ address }) => address.flags ?? []),
  examples: [
    { command: 'isotherm bench sequences', what: 'on the configured database' },
    {
      command:
        'isotherm bench sequences --project shop --instance main --database load --processes 2 --threads 4 --callers 50',
      what: '400 callers on Cloud Spanner',
    },
    {
      command: 'isotherm bench sequences --mode sync --mode native --duration 1m --json',
      what: 'two modes, as JSON',
    },
  ],
  exits: ['0    measured; no number came twice', '2    the table or the sequence of the load tool exists'],
  endsItself: 'Stopping: the table of the load tool is dropped first. Press Ctrl+C again to stop at once.',
  async run(context) {
    const { args, options, output } = context
    if (args[0] !== 'sequences') {
      throw new CommandError('USAGE', `There is no benchmark ${shown(args[0])}.`, {
        fix: 'Write isotherm bench sequences.',
      })
    }
    const plan = planOf(options)
    const project = await openProject({ ...context, options: await withFullName(options) })
    if (typeof project.settings.database === 'function') {
      throw new CommandError(
        'CONFIG',
        'The load tool opens the database in several threads, and the configuration has a function.',
        {
          fix: 'Name the database: --database.',
        },
      )
    }
    await using connection = await connect(project, 'create')
    const { driver, description } = connection
    const { benchSchema } = await import('../bench/sequence-work.js')
    const known = modesOf(driver.dialect)
    const wrong = plan.modes.find((mode) => !known.includes(mode))
    if (wrong !== undefined) {
      throw new CommandError('USAGE', `${description} has no mode ${wrong}.`, {
        fix: `It has ${known.join(', ')}.`,
      })
    }
    output.line(description)
    const made = await makeTables(connection, benchSchema(driver.dialect))
    let results: readonly ModeResult[]
    try {
      results = await measure(plan, project, context)
    } finally {
      await made.drop()
    }
    printResults(plan, results, output)
    output.result({ database: description, ...plan, results })
    return exitCodes.ok
  },
})

interface Plan {
  readonly modes: readonly SequenceMode[]
  readonly processes: number
  readonly threads: number
  readonly callers: number
  readonly milliseconds: number
  readonly warmUp: number
  readonly sizes: SequenceSizes
}

interface ModeResult extends LoadResult {
  readonly mode: SequenceMode
}

function planOf(options: BenchOptions): Plan {
  const milliseconds = parseDuration(options.duration ?? '10s', '--duration')
  if (milliseconds === 0)
    throw new CommandError('USAGE', '--duration is 0.', { fix: 'Give it a second or more.' })
  return {
    modes: [...new Set(options.mode ?? (['async', 'async-batch'] as const))],
    processes: countOf(options.processes ?? '1', '--processes', 1),
    threads: countOf(options.threads ?? '1', '--threads', 1),
    callers: countOf(options.callers ?? '10', '--callers', 1),
    milliseconds,
    warmUp: parseDuration(options.warmUp ?? '1s', '--warm-up'),
    sizes: {
      batch: countOf(options.batch ?? '200', '--batch', 1),
      lowWater: countOf(options.lowWater ?? '50', '--low-water', 0),
      ranges: options.ranges ?? 'adaptive',
      transactionMs: parseDuration(options.transaction ?? '10ms', '--transaction'),
    },
  }
}

function countOf(text: string, flag: string, min: number): number {
  const count = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count >= min) return count
  throw new CommandError('USAGE', `${flag} is ${shown(text)}.`, {
    fix: `It is a whole number from ${min} on.`,
  })
}

/** The options with the whole name of the database, if flags of an engine give its parts. */
async function withFullName(options: BenchOptions): Promise<ProjectOptions> {
  const texts = Object.fromEntries(Object.entries(options).filter(([, value]) => typeof value === 'string'))
  const { engines } = await installedEngines(listedEngines)
  const names = engines.flatMap(({ command }) => command.address.nameOf?.(texts) ?? [])
  return { ...options, ...(names[0] !== undefined && { database: names[0] }) }
}

/**
 * Creates the load tool's tables. The tool uses only tables that it has created: an existing table is left alone.
 *
 * @throws {CommandError} `USAGE` if one exists already.
 */
async function makeTables(
  { driver, dialect }: Pick<Connection, 'driver' | 'dialect'>,
  schema: Parameters<typeof import('@isotherm/core').compileDdl>[0],
): Promise<{ readonly drop: () => Promise<void> }> {
  const { compileDdl, defineSchema, introspect } = await import('@isotherm/core')
  const { planMigration } = await import('@isotherm/migrations')
  const drops = planMigration(schema, defineSchema([]), { dialect }).map(({ sql }) => sql)
  const made: string[] = []
  const drop = async (): Promise<void> => {
    for (const sql of drops.filter((each) => made.some((name) => each.includes(name))))
      await driver.applyDdl([sql])
  }
  for (const sql of compileDdl(schema, { dialect })) {
    const name = [...schema.tables, ...schema.sequences].find((each) => sql.includes(each.name))!.name
    try {
      await driver.applyDdl([sql])
      made.push(name)
    } catch (cause) {
      await drop()
      // Engines have several codes for a name that is taken.
      const live = await introspect({ driver, dialect })
      const known = new Set([...live.tables, ...live.sequences].map((each) => each.name))
      const there = [...schema.tables, ...schema.sequences]
        .map((each) => each.name)
        .filter((each) => known.has(each))
      if (!there.includes(name)) throw cause
      const leftBehind = drops.filter((statement) => there.some((each) => statement.includes(each)))
      throw new CommandError('USAGE', `${name} already exists, and this run did not create it.`, {
        fix: `Nothing was changed. If an earlier run was killed, drop what it left: ${leftBehind.join('; ')}.`,
        cause,
      })
    }
  }
  return { drop }
}

async function measure(
  { modes: wanted, processes, threads, callers, milliseconds, warmUp, sizes }: Plan,
  { settings }: Project,
  { output, signal }: CommandContext<BenchOptions>,
): Promise<readonly ModeResult[]> {
  const { runProcesses } = await import('../bench/run-processes.js')
  const progress = await TimeProgress.on(output)
  const results: ModeResult[] = []
  try {
    for (const mode of wanted) {
      // Functions cannot be passed to another process, and these settings are not needed there.
      const job = {
        settings: { ...settings, lint: {}, drizzle: {} },
        mode,
        sizes,
        threads,
        callers,
        warmUp,
        milliseconds,
      }
      const onStart = (): void => progress.begin(mode, warmUp + milliseconds)
      results.push({ mode, ...(await runProcesses(job, processes, { signal, onStart })) })
      progress.end()
    }
  } finally {
    progress.end()
  }
  return results
}

function printResults(plan: Plan, results: readonly ModeResult[], output: Output): void {
  const { processes, threads, callers, milliseconds } = plan
  output.line(
    `${processes * threads * callers} callers: ${processes} × ${threads} × ${callers} (processes × threads × callers), ${durationText(milliseconds)} each.`,
  )
  const rows = [
    ['mode', 'values/s', 'p50 ms', 'p75 ms', 'p90 ms', 'p99 ms', 'CPU µs/value'],
    ...results.map(({ mode, rate, p50, p75, p90, p99, cpu }) => [
      mode,
      rate.toFixed(1),
      ...[p50, p75, p90, p99].map((latency) => latency.toFixed(1)),
      cpu.toFixed(0),
    ]),
  ]
  const widths = rows[0]!.map((_, at) => rows.reduce((width, row) => Math.max(width, row[at]!.length), 0))
  for (const row of rows) {
    const cells = row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)))
    output.line(`  ${cells.join('  ')}`)
  }
}
