import type { ShardAdvice, ShardResult } from '@isotherm/core/command'
import { CommandError, exitCodes } from '../command-error.js'
import { installedEngines } from '../config/engines.js'
import { type OutputOptions, defineCommand, outputOptions } from '../definition/command.js'
import { installation, listedEngines, missingPackage } from '../engines.js'
import type { Output } from '../terminal/output.js'
import { shown, suggestion } from '../text.js'

// How many shards a load needs, with the calculation in words.

interface ShardsOptions extends OutputOptions {
  readonly writesPerSecond?: string
  readonly rowBytes?: string
  readonly readsPerSecond?: string
  readonly headroom?: string
  readonly nodes?: string
  readonly engine?: readonly string[]
}

const HEADROOM = '50'

export const shards = defineCommand<ShardsOptions>({
  name: 'shards',
  summary: 'compute how many shards a workload needs',
  description:
    'Computes how many shards a table needs at its peak load, from what one partition or split of each engine can take. Use as few ' +
    'as possible: a query over all rows reads each shard. Needs neither a project nor a database. lint uses the same numbers.',
  arguments: [],
  options: [
    { flags: '--writes-per-second <rows>', description: 'rows written per second at the peak' },
    { flags: '--row-bytes <bytes>', description: 'the size of a row with its key' },
    {
      flags: '--reads-per-second <rows>',
      description: 'rows read per second at the peak',
      otherwise: 'none',
    },
    {
      flags: '--headroom <percent>',
      description: 'how much more load the shards should take, in percent',
      otherwise: HEADROOM,
    },
    {
      flags: '--nodes <number>',
      description:
        'nodes of the instance, for engines that have one; more than ten shards per node have no effect',
    },
    ...outputOptions,
  ],
  engineOptions: (engines) => {
    const known = byLabel(engines.flatMap(({ shards: advice = [] }) => advice))
    return [
      {
        flags: '--engine <engine>',
        description: 'the engine of the table',
        choices: known.map(({ name }) => name),
        open: true,
        repeatable: true,
        otherwise: known.flatMap(({ name, usual }) => (usual ? name : [])).join(' and '),
      },
    ]
  },
  examples: [
    {
      command: 'isotherm shards --writes-per-second 2000 --row-bytes 3000',
      what: 'for Keyspaces and Cloud Spanner',
    },
    {
      command:
        'isotherm shards --writes-per-second 2000 --row-bytes 3000 --reads-per-second 500 --headroom 0',
      what: 'with reads, and without headroom',
    },
  ],
  async run({ options, output }) {
    const load = {
      writesPerSecond: numberOf('--writes-per-second', options.writesPerSecond),
      rowBytes: sizeOf('--row-bytes', options.rowBytes),
      readsPerSecond: numberOf('--reads-per-second', options.readsPerSecond ?? '0'),
      headroom: numberOf('--headroom', options.headroom ?? HEADROOM) / 100,
    }
    const nodes = options.nodes === undefined ? undefined : numberOf('--nodes', options.nodes)
    if (nodes !== undefined && (!Number.isInteger(nodes) || nodes === 0))
      throw notANumber('--nodes', options.nodes!, 'Give a whole number above 0.')
    const results: (ShardResult & { readonly engine: string })[] = []
    const advice = await chosenAdvice(options, output)
    const width = advice.reduce((max, { label }) => Math.max(max, label.length), 0) + 3
    for (const { name, label, sources, compute } of advice) {
      const result = await compute(load, nodes)
      results.push({ engine: name, ...result })
      const [first = '', ...others] = linesOf(result, load.headroom)
      output.line(`${output.style.name(label.padEnd(width))}${first}`)
      for (const line of others) output.line(`${''.padEnd(width)}${line}`)
      for (const source of sources) output.line(output.style.dim(`${''.padEnd(width)}${source}`))
    }
    const sourcesOf = new Map(advice.map(({ name, sources }) => [name, sources]))
    output.result({
      load,
      engines: results.map(({ engine, shards: wanted, figures }) => ({
        engine,
        shards: wanted,
        figures,
        sources: sourcesOf.get(engine),
      })),
    })
    return exitCodes.ok
  },
})

function byLabel(advice: readonly ShardAdvice[]): readonly ShardAdvice[] {
  return advice.toSorted((one, other) => one.label.localeCompare(other.label))
}

/** The advice of the chosen engines. @throws {CommandError} `USAGE` for an unknown engine. */
async function chosenAdvice(options: ShardsOptions, output: Output): Promise<readonly ShardAdvice[]> {
  const { engines, missing } = await installedEngines(listedEngines)
  const known = byLabel(engines.flatMap(({ command }) => command.shards ?? []))
  const unknown = options.engine?.find((engine) => known.every(({ name }) => name !== engine))
  if (unknown !== undefined) {
    // It may be an engine of a package that is not installed.
    if (missing[0]) throw missing[0].error
    throw new CommandError('USAGE', `--engine is ${shown(unknown)}, which is not an engine.`, {
      fix: suggestion(
        unknown,
        known.map(({ name }) => name),
      ),
    })
  }
  // A project for one engine has the package of that one.
  for (const { error } of options.engine === undefined ? missing : []) {
    const name = missingPackage(error)!
    output.warn(`${name} is left out: it is not installed. ${installation(name)}`)
  }
  return known.filter(({ name, usual }) => options.engine?.includes(name) ?? usual)
}

function linesOf({ steps, shards: wanted, note }: ShardResult, headroom: number): readonly string[] {
  const more = note === undefined ? '' : ` ${note}`
  return [
    ...steps.map(({ of, arithmetic, bare, withHeadroom }) => {
      const spare = `, and ${count(withHeadroom)} with ${count(headroom * 100)} % headroom`
      return `${of.padEnd(8)}${arithmetic}: ${count(bare)}${headroom === 0 ? '' : spare}`
    }),
    `${count(wanted)} shard${wanted === 1 ? '' : 's'}.${more}`,
  ]
}

function count(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 1 })
}

function numberOf(flag: string, text: string | undefined): number {
  if (text === undefined) {
    throw new CommandError('USAGE', `${flag} is missing.`, {
      fix: 'As in isotherm shards --writes-per-second 2000 --row-bytes 3000.',
    })
  }
  const value = Number(text)
  if (/^\d+(?:\.\d+)?$/.test(text) && Number.isFinite(value)) return value
  throw notANumber(flag, text, 'Give a number that is not below zero, without separators.')
}

function sizeOf(flag: string, text: string | undefined): number {
  const size = numberOf(flag, text)
  if (size > 0) return size
  throw notANumber(flag, text!, 'A row has a key at least: give a number above 0.')
}

function notANumber(flag: string, text: string, fix: string): CommandError {
  return new CommandError('USAGE', `${flag} is ${shown(text)}.`, { fix })
}
