import { spannerPostgresql } from '@isotherm/spanner'
import type { CommanderError } from 'commander'
import { expect, test } from 'vitest'
import { type Wish, commandOf, ownArguments } from '../src/command.js'

/** The options of a command line, and the printed text. */
async function read(args: readonly string[]): Promise<{ wish?: Wish; code?: number; text: string }> {
  let wish: Wish | undefined
  let text = ''
  const write = (part: string): void => void (text += part)
  const command = commandOf(async (value) => void (wish = value))
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: write })
  try {
    await command.parseAsync(ownArguments(args), { from: 'user' })
  } catch (error) {
    return { code: (error as CommanderError).exitCode, text }
  }
  return { ...(wish && { wish }), text }
}

test.each([
  [[], { lines: 10_000 }],
  [['--lines', '20'], { lines: 20 }],
  [['--lines=0'], { lines: 0 }],
  [['--', '--lines', '20'], { lines: 20 }],
  [['access.log'], { lines: 10_000, file: 'access.log' }],
  [['--', 'access.log'], { lines: 10_000, file: 'access.log' }],
  [['--engine', 'pglite'], { lines: 10_000, engine: 'pglite' }],
  [['--engine', 'cassandra'], { lines: 10_000, engine: 'cassandra' }],
  [['--engine', 'spanner', 'access.log'], { lines: 10_000, file: 'access.log', engine: 'spanner' }],
  [['--dialect', 'spanner-postgresql'], { lines: 10_000, engine: 'spanner', dialect: spannerPostgresql }],
])('the command line %j is parsed into options', async (args, wish) => {
  expect((await read(args)).wish).toEqual(wish)
})

test.each([
  [['--nope'], '--nope'],
  [['--lines'], '--lines'],
  [['--lines', '-5'], 'whole number'],
  [['--lines', 'many'], 'many'],
  [['--lines', '1e3'], '1e3'],
  [['--lines', '10000001'], '10,000,000'],
  [['--lines', '5', 'access.log'], 'FILE'],
  [['a.log', 'b.log'], 'too many arguments'],
  [['--dialect', 'mysql'], 'spanner-postgresql'],
  [['--engine', 'mysql'], 'spanner, cassandra, pglite'],
  [['--engine', 'pglite', '--dialect', 'googlesql'], '--dialect is of Spanner'],
])('the command line %j is rejected with an error and a hint to --help', async (args, says) => {
  const { wish, code, text } = await read(args)
  expect(wish).toBeUndefined()
  expect(code).toBe(1)
  expect(text).toContain(says)
  expect(text).toMatch(/^error: [^\n]+\n+See --help\.\n+$/)
})

test.each([['-h'], ['--help', 'access.log']])(
  'the command line %s prints help with examples',
  async (...args) => {
    const { wish, code, text } = await read(args)
    expect([wish, code]).toEqual([undefined, 0])
    expect(text).toMatch(/Examples:\n {2}npx -y pnpm@12 demo\n/)
  },
)
