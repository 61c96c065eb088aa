import { type PlainRow, CompiledTables } from '@isotherm/core/tools'
import { defineSchema, defineTable, type CostProfile, type IncludeOptions } from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { compileWhere } from '../../../src/rows/filter.js'
import type { ChildSelection } from '../../../src/layout/statement.js'
import { totalOrder } from '../../../src/read/plan/order.js'
import { FanOutQuery } from '../../../src/read/query.js'
import { dialects } from '../../support/layout.js'
import { memoryDriver } from '../support/memory.js'

// How children are read, and the text of the statements that read them.

const Shop = defineTable('Shop', (t) => ({
  shard: t.shardKey({ shards: 4, of: ['id'] }),
  id: t.uuidV4({ storage: 'int64-pair' }),
  rating: t.float64().key(),
}))
const shop = (t: Parameters<Parameters<typeof defineTable>[1]>[0]) => ({
  shard: t.parentKey<bigint>(),
  id: t.parentKey<string>(),
  rating: t.parentKey<number>(),
})
const Sale = defineTable(
  'Sale',
  (t) => ({ ...shop(t), at: t.timestamp().key(), sale: t.string({ nullable: true }) }),
  { interleaveIn: () => Shop, onDelete: 'cascade' },
)
const Visit = defineTable('Visit', (t) => ({ ...shop(t), at: t.descTimestamp() }), {
  interleaveIn: () => Shop,
  onDelete: 'cascade',
})
const Few = defineTable('Few', (t) => ({ ...shop(t), few: t.int64().key() }), {
  interleaveIn: () => Shop,
  onDelete: 'cascade',
  workload: { childrenPerRow: 2 },
})
const schema = defineSchema([Shop, Sale, Visit, Few])

const parents = [
  ['1', '2', '3', 'NaN'],
  ['0', '5', '6', 1.5],
] as const

const sales = {
  googlesql:
    'SELECT `shard`, `id_high`, `id_low`, `rating`, `at`, `sale`' +
    ' FROM UNNEST(@p1) AS _parent WITH OFFSET AS _at, UNNEST(ARRAY(' +
    'SELECT AS STRUCT _row.`shard`, _row.`id_high`, _row.`id_low`, _row.`rating`, _row.`at`, _row.`sale`' +
    ' FROM `Sale` AS _row WHERE _row.`shard` = _parent AND _row.`id_high` = @p2[OFFSET(_at)]' +
    ' AND _row.`id_low` = @p3[OFFSET(_at)]' +
    ' AND (_row.`rating` = @p4[OFFSET(_at)] OR (IS_NAN(_row.`rating`) AND IS_NAN(@p4[OFFSET(_at)])))' +
    ' AND STARTS_WITH(_row.`sale`, @p5) ORDER BY _row.`at` DESC LIMIT @p6))',
  'spanner-postgresql':
    'SELECT "shard", "id_high", "id_low", "rating", "at", "sale" FROM (' +
    '(SELECT "shard", "id_high", "id_low", "rating", "at", "sale" FROM "Sale"' +
    ' WHERE "shard" = $3 AND "id_high" = $4 AND "id_low" = $5 AND "rating" = $6' +
    ' AND starts_with("sale", $1) ORDER BY "at" DESC LIMIT $2) UNION ALL ' +
    '(SELECT "shard", "id_high", "id_low", "rating", "at", "sale" FROM "Sale"' +
    ' WHERE "shard" = $7 AND "id_high" = $8 AND "id_low" = $9 AND "rating" = $10' +
    ' AND starts_with("sale", $1) ORDER BY "at" DESC LIMIT $2)) AS children',
}

const values = {
  googlesql: [['1', '0'], ['2', '5'], ['3', '6'], ['NaN', 1.5], 'a', '3'],
  'spanner-postgresql': ['a', '3', '1', '2', '3', 'NaN', '0', '5', '6', 1.5],
}

describe.each(dialects)('include() plans in $name', (dialect) => {
  const tables = new CompiledTables(schema, dialect)
  const { layout } = tables.of('Sale')
  const selection: ChildSelection = {
    layout,
    parentKey: layout.key.slice(0, 4).map(({ column }) => column),
    parents,
    condition: compileWhere(layout, { sale: { startsWith: 'a' } }),
    order: totalOrder(layout, [{ property: 'at', direction: 'desc' }]).slice(0, 1),
    limit: 3,
  }

  it('selectPerParent() writes a statement with the filter, the order and the limit for each parent', () => {
    const { text, parameters } = dialect.sql.statements.selectPerParent(selection)
    expect(text).toBe(sales[dialect.name])
    expect(parameters.map(({ value }) => value)).toStrictEqual(values[dialect.name])
    expect(parameters.map(({ name }) => name)).toStrictEqual(parameters.map((_, at) => `p${at + 1}`))
  })

  const plan = (
    options: IncludeOptions<PlainRow>,
    costs: Partial<CostProfile> = {},
    child = 'Sale',
    rows = 50,
  ) => {
    const driver = memoryDriver(tables.of('Shop'), [])
    return FanOutQuery.over<PlainRow>(
      { driver: { ...driver, costs: { ...driver.costs, ...costs } }, tables },
      tables.of('Shop'),
    )
      .limit(rows)
      .include('children', child, options)
      .explain()
  }
  const scanning = { statementsScan: true }

  it.each<[string, 'read' | 'statement', IncludeOptions<PlainRow>, Partial<CostProfile>, string, string]>([
    ['all children', 'read', {}, {}, 'Sale', 'all are wanted, and one read takes many key ranges'],
    [
      'a few children of each row',
      'statement',
      { limit: 3 },
      {},
      'Sale',
      'the limit is pushed into each row',
    ],
    [
      'a few matching children of each row',
      'statement',
      { limit: 3, where: { sale: 'a' } },
      {},
      'Sale',
      'the limit is pushed into each row',
    ],
    [
      'all matching children',
      'statement',
      { where: { sale: 'a' } },
      {},
      'Sale',
      'the database leaves out what the filter does not want',
    ],
    [
      'children in a key range',
      'read',
      { where: { at: { gte: new Date(0) } } },
      {},
      'Sale',
      'reading all of them costs less than a statement',
    ],
    [
      'one of about two children per row',
      'read',
      { limit: 1 },
      { range: 0.01 },
      'Few',
      'reading all of them costs less than a statement',
    ],
    [
      'a few children, on an engine whose statements scan the table,',
      'read',
      { limit: 3 },
      scanning,
      'Sale',
      'statements would scan the whole table',
    ],
  ])('fetches %s with the strategy %s', (_, strategy, options, costs, child, reason) => {
    const { includes, snapshot } = plan(options, costs, child, child === 'Few' ? 1 : 50)
    expect(includes).toMatchObject([{ name: 'children', table: child, strategy, reason }])
    expect(snapshot).toBe(true)
  })

  it('explain() shows the filter, the order and the limit of an include, as data and as text', () => {
    const shown = plan({ limit: 2, where: { at: { gte: new Date(0) } }, orderBy: ['sale', 'desc'] }, scanning)
    const { filter, order, limit, includes } = shown.includes![0]!
    expect({ filter, order, limit, includes }).toStrictEqual({
      filter: ['at', 'gte', '1970-01-01T00:00:00.000000000Z'],
      order: [
        { property: 'sale', order: 'desc' },
        { property: 'at', order: 'asc' },
      ],
      limit: 2,
      includes: [],
    })
    expect(String(shown)).toContain(
      [
        '',
        'include   children from Sale by read: statements would scan the whole table',
        '  filter ["at","gte","1970-01-01T00:00:00.000000000Z"]',
        '  order sale desc, at asc',
        '  limit 2',
        '',
      ].join('\n'),
    )
    expect(JSON.parse(JSON.stringify(shown.includes))).toStrictEqual(shown.includes)
  })
})

describe('statements for children in the PostgreSQL dialect', () => {
  const { statements } = spannerPostgresql.sql
  const { layout } = new CompiledTables(schema, spannerPostgresql).of('Sale')
  const parentKey = layout.key.slice(0, 4).map(({ column }) => column)
  const per = (filter: PlainRow) =>
    statements.parentsPerStatement({ layout, parentKey, order: [], condition: compileWhere(layout, filter) })

  it('parentsPerStatement() returns as many parents as the limits of operators and parameters allow', () => {
    // Four comparisons joined by three ANDs, and an empty filter of one more.
    expect(per({})).toBe(Math.floor(1000 / 8))
    expect(per({ sale: 'a' })).toBe(Math.floor(1000 / 9))
    expect(per({ OR: Array.from({ length: 500 }, () => ({ sale: 'a' })) })).toBe(1)
    expect(statements.parentsPerStatement({ layout, parentKey: parentKey.slice(0, 1), order: [] })).toBe(200)
  })

  it('selectPerParent() writes no NULL comparison for key parts', () => {
    const { text } = statements.selectPerParent({ layout, parentKey, order: [], parents })
    expect(text).not.toContain('NULL')
  })
})

describe('statements for children in GoogleSQL', () => {
  it('selectPerParent() compares a key part with NULL only when a parent has NULL in it', () => {
    const { layout } = new CompiledTables(schema, googlesql).of('Visit')
    const [first] = layout.key.map(({ column }) => column)
    const statement = (value: string | null) =>
      googlesql.sql.statements.selectPerParent({
        layout,
        order: [],
        parentKey: [first!],
        parents: [[value], ['1']],
      })
    expect(statement('2').text).toContain('WHERE `shard` = _parent)')
    expect(statement(null).text).toContain(
      'WHERE (`shard` = _parent OR (`shard` IS NULL AND _parent IS NULL)))',
    )
  })
})
