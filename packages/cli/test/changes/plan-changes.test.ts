import { defineSchema, defineTable, type Schema } from '@isotherm/core'
import { cql } from '@isotherm/cassandra'
import { googlesql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import type { ChangeOptions } from '../../src/changes/renames.js'
import { planChanges } from '../../src/changes/plan-changes.js'
import type { CommandError } from '../../src/command-error.js'
import { silentOutput as output } from '../support/silent-output.js'

const order = (column: string, shards = 8): Schema =>
  defineSchema([
    defineTable('Order', (t) => ({
      shard: t.shardKey({ shards, of: ['id'] }),
      id: t.int64().key(),
      [column]: t.string({ length: 10, nullable: true }),
    })),
  ])

const plan = (to: Schema, options: ChangeOptions = {}) =>
  planChanges({ from: order('note'), to, dialect: googlesql, options, output })

describe('planChanges() without a terminal', () => {
  it('returns no changes for equal schemas', async () => {
    expect(await plan(order('note'))).toEqual({ changes: [], described: [], statements: [] })
  })

  it.each([{}, { yes: true }])(
    'throws DATA_LOSS without --allow-data-loss, given the options %o',
    async (options) => {
      await expect(plan(order('remark'), options)).rejects.toMatchObject({
        code: 'DATA_LOSS',
        exitCode: 2,
        message:
          'These changes lose data, which cannot be restored:\n  - Order: drop the column note, with its data',
        fix:
          'If Order.note was renamed to remark, add --rename Order.note:remark.\n' +
          'If the data may be deleted, add --allow-data-loss.',
        details: { dataLoss: ['Order: drop the column note, with its data'] },
      })
    },
  )

  it.each([{}, { yes: true }])(
    'throws DATA_LOSS in CQL without --allow-data-loss, given the options %o',
    async (options) => {
      const person = (column: string): Schema =>
        defineSchema([
          defineTable('person', (t) => ({ id: t.uuidV4(), [column]: t.string({ nullable: true }) })),
        ])
      const input = { from: person('note'), to: person('remark'), dialect: cql, options, output } as const
      await expect(planChanges(input)).rejects.toMatchObject({
        code: 'DATA_LOSS',
        exitCode: 2,
        message:
          'These changes lose data, which cannot be restored:\n  - person: drop the column note, with its data',
        fix:
          'CQL cannot rename person.note. If only the model has another name for it, keep the name of the database: ' +
          "name: 'note'.\nIf the data may be deleted, add --allow-data-loss.",
      })
    },
  )

  it('drops a column with --allow-data-loss', async () => {
    const { statements } = await plan(order('remark'), { allowDataLoss: true })
    expect(statements.map(({ kind }) => kind)).toEqual(['ddl', 'ddl'])
    expect(statements.at(-1)?.sql).toContain('DROP COLUMN `note`')
  })

  it('describes a dropped column in a dry run without --allow-data-loss', async () => {
    const request = { from: order('note'), to: order('remark'), dialect: googlesql, output } as const
    const { described } = await planChanges({ ...request, options: {}, dryRun: true })
    expect(described).toContain('Order: drop the column note, with its data')
  })

  it('names every object that loses data in the error', async () => {
    const make = (name: string, options = {}): object =>
      defineTable(name, (t) => ({ id: t.uuidV4(), at: t.timestamp() }), options)
    const everything = defineSchema([make('A'), make('B')], {
      sequences: [{ name: 'S' }],
      changeStreams: [{ name: 'W' }, { name: 'V', options: { retention_period: '7d' } }],
    })
    const less = defineSchema([make('A', { rowDeletion: { property: 'at', days: 1 } })], {
      changeStreams: [{ name: 'V' }],
    })
    const request = {
      from: everything,
      to: less,
      dialect: googlesql,
      options: { yes: true },
      output,
    } as const
    await expect(planChanges(request)).rejects.toMatchObject({
      details: {
        dataLoss: [
          'W: drop the change stream, with its records',
          'V: retention_period: the default, without the records that are older',
          'B: drop the table, with its data',
          'S: drop the sequence, with its count',
          'A: delete rows 1 days after at, those too that are there',
        ],
      },
    })
  })

  it('copies the values of a column renamed with --rename, without requiring --allow-data-loss', async () => {
    const { described, statements } = await plan(order('remark'), { rename: ['Order.note:remark'] })
    expect(statements.map(({ kind }) => kind)).toEqual(['ddl', 'partitioned', 'ddl'])
    expect(described.at(-1)).toBe('Order: drop the column note, once its values are in remark')
  })

  it('throws REFUSED for a changed primary key even with --allow-data-loss', async () => {
    await expect(plan(order('note', 16), { allowDataLoss: true })).rejects.toMatchObject({
      code: 'REFUSED',
      message: expect.stringContaining('isotherm generate --reshard Order`') as string,
      details: { refusals: [{ kind: 'primary-key', table: 'Order', column: 'shard' }] },
    })
  })

  it('suggests --rename when a new NOT NULL column may replace a dropped column', async () => {
    const customer = (...columns: readonly string[]): Schema =>
      defineSchema([
        defineTable('Customer', (t) => ({
          id: t.uuidV4(),
          ...Object.fromEntries(columns.map((name) => [name, t.string({ length: 10 })])),
        })),
      ])
    const fixOf = async (from: Schema, to: Schema): Promise<unknown> => {
      const request = { from, to, dialect: googlesql, options: {}, output } as const
      return planChanges(request).catch(({ details }: CommandError) => details)
    }
    const fill =
      'give it a default; or add it as nullable, fill it in all rows, and remove nullable in a migration after that.'
    expect(await fixOf(customer('email', 'city'), customer('mail'))).toMatchObject({
      refusals: [
        {
          kind: 'not-null',
          column: 'mail',
          message: 'is new and NOT NULL, but has no default: existing rows would have no value.',
          fix: `If it replaces email or city, run \`isotherm generate --rename Customer.email:mail\`. Otherwise ${fill}`,
        },
      ],
    })
    expect(await fixOf(customer('email'), customer('email', 'mail'))).toMatchObject({
      refusals: [{ kind: 'not-null', column: 'mail', fix: `Either ${fill}` }],
    })
  })

  it('throws REFUSED when --rename names a column that does not exist', async () => {
    await expect(plan(order('note'), { rename: ['Order.text:note'] })).rejects.toMatchObject({
      code: 'REFUSED',
      message: expect.stringMatching(/^These renames cannot be made:\n {2}- Order\.text: /) as string,
      details: { refusals: [{ kind: 'rename' }] },
    })
    await expect(plan(order('remark'), { rename: ['Order.notes:remark'] })).rejects.toThrow(
      '  - Order.notes: cannot be renamed to remark: there is no such column. Did you mean note?',
    )
  })
})
