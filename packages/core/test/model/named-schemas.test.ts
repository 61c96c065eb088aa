import { defineSchema, defineTable, type SchemaFinding } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { logTable, looseTable } from '../support/layout.js'
import { findingsOf, findingsWith } from '../support/refusal.js'

const Log = logTable((t) => ({ id: t.uuidV4() }))

const named = (name: string) => defineTable(name, (t) => ({ id: t.uuidV4() }))

describe('defineSchema() with tables in named schemas', () => {
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

  it('keeps a table name of the form sales.Order', () => {
    expect(order.name).toBe('sales.Order')
  })

  it('puts default names of indexes and sequences into the named schema of their table', () => {
    expect(order.indexes.map(({ name }) => name)).toStrictEqual(['sales.Order_at', 'sales.ByBuyer'])
    expect(schema.sequences).toStrictEqual([{ name: 'sales.Order_id_seq' }])
    expect(order.columns[0]!.source).toStrictEqual({
      kind: 'bit-reversed',
      from: 'sequence',
      sequence: 'sales.Order_id_seq',
    })
  })

  it('names the column of an index shard without the named schema of the table', () => {
    expect(order.indexes[0]!.shard!.column).toBe('Order_at_shard')
  })

  it('lists each named schema of tables, sequences and views once, after the declared named schemas', () => {
    expect(schema.namespaces).toStrictEqual(['sales'])
    const several = defineSchema([named('sales.A'), named('hr.B'), named('sales.C'), Log], {
      namespaces: ['empty', 'hr'],
      sequences: [{ name: 'counters.ids' }],
      views: [{ name: 'reports.Daily', query: 'SELECT 1' }],
    })
    expect(several.namespaces).toStrictEqual(['empty', 'hr', 'sales', 'counters', 'reports'])
  })

  it('accepts equal table names in two named schemas, but rejects names that differ only in case', () => {
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

  it('names foreign keys of equally named tables in two named schemas differently', () => {
    const referring = (name: string) =>
      defineTable(name, (t) => ({ id: t.uuidV4(), log: t.uuid() }), {
        foreignKeys: [{ columns: ['log'], references: () => Log }],
      })
    const { tables } = defineSchema([Log, referring('sales.Order'), referring('hr.Order')])
    const names = tables.flatMap(({ foreignKeys }) => foreignKeys.map(({ name }) => name))
    // All constraints share one name space, regardless of the named schema of their tables.
    expect(new Set(names).size).toBe(2)
    for (const name of names) expect(name).toMatch(/^\w+$/)
  })
})

const twoDots = 'a.b.c'
const refused = {
  message: 'has the name "a.b.c", which contains more than one dot.',
  fix: "One dot separates the named schema from the name: 'sales.Order'.",
}

/** A declaration of each kind of object under a name, and the table and column that its finding names. */
const positions: readonly (readonly [
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

describe.each(positions)('defineSchema() with the name of %s', (_, findings, position) => {
  it('rejects a name with more than one dot', () => {
    expect(findings(twoDots)).toStrictEqual([{ table: twoDots, ...refused, ...position }])
  })

  it('cuts a long name to 140 characters in the message', () => {
    const [finding] = findings(`a.b.${'c'.repeat(200)}`)
    expect(finding!.message).toBe(`has the name "a.b.${'c'.repeat(136)}", which contains more than one dot.`)
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
  ])('rejects the name %j, because the part before or after the dot is not valid', (name, part) => {
    expect(findings(name)).toContainEqual({
      table: name,
      message: `has the name ${JSON.stringify(part)}, which some databases do not support.`,
      fix: 'A name starts with a letter and has up to 128 letters, digits and underscores.',
      ...position,
    })
  })
})

it('defineSchema() accepts a name with 128 characters before and after the dot', () => {
  const longest = 'a'.repeat(128)
  expect(defineSchema([named(`${longest}.${longest}`)]).namespaces).toStrictEqual([longest])
})

describe('defineSchema() with names of named schemas and constraints', () => {
  const fix = 'A name starts with a letter and has up to 128 letters, digits and underscores.'

  it.each(['sales.eu', '', '1a', 'a b', 'a`b'])('rejects %j as the name of a named schema', (namespace) => {
    expect(findingsWith({ namespaces: [namespace] }, Log)).toStrictEqual([
      {
        table: namespace,
        message: `has the name ${JSON.stringify(namespace)}, which some databases do not support.`,
        fix,
      },
    ])
  })

  it.each(['sales.Positive', '', '1a', "a'b"])(
    'rejects %j as the name of a CHECK constraint or a foreign key',
    (name) => {
      const message = `has the name ${JSON.stringify(name)}, which some databases do not support.`
      const checked = looseTable('sales.Log', (t) => ({ id: t.uuidV4() }), {
        checks: [{ name, expression: 'TRUE' }],
      })
      expect(findingsOf(checked)).toStrictEqual([{ table: 'sales.Log', message, fix }])
      const referring = looseTable('sales.Log', (t) => ({ id: t.uuidV4() }), {
        foreignKeys: [{ name, columns: ['id'], references: () => Log }],
      })
      expect(findingsOf(Log, referring)).toStrictEqual([{ table: 'sales.Log', message, fix }])
    },
  )
})
