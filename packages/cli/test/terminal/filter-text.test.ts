import { expect, it } from 'vitest'
import { filterText } from '../../src/terminal/filter-text.js'

it.each([
  [['userId', 'eq', '7'], 'userId = "7"'],
  [['at', 'gte', '2026-11-21T09:30:00Z'], 'at >= "2026-11-21T09:30:00Z"'],
  [['page', 'is null'], 'page is null'],
  [['page', 'starts with', '/docs'], 'page starts with "/docs"'],
  [['userId', 'in', ['7'], ['8']], 'userId in ("7", "8")'],
  [
    ['and', ['a', 'lt', '1'], ['or', ['b', 'eq', true], ['not', ['c', 'is null']]]],
    'a < "1" and (b = true or (not c is null))',
  ],
  [['or'], 'or of nothing'],
])('filterText() prints %j as %s', (filter, text) => {
  expect(filterText(filter)).toBe(text)
})
