// Compiled, never run: what generators ask for, and what columns take them.
import {
  defineTable,
  type Counter,
  type Database,
  type Driver,
  type Row,
  type TableModel,
  type TransactionCounter,
} from '@isotherm/core'
import type { Transaction } from '@isotherm/core'
import {
  asynchronous,
  asynchronousBatch,
  batch,
  inTransaction,
  native,
  type InTransactionSequence,
} from '@isotherm/core/sequences'
import type { Equal, Expect } from './equal.js'

declare const db: Database
declare const driver: Driver
declare const tx: Transaction

const invoices: InTransactionSequence = inTransaction('invoice', { start: 100n, increment: 2n })

export const inOrder: Promise<bigint> = invoices.next(tx)
export const many: Promise<bigint[]> = invoices.take(tx, 3)
// @ts-expect-error numbers without gaps belong to a transaction
void invoices.next()
// @ts-expect-error a database is not a transaction
void invoices.next(db)
// @ts-expect-error nor is a driver
void invoices.take(driver, 2)
// @ts-expect-error how many is to be said
void invoices.take(tx)

const pooled = [
  asynchronous(db, 'a'),
  batch(driver, 'b', { size: 10 }),
  asynchronousBatch(() => db, 'c', { ranges: 'adaptive' }),
  native(db, 'd'),
]
export const numbers: Promise<bigint>[] = pooled.map((each) => each.next())
asynchronousBatch(db, 'c', { ranges: { size: 200, lowWater: 50 } })
asynchronousBatch(db, 'c', { ranges: { min: 10, max: 1_000 } })
// @ts-expect-error numbers are bigints
batch(db, 'b', { start: 1 })
// @ts-expect-error ranges is an object
asynchronousBatch(db, 'c', { ranges: 'fixed' })
// @ts-expect-error a number that is counted in a transaction needs the transaction
void (inTransaction('a') satisfies Counter)
export const counters: readonly (Counter | TransactionCounter)[] = [...pooled, invoices]

export const Invoice = defineTable('Invoice', (t) => ({
  id: t.bitReversedId({ from: batch(db, 'ids') }),
  byTransaction: t.bitReversedId({ from: invoices }),
  number: t.sequential({ from: invoices }),
}))
type FieldsOf<Model> = Model extends TableModel<infer Fields> ? Fields : never
export type NumberIsBigint = Expect<Equal<Row<FieldsOf<typeof Invoice>>['number'], bigint>>

defineTable('Wrong', (t) => ({
  id: t.uuidV4(),
  // @ts-expect-error a sequential number comes from somewhere
  number: t.sequential({}),
  // @ts-expect-error and from no database by itself
  other: t.sequential({ from: 'identity' }),
}))
