import { expect, it } from 'vitest'
import { durationText, parseDuration } from '../src/text.js'

it.each([
  ['500ms', 500],
  ['0s', 0],
  ['30s', 30_000],
  ['5m', 300_000],
  ['2h', 7_200_000],
])('parseDuration() reads %s as %d ms', (text, milliseconds) => {
  expect(parseDuration(text, '--wait')).toBe(milliseconds)
})

it.each(['5', 's', '1.5m', '-1s', '1d', ''])('parseDuration() rejects %j', (text) => {
  expect(() => parseDuration(text, '--wait')).toThrow(
    `--wait is ${JSON.stringify(text)}, and not a duration.`,
  )
})

it.each([
  [0.4, '0 ms'],
  [999, '999 ms'],
  [1_000, '1 s'],
  [59_400, '59 s'],
  [125_000, '2 min 5 s'],
])('durationText() prints %d ms as %s', (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text)
})
