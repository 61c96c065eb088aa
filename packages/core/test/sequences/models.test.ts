import { SCOPE, transact } from '@isotherm/core/adapter'
import { compileDdl, defineSchema, defineTable, type AnyCounter } from '@isotherm/core'
import { bitReverse } from '@isotherm/core/keys'
import { diffSchemas } from '@isotherm/migrations'
import { asynchronousBatch, batch, inTransaction, native, sequenceTable } from '@isotherm/core/sequences'
import { describe, expect, it } from 'vitest'
import { InsertPlan } from '../../src/rows/insert-plan.js'
import { findingsOf } from '../lint/support/live.js'
import { dialects, layoutOf } from '../support/layout.js'
import { refusal, rejection } from '../support/refusal.js'
import { MemoryDatabase } from './support/memory-database.js'

// Generators as the sources of columns.

const nowhere = (): never => {
  throw new Error('No database is needed here.')
}
const invoices = inTransaction('invoice')

function table(from: AnyCounter, idFrom: AnyCounter = batch(nowhere, 'ids')) {
  return defineTable('Invoice', (t) => ({
    id: t.bitReversedId({ from: idFrom }),
    number: t.sequential({ from, name: 'invoice_no' }),
    note: t.string({ nullable: true }),
  }))
}

describe.each(dialects)('a sequential column in $name', (dialect) => {
  it('is a 64-bit integer without a sequence or an identity in the DDL', () => {
    const ddl = compileDdl(defineSchema([table(invoices)]), { dialect }).join('\n')
    expect(ddl).toMatch(
      dialect.name === 'googlesql' ? /`invoice_no` INT64 NOT NULL,/ : /"invoice_no" bigint NOT NULL,/,
    )
    expect(ddl).not.toMatch(/SEQUENCE|IDENTITY/i)
  })

  it('stays the same in DDL and diffs after its schema was serialized as JSON', () => {
    const schema = defineSchema([table(invoices), sequenceTable()])
    const again = JSON.parse(JSON.stringify(schema)) as typeof schema
    expect(again).toEqual(JSON.parse(JSON.stringify(schema)))
    expect(again.tables[0]!.columns.find(({ property }) => property === 'number')).toMatchObject({
      name: 'invoice_no',
      type: { kind: 'int64' },
      nullable: false,
      source: { kind: 'sequential' },
    })
    expect(compileDdl(again, { dialect })).toEqual(compileDdl(schema, { dialect }))
    expect(diffSchemas(again, schema, { dialect }).changes).toEqual([])
    // The database keeps a plain integer: that is not a change either.
    const plain = defineTable('Invoice', (t) => ({
      id: t.int64().key(),
      number: t.int64({ name: 'invoice_no' }),
      note: t.string({ nullable: true }),
    }))
    expect(diffSchemas(defineSchema([plain, sequenceTable()]), schema, { dialect }).changes).toEqual([])
  })

  it('takes numbers of the transaction of its insert, and rejects an insert without a transaction', async () => {
    const database = new MemoryDatabase()
    database.set('invoice', 41n)
    database.set('ids', 1n)
    const { driver } = database.process()
    const plan = new InsertPlan(layoutOf(dialect, table(invoices, batch(driver, 'ids'))))
    const rows = [{}, { number: 7n }, { id: 5n }]
    const { value } = await transact(driver, async (scope) =>
      plan.prepare(rows, false, await plan.supply(rows, { transaction: { [SCOPE]: scope } })),
    )
    expect(value.rows).toEqual([
      { id: bitReverse(1n), number: 41n, note: null },
      { id: bitReverse(2n), number: 7n, note: null },
      { id: 5n, number: 42n, note: null },
    ])
    expect(database.at('invoice')).toBe(43n)
    const error = await rejection(plan.supply(rows)!)
    expect(error).toMatchObject({ code: 'UNSUPPORTED_WRITE', column: 'number' })
    expect(error.message).toContain('db.transaction')
    expect(database.at('invoice')).toBe(43n)
    // What an upsert leaves out stays as it is: no number is taken for it.
    const partial = await plan.supply([{ id: 5n }], { partial: true })
    expect(plan.prepare([{ id: 5n }], true, partial).rows).toEqual([{ id: 5n }])
  })
})

it('a bit-reversed id stores numbers of a bit-reversed counter without reversing them again', async () => {
  const { driver, ...process } = new MemoryDatabase().process()
  process.database.set('ids', 6n)
  const ids = batch(driver, 'ids', { bitReversed: true })
  const plan = new InsertPlan(
    layoutOf(
      dialects[0]!,
      defineTable('T', (t) => ({ id: t.bitReversedId({ from: ids }) })),
    ),
  )
  const prepared = plan.prepare([{}], false, await plan.supply([{}]))
  expect(prepared.rows).toEqual([{ id: bitReverse(6n) }])
})

it.each<[string, AnyCounter]>([
  ['inTransaction', inTransaction('n', { bitReversed: true })],
  ['batch', batch(nowhere, 'n', { bitReversed: true })],
  ['asynchronousBatch', asynchronousBatch(nowhere, 'n', { bitReversed: true })],
  ['native', native(nowhere, 'n')],
])('a sequential column rejects the counter %s with reversed bits', (_, from) => {
  expect(refusal(() => defineSchema([table(from)])).message).toContain(
    'from is a counter that returns numbers with reversed bits',
  )
})

describe('lint rules for sequential columns', () => {
  const number = { from: invoices }

  it('monotonic-first-key rejects a key that starts with a sequential column', () => {
    const First = defineTable('First', (t) => ({ number: t.sequential(number).key(), id: t.uuidV4() }))
    const [finding, ...others] = findingsOf('monotonic-first-key', defineSchema([First]))
    expect(others).toEqual([])
    expect(finding).toMatchObject({ severity: 'error', table: 'First', column: 'number' })
    expect(finding!.message).toContain('counts up')
  })

  it('monotonic-index rejects an index that starts with a sequential column', () => {
    const Indexed = defineTable('Indexed', (t) => ({ id: t.uuidV4(), number: t.sequential(number) }), {
      indexes: [{ on: ['number'], unique: true }],
    })
    const findings = findingsOf('monotonic-index', defineSchema([Indexed]))
    expect(findings).toMatchObject([{ severity: 'error', table: 'Indexed', column: 'number' }])
  })

  it('monotonic rules accept a sequential column behind a shard or outside the key', () => {
    const Sharded = defineTable('Sharded', (t) => ({
      shard: t.shardKey({ shards: 4, of: ['id'] }),
      number: t.sequential(number).key(),
      id: t.uuidV4(),
    }))
    const schema = defineSchema([Sharded, table(invoices), sequenceTable()])
    expect(findingsOf('monotonic-first-key', schema)).toEqual([])
    expect(findingsOf('monotonic-index', schema)).toEqual([])
  })
})
