import { Command, InvalidArgumentError, Option } from 'commander'
import { sequenceModes, type SequenceMode, type SequenceSizes } from '@isotherm/cli/bench'
import type { SqlDialect } from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { PUBLISHED_SIZES } from './published.js'

export interface Options extends SequenceSizes {
  readonly mode: SequenceMode
  readonly iterations: number
  readonly threads: number
  readonly dialect: SqlDialect
  readonly all: boolean
  readonly rounds: number
  readonly write: boolean
  readonly check: boolean
  readonly json?: string
}

const DIALECTS: readonly SqlDialect[] = [googlesql, spannerPostgresql]

const modeText = Object.entries(sequenceModes)
  .map(([mode, what]) => `  ${mode.padEnd(12)} ${what}`)
  .join('\n')

export function readOptions(argv: readonly string[]): Options {
  const sizes = PUBLISHED_SIZES
  return (
    new Command('pnpm bench:sequences')
      .description('Callers take numbers of a sequence, each for a simulated application transaction.')
      .addOption(new Option('--mode <mode>', 'see below').choices(Object.keys(sequenceModes)).default('sync'))
      .option('--iterations <n>', 'numbers to take, by all callers together', count(1), 1_000)
      .option('--threads <n>', 'concurrent callers, in one process', count(1), 10)
      .option('--batch <n>', 'numbers in a range or a transaction', count(1), sizes.batch)
      .option('--low-water <n>', 'fetch when so many are left', count(0), sizes.lowWater)
      .addOption(
        new Option('--ranges <ranges>', 'of async-batch and native')
          .choices(['fixed', 'adaptive'])
          .default(sizes.ranges),
      )
      .option('--transaction-ms <n>', 'the simulated transaction', count(0), sizes.transactionMs)
      .addOption(
        new Option('--dialect <dialect>', 'of the database')
          .choices(DIALECTS.map(({ name }) => name))
          .argParser(dialectNamed)
          .default(googlesql, googlesql.name),
      )
      .option('--all', 'all rows of the published table, and the targets, as Markdown', false)
      .option('--rounds <n>', 'with --all: measurements of which medians are taken', count(1), 5)
      .option('--write', 'with --all: write docs/benchmarks.md and docs/sequences.svg', false)
      .option('--check', 'with --all: exit with 1 if a target is missed', false)
      .option('--json <file>', 'write the figures to a file as well')
      .helpOption('--help', 'print this')
      .addHelpText('after', `\nModes:\n${modeText}`)
      .allowExcessArguments(false)
      // As the other benchmarks: 1 is a missed target.
      .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
      .parse(argv, { from: 'user' })
      .opts<Options>()
  )
}

function dialectNamed(given: string): SqlDialect {
  const dialect = DIALECTS.find(({ name }) => name === given)
  if (dialect) return dialect
  throw new InvalidArgumentError(`It is one of ${DIALECTS.map(({ name }) => name).join(', ')}.`)
}

function count(min: number): (given: string) => number {
  return (given) => {
    const parsed = Number(given)
    if (Number.isSafeInteger(parsed) && parsed >= min) return parsed
    throw new InvalidArgumentError(`It is a whole number from ${min} on.`)
  }
}
