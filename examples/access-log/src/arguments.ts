import { parseArgs } from 'node:util'
import type { SqlDialect } from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { ENGINES, type EngineWish } from './engine.js'
import { count } from './text.js'
import { UserError } from './user-error.js'

export const usage = `Stores a web server's access log under keys that keep every shard equally warm, and reads it back as one
table: in a Spanner emulator if one is found, else in PGlite, which is PostgreSQL in this process.

Usage: npx -y pnpm@12 demo [FILE] [--lines N] [--engine NAME] [--dialect NAME]

  FILE       an access log in Apache's common or combined form; without it, lines are generated
  --lines N  how many lines to generate (default: 10000)
  --engine NAME
             spanner: an emulator, also in Docker; or pglite
  --dialect NAME
             of Spanner: googlesql (the default), or spanner-postgresql: its PostgreSQL dialect
  -h, --help this text

Examples:
  npx -y pnpm@12 demo
  npx -y pnpm@12 demo --lines 2000 --dialect spanner-postgresql
  npx -y pnpm@12 demo /var/log/apache2/access.log
  zcat access.log.2.gz | npx -y pnpm@12 demo /dev/stdin
`

export type Wish =
  | { readonly kind: 'help' }
  | (EngineWish & { readonly kind: 'generate'; readonly lines: number })
  | (EngineWish & { readonly kind: 'read'; readonly file: string })

const DIALECTS: readonly SqlDialect[] = [googlesql, spannerPostgresql]

const DEFAULT_LINES = 10_000
const MAX_LINES = 10_000_000

/** @throws {UserError} for arguments that make no sense. */
export function readArguments(args: readonly string[]): Wish {
  // npm needs a `--` before a script's own flags; pnpm, which does not, hands it on.
  const { values, positionals } = parse(args[0] === '--' ? args.slice(1) : args)
  if (values.help === true) return { kind: 'help' }
  const [file, ...more] = positionals
  const wish = engineWish(values.engine, values.dialect)
  if (more.length > 0) throw refused(`There is one FILE at a time, not ${positionals.length}.`)
  if (file === undefined) return { ...wish, kind: 'generate', lines: readCount(values.lines) }
  if (values.lines !== undefined) throw refused('--lines is for generated lines: leave it or the FILE out.')
  return { ...wish, kind: 'read', file }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        lines: { type: 'string' },
        engine: { type: 'string' },
        dialect: { type: 'string' },
      },
    })
  } catch (error) {
    // Its first sentence says what is wrong; the rest is about Node.js.
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split(/\. |\n/)
    throw refused(`${first.replace(/\.$/, '')}.`)
  }
}

function engineWish(given: string | undefined, dialectName: string | undefined): EngineWish {
  const engine = ENGINES.find((name) => name === given)
  if (given !== undefined && !engine) throw refused(`--engine takes ${ENGINES.join(' or ')}, not "${given}".`)
  if (dialectName === undefined) return { engine }
  if (engine === 'pglite') throw refused('--dialect is of Spanner: leave it or --engine pglite out.')
  return { engine: 'spanner', dialect: readDialect(dialectName) }
}

function readDialect(given: string): SqlDialect {
  const dialect = DIALECTS.find(({ name }) => name === given)
  if (dialect) return dialect
  throw refused(`--dialect takes ${DIALECTS.map(({ name }) => name).join(' or ')}, not "${given}".`)
}

function readCount(text = String(DEFAULT_LINES)): number {
  const lines = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (lines <= MAX_LINES) return lines
  throw refused(`--lines takes a whole number from 0 to ${count(MAX_LINES)}, not "${text}".`)
}

function refused(what: string): UserError {
  return new UserError(`${what} See --help.`)
}
