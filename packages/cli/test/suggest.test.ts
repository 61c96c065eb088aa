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
])('takes %s for %s', (word, meant) => {
  expect(nearest(word, commands)).toBe(meant)
})

it('knows nothing where there is nothing', () => {
  expect(nearest('a', [])).toBeUndefined()
})

it('says what there is where nothing is near', () => {
  expect(suggestion('deploy', commands)).toBe('Known are init, generate, migrate, status.')
  expect(suggestion('mirgate', commands)).toBe('Did you mean migrate?')
})
