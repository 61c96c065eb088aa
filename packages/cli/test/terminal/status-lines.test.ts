import { expect, it } from 'vitest'
import { statusLines } from '../../src/terminal/progress.js'
import { silentOutput } from '../support/silent-output.js'

const { style } = silentOutput

it('statusLines() indents every line of the error of a failed statement', () => {
  const failed = { statement: 2, error: 'No such column:\nNote\n' }
  expect(statusLines([{ name: '1_a', state: 'failed', done: 1, statements: 3, failed }], style)).toEqual([
    'failed  1_a 1/3',
    '        Statement 2 failed: No such column:',
    '        Note',
  ])
})

it('statusLines() tells partly run migrations from completed migrations when their folder is missing', () => {
  const gone = { state: 'missing', statements: 2 } as const
  const lines = statusLines(
    [1, 2].map((done) => ({ ...gone, name: `${done}_a`, done })),
    style,
  )
  expect(lines).toEqual([
    'missing 1_a 1/2',
    '        It has run in part, but is not in the folder.',
    'missing 2_a 2/2',
    '        It has run, but is not in the folder.',
  ])
})
