import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { ENGINES, type EngineWish } from './engine.js'

const DIALECTS = [googlesql, spannerPostgresql] as const
const MAX_LINES = 10_000_000

export interface Wish extends EngineWish {
  /** A log to read. Absent: `lines` lines are generated. */
  readonly file?: string
  readonly lines: number
}

interface Given {
  readonly lines: number
  readonly engine?: (typeof ENGINES)[number]
  readonly dialect?: string
}

/** The command, which calls `run` with what was asked for. */
export function commandOf(run: (wish: Wish) => Promise<void>): Command {
  return new Command('demo')
    .usage('[FILE] [--lines N] [--engine NAME] [--dialect NAME]')
    .description(
      "Stores a web server's access log under keys that keep every shard equally warm, and reads it back as one table: in a Spanner " +
        'emulator if one is found, else in PGlite, which is PostgreSQL in this process.',
    )
    .addArgument(
      new Argument(
        '[FILE]',
        "an access log in Apache's common or combined form; without it, lines are generated",
      ),
    )
    .addOption(new Option('--lines <n>', 'how many lines to generate').default(10_000).argParser(readCount))
    .addOption(new Option('--engine <name>', 'spanner and cassandra: also in Docker').choices(ENGINES))
    .addOption(new Option('--dialect <name>', 'of Spanner').choices(DIALECTS.map(({ name }) => name)))
    .addHelpText(
      'after',
      `
Examples:
  npx -y pnpm@12 demo
  npx -y pnpm@12 demo --engine pglite
  npx -y pnpm@12 demo --engine cassandra
  npx -y pnpm@12 demo --lines 2000 --dialect spanner-postgresql
  npx -y pnpm@12 demo /var/log/apache2/access.log
  zcat access.log.2.gz | npx -y pnpm@12 demo /dev/stdin`,
    )
    .showHelpAfterError('See --help.')
    .action(async (file: string | undefined, { lines, engine, dialect }: Given, command: Command) => {
      if (file !== undefined && command.getOptionValueSource('lines') === 'cli')
        command.error('error: --lines is for generated lines: leave it or the FILE out.')
      if (dialect !== undefined && engine !== undefined && engine !== 'spanner')
        command.error(`error: --dialect is of Spanner: leave it or --engine ${engine} out.`)
      await run({
        lines,
        ...(file !== undefined && { file }),
        engine: engine ?? (dialect === undefined ? undefined : 'spanner'),
        dialect: DIALECTS.find(({ name }) => name === dialect),
      })
    })
}

/** npm needs a `--` before a script's own flags; pnpm, which does not, hands it on. */
export function ownArguments(args: readonly string[]): readonly string[] {
  return args[0] === '--' ? args.slice(1) : args
}

function readCount(text: string): number {
  const lines = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (lines <= MAX_LINES) return lines
  throw new InvalidArgumentError(`A whole number from 0 to ${MAX_LINES.toLocaleString('en')} is meant.`)
}
