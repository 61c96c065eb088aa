import { CommandError } from '../command-error.js'
import { defineCommand } from '../command.js'
import { exitCodes } from '../exit-codes.js'
import {
  onPartitions,
  onSplits,
  shardEngines,
  type EngineShards,
  type ShardEngine,
} from '../shard-arithmetic.js'
import { outputOptions, type OutputOptions } from '../shared-options.js'

interface ShardsOptions extends OutputOptions {
  readonly writesPerSecond?: string
  readonly rowBytes?: string
  readonly readsPerSecond?: string
  readonly headroom?: string
  readonly nodes?: string
  readonly engine?: readonly ShardEngine[]
}

const HEADROOM = '50'

export const shards = defineCommand<ShardsOptions>({
  name: 'shards',
  summary: 'how many shards a load takes, with the arithmetic',
  description:
    'Reckons how many shards a table takes at its peak: on Keyspaces and Cassandra from the write and read units that one ' +
    'partition takes, on Spanner from the writes that one split is assumed to take. The fewest that carry the load are the ' +
    'best, since a read of the whole asks each of them. Needs neither a project nor a database; lint reckons with the same ' +
    'numbers.',
  arguments: [],
  options: [
    { flags: '--writes-per-second <rows>', description: 'rows that are written in a second, at the peak' },
    { flags: '--row-bytes <bytes>', description: 'the size of a row, with its key' },
    {
      flags: '--reads-per-second <rows>',
      description: 'rows that are read in a second, at the peak',
      otherwise: 'none',
    },
    {
      flags: '--headroom <percent>',
      description: 'how much more the shards are to carry than that',
      otherwise: HEADROOM,
    },
    {
      flags: '--nodes <number>',
      description: 'of a Spanner instance: more than ten shards a node spread nothing further',
    },
    {
      flags: '--engine <engine>',
      description: 'what the table lies in',
      choices: shardEngines,
      repeatable: true,
      otherwise: 'keyspaces and spanner',
    },
    ...outputOptions,
  ],
  examples: [
    {
      command: 'isotherm shards --writes-per-second 2000 --row-bytes 3000',
      what: 'on Keyspaces and Spanner',
    },
    {
      command:
        'isotherm shards --writes-per-second 2000 --row-bytes 3000 --reads-per-second 500 --engine keyspaces',
      what: 'with reads',
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
    const asked = new Set(options.engine ?? (['keyspaces', 'spanner'] as const))
    const core = await import('@isotherm/core')
    const engines: EngineShards[] = []
    for (const engine of shardEngines.filter((each) => asked.has(each))) {
      engines.push(engine === 'spanner' ? onSplits(core, load, nodes) : onPartitions(core, engine, load))
    }
    const width = Math.max(...engines.map(({ name }) => name.length)) + 3
    for (const { name, lines, sources } of engines) {
      const [first = '', ...others] = lines
      output.line(`${output.style.name(name.padEnd(width))}${first}`)
      for (const line of others) output.line(`${''.padEnd(width)}${line}`)
      for (const source of sources) output.line(output.style.dim(`${''.padEnd(width)}${source}`))
    }
    output.result({
      load,
      engines: engines.map(({ engine, shards: wanted, figures, sources }) => ({
        engine,
        shards: wanted,
        figures,
        sources,
      })),
    })
    return exitCodes.ok
  },
})

function numberOf(flag: string, given: string | undefined): number {
  if (given === undefined) {
    throw new CommandError('USAGE', `${flag} is missing.`, {
      fix: 'As in isotherm shards --writes-per-second 2000 --row-bytes 3000.',
    })
  }
  const value = Number(given)
  if (/^\d+(?:\.\d+)?$/.test(given) && Number.isFinite(value)) return value
  throw notANumber(flag, given, 'Give a number that is not below zero, without separators.')
}

function sizeOf(flag: string, given: string | undefined): number {
  const size = numberOf(flag, given)
  if (size > 0) return size
  throw notANumber(flag, given!, 'A row has a key at least: give a number above 0.')
}

function notANumber(flag: string, given: string, fix: string): CommandError {
  return new CommandError('USAGE', `${flag} is ${JSON.stringify(given)}.`, { fix })
}
