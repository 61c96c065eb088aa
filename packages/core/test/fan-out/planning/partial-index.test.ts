import { defineSchema } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { CompiledTables } from '../../../src/rows/compiled-table.js'
import { compileWhere } from '../../../src/rows/filter.js'
import { refusePartialIndex } from '../../../src/read/plan/access-path.js'
import { FanOutQuery } from '../../../src/read/query.js'
import { dialects, logTable } from '../../support/layout.js'
import { refusal } from '../../support/refusal.js'
import { memoryDriver, servicesOf } from '../support/memory.js'
import type { Filter } from '../support/tables.js'

const schema = defineSchema([
  logTable(
    (t) => ({
      id: t.uuidV4(),
      page: t.string({ nullable: true }),
      ratio: t.float64({ nullable: true }),
      count: t.int64(),
    }),
    {
      indexes: [
        { name: 'WithPage', on: ['page', 'ratio'], notNull: ['page'], storing: ['count'] },
        { name: 'Whole', on: ['page', 'ratio'], storing: ['count'] },
        { name: 'WithBoth', on: ['page', 'count', 'ratio'], nullFiltered: true },
        { name: 'Filtered', on: ['count'], nullFiltered: true, storing: ['page', 'ratio'] },
      ],
    },
  ),
])

describe.each(dialects)('a partial index in $name', (dialect) => {
  const table = new CompiledTables(schema, dialect).of('Log')
  const read = (name: string, where?: Filter) => () =>
    refusePartialIndex(
      table,
      table.layout.indexes.find(({ index }) => index.name === name)!,
      where && compileWhere(table.layout, where),
    )

  it.each<[string, string, Filter]>([
    ['the condition that a property is not NULL', 'WithPage', { page: { ne: null } }],
    ['an equality', 'WithPage', { page: 'a' }],
    ['a comparison', 'WithPage', { page: { gte: 'a' } }],
    ['an inequality with a value', 'WithPage', { page: { ne: 'a' } }],
    ['a list of values', 'WithPage', { page: { in: ['a', 'b'] } }],
    ['an empty list of values', 'WithPage', { page: { in: [] } }],
    ['a prefix', 'WithPage', { page: { startsWith: '' } }],
    [
      'AND and one condition that excludes NULL',
      'WithPage',
      { ratio: null, AND: [{ count: 1n }, { page: 'a' }] },
    ],
    [
      'OR and conditions that all exclude NULL',
      'WithPage',
      { OR: [{ page: 'a' }, { page: { gt: 'b' }, count: 1n }] },
    ],
    [
      'conditions that exclude NULL in both nullable properties',
      'WithBoth',
      { page: { ne: null }, ratio: { lt: 1 } },
    ],
  ])('is accepted for a query with %s', (_, index, where) => {
    expect(read(index, where)).not.toThrow()
  })

  it('is accepted without a filter when none of its columns can be NULL', () => {
    expect(read('Filtered')).not.toThrow()
  })

  it('an index without excluded rows is accepted with any filter', () => {
    expect(read('Whole')).not.toThrow()
    expect(read('Whole', { page: null })).not.toThrow()
  })

  it.each<[string, Filter | undefined]>([
    ['no filter', undefined],
    ['an empty filter', {}],
    ['a comparison with NULL', { page: null }],
    ['conditions on other properties only', { ratio: 1, count: 1n }],
    ['NOT around an equality', { NOT: { page: 'a' } }],
    ['NOT around NOT and a condition that excludes NULL', { NOT: { NOT: { page: { ne: null } } } }],
    ['notIn and an empty list', { page: { notIn: [] } }],
    ['OR and one condition that allows NULL', { OR: [{ page: 'a' }, { count: 1n }] }],
    ['an empty OR', { OR: [] }],
    ['an empty AND', { AND: [] }],
  ])('is rejected for a query with %s', (_, where) => {
    const error = refusal(read('WithPage', where))
    expect(error).toMatchObject({ code: 'INVALID_QUERY', table: 'Log' })
    expect(error.message).toBe(
      'Log cannot be read by WithPage alone, which leaves out rows in which page is NULL. ' +
        'Leave them out as well: where({ page: { ne: null } }).',
    )
  })

  it('the error names the nullable properties whose NULLs the filter does not exclude', () => {
    expect(refusal(read('WithBoth')).message).toBe(
      'Log cannot be read by WithBoth alone, which leaves out rows in which page or ratio is NULL. ' +
        'Leave them out as well: where({ page: { ne: null }, ratio: { ne: null } }).',
    )
    expect(refusal(read('WithBoth', { page: 'a' })).message).toBe(
      'Log cannot be read by WithBoth alone, which leaves out rows in which ratio is NULL. ' +
        'Leave them out as well: where({ ratio: { ne: null } }).',
    )
  })

  describe('queries with a partial index', () => {
    const logs = FanOutQuery.over<Record<string, unknown>>(servicesOf(memoryDriver(table, []), table), table)

    it('explain(), all() and page() reject the index until where() excludes its missing rows', async () => {
      const query = logs.useIndex('WithPage')
      expect(refusal(() => query.explain())).toMatchObject({ code: 'INVALID_QUERY' })
      await expect(query.all()).rejects.toMatchObject({ code: 'INVALID_QUERY' })
      await expect(query.page()).rejects.toMatchObject({ code: 'INVALID_QUERY' })
      expect(query.where({ page: 'a' }).explain().index).toBe('WithPage')
    })

    it('the planner never chooses a partial index by itself', () => {
      const byPage = logs.orderBy('page').orderBy('ratio').limit(10)
      expect(byPage.explain().index).toBe('Whole')
      expect(byPage.where({ page: { ne: null } }).explain().index).toBe('Whole')
      expect(logs.orderBy('count').limit(10).explain().index).toBeUndefined()
    })

    it('useIndex() rejects an unknown index and lists the indexes of the table', () => {
      const error = refusal(() => logs.useIndex('ByPage'))
      expect(error).toMatchObject({ code: 'INVALID_QUERY', table: 'Log' })
      expect(error.message).toBe(
        'Log has no index "ByPage". Choose from WithPage, Whole, WithBoth, Filtered.',
      )
    })
  })
})
