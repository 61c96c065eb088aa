import { spannerPostgresql } from '@isotherm/spanner'
import { expect, test } from 'vitest'
import { readArguments, usage } from '../src/arguments.js'
import { UserError } from '../src/user-error.js'

test.each([
  [[], { kind: 'generate', lines: 10_000 }],
  [['--lines', '20'], { kind: 'generate', lines: 20 }],
  [['--lines=0'], { kind: 'generate', lines: 0 }],
  [['--', '--lines', '20'], { kind: 'generate', lines: 20 }],
  [['access.log'], { kind: 'read', file: 'access.log' }],
  [['--', 'access.log'], { kind: 'read', file: 'access.log' }],
  [['--engine', 'pglite'], { kind: 'generate', lines: 10_000, engine: 'pglite' }],
  [['--engine', 'spanner', 'access.log'], { kind: 'read', file: 'access.log', engine: 'spanner' }],
  [
    ['--dialect', 'spanner-postgresql'],
    { kind: 'generate', lines: 10_000, engine: 'spanner', dialect: spannerPostgresql },
  ],
  [['-h'], { kind: 'help' }],
  [['--help', 'access.log'], { kind: 'help' }],
])('%j', (args, wish) => {
  expect(readArguments(args)).toEqual(wish)
})

test.each([
  [['--nope'], '--nope'],
  [['--lines'], '--lines'],
  [['--lines', '-5'], '--lines'],
  [['--lines', 'many'], 'many'],
  [['--lines', '1e3'], '1e3'],
  [['--lines', '10000001'], '10,000,000'],
  [['--lines', '5', 'access.log'], 'FILE'],
  [['a.log', 'b.log'], 'one FILE'],
  [['--help=yes'], '--help'],
  [['--dialect', 'mysql'], 'spanner-postgresql'],
  [['--engine', 'mysql'], 'spanner or pglite'],
  [['--engine', 'pglite', '--dialect', 'googlesql'], '--dialect is of Spanner'],
])('%j is refused in one line', (args, says) => {
  const read = (): unknown => readArguments(args)
  expect(read).toThrow(UserError)
  expect(read).toThrow(says)
  expect(read).toThrow(/^[^\n]+ See --help\.$/)
})

test('the help fits a terminal and has examples', () => {
  expect(usage).toMatch(/Examples:\n {2}npx -y pnpm@12 demo\n/)
  expect(Math.max(...usage.split('\n').map((line) => line.length))).toBeLessThanOrEqual(110)
})
