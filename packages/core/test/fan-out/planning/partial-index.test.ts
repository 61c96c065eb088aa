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

describe.each(dialects)('an index in $name that leaves rows out', (dialect) => {
  const table = new CompiledTables(schema, dialect).of('Log')
  const read = (name: string, where?: Filter) => () =>
    refusePartialIndex(
      table,
      table.layout.indexes.find(({ index }) => index.name === name)!,
      where && compileWhere(table.layout, where),
    )

  it.each<[string, string, Filter]>([
    ['a filter that leaves them out', 'WithPage', { page: { ne: null } }],
    ['a value', 'WithPage', { page: 'a' }],
    ['a comparison', 'WithPage', { page: { gte: 'a' } }],
    ['another value', 'WithPage', { page: { ne: 'a' } }],
    ['a list', 'WithPage', { page: { in: ['a', 'b'] } }],
    ['no value at all', 'WithPage', { page: { in: [] } }],
    ['a beginning', 'WithPage', { page: { startsWith: '' } }],
    [
      'one of several that all have to hold',
      'WithPage',
      { ratio: null, AND: [{ count: 1n }, { page: 'a' }] },
    ],
    [
      'each of several of which one has to hold',
      'WithPage',
      { OR: [{ page: 'a' }, { page: { gt: 'b' }, count: 1n }] },
    ],
    ['every part', 'WithBoth', { page: { ne: null }, ratio: { lt: 1 } }],
  ])('is read with %s', (_, index, where) => {
    expect(read(index, where)).not.toThrow()
  })

  it('is read without a filter where no part of it can be NULL', () => {
    expect(read('Filtered')).not.toThrow()
  })

  it('is told from one that leaves none out', () => {
    expect(read('Whole')).not.toThrow()
    expect(read('Whole', { page: null })).not.toThrow()
  })

  it.each<[string, Filter | undefined]>([
    ['no filter', undefined],
    ['an empty one', {}],
    ['NULL itself', { page: null }],
    ['another property', { ratio: 1, count: 1n }],
    ['not a value, which NULL is neither', { NOT: { page: 'a' } }],
    ['not NULL, twice turned round', { NOT: { NOT: { page: { ne: null } } } }],
    ['not in a list', { page: { notIn: [] } }],
    ['one of several, not all of which leave it out', { OR: [{ page: 'a' }, { count: 1n }] }],
    ['one of none', { OR: [] }],
    ['all of none', { AND: [] }],
  ])('is not read with %s', (_, where) => {
    const error = refusal(read('WithPage', where))
    expect(error).toMatchObject({ code: 'INVALID_QUERY', table: 'Log' })
    expect(error.message).toBe(
      'Log cannot be read by WithPage alone, which leaves out rows in which page is NULL. ' +
        'Leave them out as well: where({ page: { ne: null } }).',
    )
  })

  it('names each of the properties, but those that are never NULL or left out already', () => {
    expect(refusal(read('WithBoth')).message).toBe(
      'Log cannot be read by WithBoth alone, which leaves out rows in which page or ratio is NULL. ' +
        'Leave them out as well: where({ page: { ne: null }, ratio: { ne: null } }).',
    )
    expect(refusal(read('WithBoth', { page: 'a' })).message).toBe(
      'Log cannot be read by WithBoth alone, which leaves out rows in which ratio is NULL. ' +
        'Leave them out as well: where({ ratio: { ne: null } }).',
    )
  })

  describe('in a query', () => {
    const logs = FanOutQuery.over<Record<string, unknown>>(servicesOf(memoryDriver(table, []), table), table)

    it('is refused when the query is run, whose filter may still come', async () => {
      const asked = logs.useIndex('WithPage')
      expect(refusal(() => asked.explain())).toMatchObject({ code: 'INVALID_QUERY' })
      await expect(asked.all()).rejects.toMatchObject({ code: 'INVALID_QUERY' })
      await expect(asked.page()).rejects.toMatchObject({ code: 'INVALID_QUERY' })
      expect(asked.where({ page: 'a' }).explain().index).toBe('WithPage')
    })

    it('is never taken by the planner', () => {
      const byPage = logs.orderBy('page').orderBy('ratio').limit(10)
      expect(byPage.explain().index).toBe('Whole')
      expect(byPage.where({ page: { ne: null } }).explain().index).toBe('Whole')
      expect(logs.orderBy('count').limit(10).explain().index).toBeUndefined()
    })

    it('that is none is refused by name', () => {
      const error = refusal(() => logs.useIndex('ByPage'))
      expect(error).toMatchObject({ code: 'INVALID_QUERY', table: 'Log' })
      expect(error.message).toBe(
        'Log has no index "ByPage". Choose from WithPage, Whole, WithBoth, Filtered.',
      )
    })
  })
})
