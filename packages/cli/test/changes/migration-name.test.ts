import { defineSchema, defineTable } from '@isotherm/core'
import { diffSchemas } from '@isotherm/migrations'
import { googlesql } from '@isotherm/spanner'
import { expect, it } from 'vitest'
import { migrationName } from '../../src/changes/plan-changes.js'

const none = defineSchema([])
const order = (columns: readonly string[], name = 'PurchaseOrder') =>
  defineSchema([
    defineTable(name, (t) => ({
      id: t.uuidV4().key(),
      ...Object.fromEntries(columns.map((column) => [column, t.int64({ nullable: true })])),
    })),
  ])

it.each([
  [none, order([]), {}, 'create_table_purchase_order'],
  [order([]), none, {}, 'drop_table_purchase_order'],
  [order([]), order(['total']), {}, 'add_column_purchase_order_total'],
  [order([]), order(['total', 'unitPrice']), {}, 'add_column_purchase_order_total_and_more'],
  [
    order([]),
    order([], 'Purchase'),
    { tables: { PurchaseOrder: 'Purchase' } },
    'rename_table_purchase_order_to_purchase',
  ],
  [
    order(['total']),
    order(['amount']),
    { columns: { PurchaseOrder: { total: 'amount' } } },
    'rename_column_purchase_order_total_to_amount',
  ],
  [none, none, {}, 'changes'],
])(
  'migrationName() names the first change and says whether more changes follow: case %#',
  (from, to, renames, name) => {
    expect(migrationName(diffSchemas(from, to, { dialect: googlesql, renames }).changes)).toBe(name)
  },
)
