import { defineSchema, defineTable, type SchemaFinding } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { logTable, looseTable } from '../support/layout.js'
import { findingsOf, findingsWith } from '../support/refusal.js'

const Log = logTable((t) => ({ id: t.uuidV4() }))

const named = (name: string) => defineTable(name, (t) => ({ id: t.uuidV4() }))

describe('a name in a named schema', () => {
  const Order = defineTable(
    'sales.Order',
    (t) => ({
      id: t.bitReversedId({ from: 'sequence' }),
      at: t.timestamp(),
      buyer: t.uuid(),
    }),
    {
      indexes: [
        { on: ['at'], shard: { shards: 4, of: ['id'] } },
        { on: ['buyer'], name: 'sales.ByBuyer' },
      ],
      foreignKeys: [{ columns: ['buyer'], references: () => Log }],
    },
  )
  const schema = defineSchema([Log, Order])
  const order = schema.tables[1]!

  it('is that of the table, with one dot', () => {
    expect(order.name).toBe('sales.Order')
  })

  it('is that of its indexes and sequences as well, where they do not say theirs', () => {
    expect(order.indexes.map(({ name }) => name)).toStrictEqual(['sales.Order_at', 'sales.ByBuyer'])
    expect(schema.sequences).toStrictEqual([{ name: 'sales.Order_id_seq' }])
    expect(order.columns[0]!.source).toStrictEqual({
      kind: 'bit-reversed',
      from: 'sequence',
      sequence: 'sales.Order_id_seq',
    })
  })

  it('is not that of columns', () => {
    expect(order.indexes[0]!.shard!.column).toBe('Order_at_shard')
  })

  it('brings the named schema along, once', () => {
    expect(schema.namespaces).toStrictEqual(['sales'])
    const several = defineSchema([named('sales.A'), named('hr.B'), named('sales.C'), Log], {
      namespaces: ['empty', 'hr'],
      sequences: [{ name: 'counters.ids' }],
      views: [{ name: 'reports.Daily', query: 'SELECT 1' }],
    })
    expect(several.namespaces).toStrictEqual(['empty', 'hr', 'sales', 'counters', 'reports'])
  })

  it('tells tables apart that are called the same elsewhere', () => {
    expect(defineSchema([named('Order'), named('sales.Order'), named('hr.Order')]).tables).toHaveLength(3)
    const fix = 'names differ by more than upper and lower case.'
    expect(findingsOf(named('sales.Order'), named('sales.ORDER'))).toStrictEqual([
      {
        table: 'sales.ORDER',
        message: 'has the same name as the table sales.Order.',
        fix: `Rename the table sales.ORDER: ${fix}`,
      },
    ])
    expect(findingsOf(named('sales.Order'), named('Sales.Line'))).toStrictEqual([
      {
        table: 'Sales',
        message: 'has the same name as the named schema sales.',
        fix: `Rename the named schema Sales: ${fix}`,
      },
    ])
  })

  it("gives a foreign key a name that another named schema's tables do not have", () => {
    const referring = (name: string) =>
      defineTable(name, (t) => ({ id: t.uuidV4(), log: t.uuid() }), {
        foreignKeys: [{ columns: ['log'], references: () => Log }],
      })
    const { tables } = defineSchema([Log, referring('sales.Order'), referring('hr.Order')])
    const names = tables.flatMap(({ foreignKeys }) => foreignKeys.map(({ name }) => name))
    // Constraints share one name space, whatever the named schema of their tables.
    expect(new Set(names).size).toBe(2)
    for (const name of names) expect(name).toMatch(/^\w+$/)
  })
})

const twoDots = 'a.b.c'
const refused = {
  message: 'has the name "a.b.c", with more than one dot.',
  fix: "One dot parts the named schema from the name: 'sales.Order'.",
}

/** A declaration of each kind of object under a name, and the place that a finding names. */
const places: readonly (readonly [
  string,
  (name: string) => readonly SchemaFinding[],
  Partial<SchemaFinding>,
])[] = [
  ['a table', (name) => findingsOf(named(name)), {}],
  [
    'an index',
    (name) =>
      findingsOf(
        logTable((t) => ({ id: t.uuidV4(), page: t.string() }), { indexes: [{ name, on: ['page'] }] }),
      ),
    { table: 'Log' },
  ],
  [
    "a column's sequence",
    (sequence) => findingsOf(logTable((t) => ({ id: t.bitReversedId({ from: 'sequence', sequence }) }))),
    { table: 'Log', column: 'id' },
  ],
  ['a sequence', (name) => findingsWith({ sequences: [{ name }] }, Log), {}],
  ['a view', (name) => findingsWith({ views: [{ name, query: 'SELECT 1' }] }, Log), {}],
  ['a change stream', (name) => findingsWith({ changeStreams: [{ name }] }, Log), {}],
]

describe.each(places)('the name of %s', (_, findings, place) => {
  it('has one dot at most', () => {
    expect(findings(twoDots)).toStrictEqual([{ table: twoDots, ...refused, ...place }])
  })

  it('is not repeated in full where it is long', () => {
    const [finding] = findings(`a.b.${'c'.repeat(200)}`)
    expect(finding!.message).toBe(`has the name "a.b.${'c'.repeat(136)}", with more than one dot.`)
  })

  it.each([
    ['sales.', ''],
    ['.Order', ''],
    ['.', ''],
    ['1.Order', '1'],
    ['sales.1', '1'],
    ['sa les.Order', 'sa les'],
    ["sales.O'Order", "O'Order"],
    ['sales.`Order`', '`Order`'],
    [`sales.${'a'.repeat(129)}`, 'a'.repeat(129)],
    [`${'a'.repeat(129)}.Order`, 'a'.repeat(129)],
  ])('is a name on either side of the dot: not %j', (name, part) => {
    expect(findings(name)).toContainEqual({
      table: name,
      message: `has the name ${JSON.stringify(part)}, which not every database takes.`,
      fix: 'A name starts with a letter and has up to 128 letters, digits and underscores.',
      ...place,
    })
  })
})

it('either side of a dot may be as long as a name', () => {
  const longest = 'a'.repeat(128)
  expect(defineSchema([named(`${longest}.${longest}`)]).namespaces).toStrictEqual([longest])
})

describe('what is in no named schema', () => {
  const fix = 'A name starts with a letter and has up to 128 letters, digits and underscores.'

  it.each(['sales.eu', '', '1a', 'a b', 'a`b'])('is refused as a named schema itself: %j', (namespace) => {
    expect(findingsWith({ namespaces: [namespace] }, Log)).toStrictEqual([
      {
        table: namespace,
        message: `has the name ${JSON.stringify(namespace)}, which not every database takes.`,
        fix,
      },
    ])
  })

  it.each(['sales.Positive', '', '1a', "a'b"])('is refused as a constraint: %j', (name) => {
    const message = `has the name ${JSON.stringify(name)}, which not every database takes.`
    const checked = looseTable('sales.Log', (t) => ({ id: t.uuidV4() }), {
      checks: [{ name, expression: 'TRUE' }],
    })
    expect(findingsOf(checked)).toStrictEqual([{ table: 'sales.Log', message, fix }])
    const referring = looseTable('sales.Log', (t) => ({ id: t.uuidV4() }), {
      foreignKeys: [{ name, columns: ['id'], references: () => Log }],
    })
    expect(findingsOf(Log, referring)).toStrictEqual([{ table: 'sales.Log', message, fix }])
  })
})
