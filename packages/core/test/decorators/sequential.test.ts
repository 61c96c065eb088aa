import { bindingOf } from '@isotherm/core/engine'
import { BitReversedId, Column, defineSchema, defineTable, Sequential, Table } from '@isotherm/core'
import type { Generated } from '@isotherm/core'
import { batch, inTransaction } from '@isotherm/core/sequences'
import { describe, expect, it } from 'vitest'

// Run in both decorator modes.

const nowhere = (): never => {
  throw new Error('No database is needed here.')
}
const ids = batch(nowhere, 'ids')
const invoices = inTransaction('invoice')

@Table('Invoice')
class Invoice {
  @BitReversedId({ from: ids })
  id!: Generated<bigint>

  @Sequential({ from: invoices, name: 'invoice_no' })
  number!: Generated<bigint>

  @Column.numeric()
  total!: string
}

describe('@Sequential', () => {
  it('declares the same column and counter as t.sequential()', () => {
    const [decorated] = defineSchema([Invoice]).tables
    const [built] = defineSchema([
      defineTable('Invoice', (t) => ({
        id: t.bitReversedId({ from: ids }),
        number: t.sequential({ from: invoices, name: 'invoice_no' }),
        total: t.numeric(),
      })),
    ]).tables
    expect(JSON.parse(JSON.stringify(decorated))).toEqual(JSON.parse(JSON.stringify(built)))
    const counters = [decorated, built].map((table) =>
      table!.columns.map(({ source }) => source && bindingOf(source).counter),
    )
    expect(counters).toEqual([
      [ids, invoices, undefined],
      [ids, invoices, undefined],
    ])
  })
})
