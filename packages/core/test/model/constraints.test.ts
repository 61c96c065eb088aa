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

describe('defineSchema() with CHECK constraints', () => {
  const positive = { name: 'Positive', expression: 'total > 0' }

  it('keeps the SQL of a CHECK constraint as one text or as one text per dialect', () => {
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

  it('rejects a constraint name that equals the name of another constraint or of a table in upper or lower case', () => {
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

describe('defineSchema() with foreign keys', () => {
  const references = () => Customer

  it('lets a foreign key refer to the primary key by default, and names it after its table and columns', () => {
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
    // Another test covers a foreign key whose types differ.
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

  it('accepts a foreign key to its own table, and two tables whose foreign keys refer to each other', () => {
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

  it("lets a foreign key refer to the whole key of an interleaved child, with the parent's key parts first", () => {
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

  it('rejects a foreign key to a table outside the schema', () => {
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

  it('rejects a foreign key without columns, or with a different number of columns than it refers to', () => {
    const counts = (columns: string[], on?: string[]) =>
      findingsOf(Customer, log({ foreignKeys: [{ columns, references, ...(on && { on }) }] }))
    const fix = 'Name the same number of columns on both sides: columns and on.'
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
        message: 'has the foreign key Log_fk without columns.',
        fix: 'Name them: columns: [...].',
      },
    ])
  })

  it('rejects a foreign key with a property that is not a column of its own or of the referenced table', () => {
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
    // A model uses property names, not the names in the database.
    expect(
      findingsOf(Customer, log({ foreignKeys: [{ columns: ['region'], references, on: ['e_mail'] }] })),
    ).toMatchObject([{ column: 'region', message: 'refers to Customer.e_mail, which is not a column.' }])
  })

  it('rejects a foreign key whose columns differ in type from the referenced columns', () => {
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

  it('accepts a foreign key between columns of one type that differ in length or in their type in rows', () => {
    const Shown = logTable(
      (t) => ({ id: t.uuidV4(), region: t.string({ length: 9 }), who: t.int64({ as: 'number' }) }),
      {
        foreignKeys: [{ columns: ['region', 'who'], references }],
      },
    )
    expect(defineSchema([Customer, Shown]).tables).toHaveLength(2)
  })
})

describe('defineSchema() with rowDeletion', () => {
  it('accepts rowDeletion by a timestamp after 0 or more days, and sets no rowDeletion by default', () => {
    for (const days of [0, 30]) {
      const rowDeletion = { property: 'at', days }
      expect(defineSchema([log({ rowDeletion })]).tables[0]!.rowDeletion).toStrictEqual(rowDeletion)
    }
    expect(defineSchema([log({})]).tables[0]).not.toHaveProperty('rowDeletion')
  })

  it.each(['total', 'region', 'seen'])(
    'rejects rowDeletion by the property %s, which is not a timestamp column',
    (property) => {
      expect(findingsOf(log({ rowDeletion: { property, days: 1 } }))).toStrictEqual([
        {
          table: 'Log',
          column: property,
          message: 'is the column of rowDeletion, but is not a timestamp.',
          fix: `Choose a timestamp from ${properties}.`,
        },
      ])
    },
  )

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('rejects rowDeletion after %d days', (days) => {
    expect(findingsOf(log({ rowDeletion: { property: 'at', days } }))).toStrictEqual([
      {
        table: 'Log',
        column: 'at',
        message: `has the invalid rowDeletion days ${days}.`,
        fix: 'Use a whole number from 0.',
      },
    ])
  })
})

describe('defineSchema() with workload and options for a parent', () => {
  it('keeps the stated workload unchanged', () => {
    const expected = { writesPerSecond: 0.5, rowBytes: 200, nodes: 3 }
    expect(defineSchema([log({ workload: expected })]).tables[0]!.workload).toStrictEqual(expected)
    expect(defineSchema([log({})]).tables[0]).not.toHaveProperty('workload')
  })

  it.each([
    ['onDelete', { onDelete: 'cascade' }],
    ['requireParent', { requireParent: false }],
    ['workload.childrenPerRow', { workload: { childrenPerRow: 5 } }],
    ['workload.writesPerRootRow', { workload: { writesPerRootRow: 5 } }],
  ] as const)('rejects the option %s on a table that is not interleaved', (option, options) => {
    expect(findingsOf(log(options))).toStrictEqual([
      {
        table: 'Log',
        message: `has ${option}, and is interleaved in no table.`,
        fix: `Leave ${option} out, or add interleaveIn: () => Parent.`,
      },
    ])
  })

  it.each(['writesPerSecond', 'rowBytes', 'childrenPerRow', 'writesPerRootRow', 'nodes'])(
    'rejects workload.%s unless the value is a finite number of at least 0',
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

describe('defineSchema() with requireParent', () => {
  const child = (requireParent?: boolean) =>
    looseTable(
      'Child',
      (t) => ({ region: t.parentKey(), customerId: t.parentKey(), line: t.int64().key() }),
      { interleaveIn: () => Customer, ...(requireParent !== undefined && { requireParent }) },
    )

  it('marks the parent of an interleaved table as not required only when requireParent is false', () => {
    const parentOf = (requireParent?: boolean) =>
      defineSchema([Customer, child(requireParent)]).tables[1]!.parent
    expect(parentOf(false)).toStrictEqual({ table: 'Customer', onDelete: 'no action', required: false })
    expect(parentOf(true)).toStrictEqual({ table: 'Customer', onDelete: 'no action' })
    expect(parentOf()).toStrictEqual({ table: 'Customer', onDelete: 'no action' })
  })
})
