import { defineSchema, defineTable, type TableOptions } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { logTable, looseTable } from '../support/layout.js'
import { findingsOf } from '../support/refusal.js'

const Customer = defineTable('Customer', (t) => ({
  region: t.string().key(),
  customerId: t.int64().key(),
  email: t.string({ name: 'e_mail' }),
}))

/** A table with options that the compiler does not check. */
const log = (options: TableOptions) =>
  logTable(
    (t) => ({
      id: t.uuidV4(),
      region: t.string(),
      customerId: t.int64(),
      total: t.numeric(),
      at: t.timestamp({ nullable: true }),
      tags: t.array({ kind: 'string', length: 'max' }),
    }),
    options,
  )

const properties = 'id, region, customerId, total, at, tags'

describe('a check', () => {
  const positive = { name: 'Positive', expression: 'total > 0' }

  it('is kept with its SQL, one for all dialects or one for each', () => {
    const checks = [
      positive,
      {
        name: 'Short',
        expression: { googlesql: 'LENGTH(region) < 5', 'spanner-postgresql': 'length(region) < 5' },
      },
    ]
    expect(defineSchema([log({ checks })]).tables[0]!.checks).toStrictEqual(checks)
    expect(defineSchema([log({})]).tables[0]!.checks).toStrictEqual([])
  })

  it('has a name that nothing else has, in whatever case: Spanner knows one name space', () => {
    const fix = 'names differ by more than upper and lower case.'
    const clash = [
      {
        table: 'Log',
        message: 'has the same name as the constraint Positive of Log.',
        fix: `Rename the constraint POSITIVE of Log: ${fix}`,
      },
    ]
    expect(findingsOf(log({ checks: [positive, { ...positive, name: 'POSITIVE' }] }))).toStrictEqual(clash)
    const foreignKeys = [
      { name: 'POSITIVE', columns: ['region'], references: () => Customer, on: ['region'] },
    ]
    expect(findingsOf(Customer, log({ checks: [positive], foreignKeys }))).toStrictEqual(clash)

    const other = (name: string) =>
      looseTable('Other', (t) => ({ id: t.uuidV4() }), { checks: [{ name, expression: 'TRUE' }] })
    expect(findingsOf(log({ checks: [positive] }), other('positive'))).toStrictEqual([
      {
        table: 'Other',
        message: 'has the same name as the constraint Positive of Log.',
        fix: `Rename the constraint positive of Other: ${fix}`,
      },
    ])
    expect(findingsOf(log({}), other('LOG'))).toMatchObject([
      { table: 'Other', message: 'has the same name as the table Log.' },
    ])
    expect(findingsOf(other('Other'))).toMatchObject([{ table: 'Other' }])
  })
})

describe('a foreign key', () => {
  const references = () => Customer

  it('refers to the primary key, unless it says to what, and has a name that says what it is', () => {
    const foreignKeys = [
      { columns: ['region', 'customerId'], references },
      {
        name: 'Named',
        columns: ['region'],
        references,
        on: ['email'],
        onDelete: 'cascade',
        enforced: false,
      } as const,
      { columns: ['total'], references, on: ['customerId'], enforced: true },
    ]
    // A type that does not fit is the next test's.
    foreignKeys.pop()
    expect(defineSchema([Customer, log({ foreignKeys })]).tables[1]!.foreignKeys).toStrictEqual([
      {
        name: 'Log_region_customerId_fk',
        columns: ['region', 'customerId'],
        table: 'Customer',
        references: ['region', 'customerId'],
        onDelete: 'no action',
      },
      {
        name: 'Named',
        columns: ['region'],
        table: 'Customer',
        references: ['email'],
        onDelete: 'cascade',
        enforced: false,
      },
    ])
  })

  it('may refer to its own table, and to one that refers back', () => {
    const Node: object = defineTable(
      'Node',
      (t) => ({ id: t.uuidV4(), parentId: t.uuid({ nullable: true }) }),
      {
        foreignKeys: [{ columns: ['parentId'], references: () => Node }],
      },
    )
    const Leaf: object = defineTable('Leaf', (t) => ({ id: t.uuidV4(), twin: t.uuid() }), {
      foreignKeys: [{ columns: ['twin'], references: () => Twin }],
    })
    const Twin: object = defineTable('Twin', (t) => ({ other: t.uuid(), twinId: t.uuidV4() }), {
      primaryKey: ['twinId'],
      foreignKeys: [{ columns: ['other'], references: () => Leaf }],
    })
    const keys = defineSchema([Node, Leaf, Twin]).tables.flatMap(({ foreignKeys }) => foreignKeys)
    expect(keys.map(({ name, table, references: to }) => [name, table, to])).toStrictEqual([
      ['Node_parentId_fk', 'Node', ['id']],
      ['Leaf_twin_fk', 'Twin', ['twinId']],
      ['Twin_other_fk', 'Leaf', ['id']],
    ])
  })

  it("refers to a child's whole key, its parent's parts first", () => {
    const Child = defineTable(
      'Child',
      (t) => ({ line: t.int64().key(), region: t.parentKey<string>(), customerId: t.parentKey<bigint>() }),
      { interleaveIn: () => Customer, primaryKey: ['region', 'customerId', 'line'] },
    )
    const Referring = logTable((t) => ({ id: t.uuidV4(), r: t.string(), c: t.int64(), l: t.int64() }), {
      foreignKeys: [{ columns: ['r', 'c', 'l'], references: () => Child }],
    })
    // Before the child is resolved, and after.
    for (const models of [
      [Referring, Child, Customer],
      [Customer, Child, Referring],
    ]) {
      const { tables } = defineSchema(models)
      expect(tables.find(({ name }) => name === 'Log')!.foreignKeys[0]!.references).toStrictEqual([
        'region',
        'customerId',
        'line',
      ])
    }
  })

  it('refers to a table of the schema', () => {
    expect(findingsOf(log({ foreignKeys: [{ columns: ['region'], references }] }))).toStrictEqual([
      {
        table: 'Log',
        message: 'refers to Customer, which is not in this schema.',
        fix: 'Pass that table to defineSchema as well.',
      },
    ])
    expect(
      findingsOf(log({ foreignKeys: [{ columns: ['region'], references: () => undefined as never }] })),
    ).toMatchObject([{ table: 'Log', message: 'refers to undefined, which is not in this schema.' }])
  })

  it('has as many columns on either side, and at least one', () => {
    const counts = (columns: string[], on?: string[]) =>
      findingsOf(Customer, log({ foreignKeys: [{ columns, references, ...(on && { on }) }] }))
    const fix = 'Name as many on either side: columns and on.'
    expect(counts(['region'])).toStrictEqual([
      { table: 'Log', message: 'has the foreign key Log_region_fk of 1 columns to 2 of Customer.', fix },
    ])
    expect(counts(['region', 'customerId'], ['region'])).toStrictEqual([
      {
        table: 'Log',
        message: 'has the foreign key Log_region_customerId_fk of 2 columns to 1 of Customer.',
        fix,
      },
    ])
    expect(counts([], [])).toStrictEqual([
      {
        table: 'Log',
        message: 'has the foreign key Log_fk of no columns.',
        fix: 'Name them: columns: [...].',
      },
    ])
  })

  it('is over columns, on either side', () => {
    const foreignKeys = [{ columns: ['area', 'customerId'], references, on: ['region', 'number'] }]
    expect(findingsOf(Customer, log({ foreignKeys }))).toStrictEqual([
      {
        table: 'Log',
        column: 'area',
        message: 'is in the foreign key Log_area_customerId_fk, but is not a column.',
        fix: `Choose from ${properties}.`,
      },
      {
        table: 'Log',
        column: 'customerId',
        message: 'refers to Customer.number, which is not a column.',
        fix: 'Choose from region, customerId, email.',
      },
    ])
    // Names in the database are not what a model goes by.
    expect(
      findingsOf(Customer, log({ foreignKeys: [{ columns: ['region'], references, on: ['e_mail'] }] })),
    ).toMatchObject([{ column: 'region', message: 'refers to Customer.e_mail, which is not a column.' }])
  })

  it('is over columns of the same types', () => {
    const foreignKeys = [
      { columns: ['total', 'tags'], references },
      { columns: ['customerId'], references, on: ['email'] },
    ]
    const fix = 'Both sides have the same type.'
    expect(findingsOf(Customer, log({ foreignKeys }))).toStrictEqual([
      {
        table: 'Log',
        column: 'total',
        message: 'of type numeric refers to Customer.region of type string.',
        fix,
      },
      {
        table: 'Log',
        column: 'tags',
        message: 'of type array of string refers to Customer.customerId of type int64.',
        fix,
      },
      {
        table: 'Log',
        column: 'customerId',
        message: 'of type int64 refers to Customer.email of type string.',
        fix,
      },
    ])
  })

  it('goes by the type, however a row shows it', () => {
    const Shown = logTable(
      (t) => ({ id: t.uuidV4(), region: t.string({ length: 9 }), who: t.int64({ as: 'number' }) }),
      {
        foreignKeys: [{ columns: ['region', 'who'], references }],
      },
    )
    expect(defineSchema([Customer, Shown]).tables).toHaveLength(2)
  })
})

describe('the deletion of old rows', () => {
  it('goes by a timestamp, so many days after it', () => {
    for (const days of [0, 30]) {
      const rowDeletion = { property: 'at', days }
      expect(defineSchema([log({ rowDeletion })]).tables[0]!.rowDeletion).toStrictEqual(rowDeletion)
    }
    expect(defineSchema([log({})]).tables[0]).not.toHaveProperty('rowDeletion')
  })

  it.each(['total', 'region', 'seen'])('does not go by %s', (property) => {
    expect(findingsOf(log({ rowDeletion: { property, days: 1 } }))).toStrictEqual([
      {
        table: 'Log',
        column: property,
        message: 'is what rowDeletion goes by, but is not a timestamp column.',
        fix: `Choose a timestamp from ${properties}.`,
      },
    ])
  })

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('is not %d days after it', (days) => {
    expect(findingsOf(log({ rowDeletion: { property: 'at', days } }))).toStrictEqual([
      {
        table: 'Log',
        column: 'at',
        message: `is to be deleted after ${days} days.`,
        fix: 'Days are a whole number from 0.',
      },
    ])
  })
})

describe('the expected load', () => {
  it('is kept as it was said', () => {
    const expected = { writesPerSecond: 0.5, rowBytes: 200, nodes: 3 }
    expect(defineSchema([log({ workload: expected })]).tables[0]!.workload).toStrictEqual(expected)
    expect(defineSchema([log({})]).tables[0]).not.toHaveProperty('expect')
  })

  it.each([
    ['onDelete', { onDelete: 'cascade' }],
    ['requireParent', { requireParent: false }],
    ['workload.childrenPerRow', { workload: { childrenPerRow: 5 } }],
    ['workload.writesPerRootRow', { workload: { writesPerRootRow: 5 } }],
  ] as const)('says nothing of a parent that there is not, such as %s', (option, options) => {
    expect(findingsOf(log(options))).toStrictEqual([
      {
        table: 'Log',
        message: `has ${option}, and is interleaved in no table.`,
        fix: `Leave ${option} out, or add interleaveIn: () => Parent.`,
      },
    ])
  })

  it.each(['writesPerSecond', 'rowBytes', 'childrenPerRow', 'writesPerRootRow', 'nodes'])(
    'of %s is a number from 0',
    (name) => {
      for (const value of [-1, -0.001, Number.NaN, Number.POSITIVE_INFINITY, '5', null]) {
        expect(findingsOf(log({ workload: { [name]: value } }))).toStrictEqual([
          {
            table: 'Log',
            message: `workload.${name} is ${typeof value === 'string' ? `'${value}'` : String(value)}.`,
            fix: 'Give a number from 0.',
          },
        ])
      }
    },
  )
})

describe('a parent that need not be there', () => {
  const child = (requireParent?: boolean) =>
    looseTable(
      'Child',
      (t) => ({ region: t.parentKey(), customerId: t.parentKey(), line: t.int64().key() }),
      { interleaveIn: () => Customer, ...(requireParent !== undefined && { requireParent }) },
    )

  it('is said of the interleaving, and only then', () => {
    const parentOf = (requireParent?: boolean) =>
      defineSchema([Customer, child(requireParent)]).tables[1]!.parent
    expect(parentOf(false)).toStrictEqual({ table: 'Customer', onDelete: 'no action', required: false })
    expect(parentOf(true)).toStrictEqual({ table: 'Customer', onDelete: 'no action' })
    expect(parentOf()).toStrictEqual({ table: 'Customer', onDelete: 'no action' })
  })
})
