import { expect, it } from 'vitest'
import { nearest, suggestion } from '../src/text.js'

const commands = ['init', 'generate', 'migrate', 'status']

it.each([
  ['generat', 'generate'],
  ['Migrate', 'migrate'],
  ['stauts', 'status'],
  ['int', 'init'],
  ['deploy', undefined],
  ['x', undefined],
])('nearest() corrects %s to %s', (word, meant) => {
  expect(nearest(word, commands)).toBe(meant)
})

it('nearest() returns undefined when the list of words is empty', () => {
  expect(nearest('a', [])).toBeUndefined()
})

it('suggestion() suggests the nearest word, or lists all words when no word is similar', () => {
  expect(suggestion('deploy', commands)).toBe('Known are init, generate, migrate, status.')
  expect(suggestion('mirgate', commands)).toBe('Did you mean migrate?')
})
