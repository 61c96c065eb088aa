// Compiled, never run: what the methods of a database take and give.
import { Column, Key, Table, UuidV4, type Database, type Generated } from '@isotherm/core'
import type { PreciseDate } from '@google-cloud/precise-date'
import type { Equal, Expect } from './equal.js'

@Table('Order')
export class Order {
  @UuidV4()
  id!: Generated<string>

  @Key()
  @Column.int64()
  line!: bigint

  @Column.string()
  status!: 'open' | 'paid'

  @Column.string({ nullable: true })
  note!: string | null

  @Column.timestamp()
  orderedAt!: Date

  total(): bigint {
    return this.line
  }
}

export async function insert(db: Database): Promise<void> {
  const orderedAt = new Date()
  const [row] = await db.insert(Order, [{ line: 1n, status: 'open', orderedAt }])
  await db.insert(Order, [{ id: 'x', line: 1n, status: 'open', orderedAt, note: null }], {
    allowMultipleCommits: true,
  })
  // @ts-expect-error: status is required
  await db.insert(Order, [{ line: 1n, orderedAt }])
  // @ts-expect-error: status is one of two
  await db.insert(Order, [{ line: 1n, orderedAt, status: 'lost' }])
  // @ts-expect-error: line is never NULL
  await db.insert(Order, [{ line: null, orderedAt, status: 'open' }])
  // @ts-expect-error: line is a bigint
  await db.insert(Order, [{ line: 1, orderedAt, status: 'open' }])
  // @ts-expect-error: there is no such property
  await db.insert(Order, [{ line: 1n, orderedAt, status: 'open', colour: 'red' }])
  // @ts-expect-error: a method is not a field
  await db.insert(Order, [{ line: 1n, orderedAt, status: 'open', total: () => 1n }])
  // @ts-expect-error: rows come as an array
  await db.insert(Order, { line: 1n, orderedAt, status: 'open' })
  if (row) readOne(row)
}

function readOne(row: {
  id: string
  line: bigint
  status: 'open' | 'paid'
  note: string | null
  orderedAt: PreciseDate
}): void {
  void row
}

export async function keys(db: Database): Promise<void> {
  const row = await db.get(Order, { id: 'x', line: 1n })
  // @ts-expect-error: the row may be absent
  readOne(row)
  if (row) readOne(row)
  // @ts-expect-error: line is a bigint
  await db.get(Order, { id: 'x', line: 1 })
  // @ts-expect-error: there is no such property
  await db.get(Order, { id: 'x', lines: 1n })
  await db.update(Order, { id: 'x', line: 1n, note: null })
  await db.update(Order, [{ id: 'x', line: 1n, status: 'paid' }])
  // @ts-expect-error: status is never NULL
  await db.update(Order, { id: 'x', line: 1n, status: null })
  await db.delete(Order, [{ id: 'x', line: 1n }])
  // @ts-expect-error: a key has no such property
  await db.delete(Order, { id: 'x', lines: 1n })
  await db.upsert(Order, [{ line: 1n, status: 'open', orderedAt: new Date() }])
  // @ts-expect-error: orderedAt is required
  await db.upsert(Order, [{ line: 1n, status: 'open' }])
  // @ts-expect-error: a Date is not a model
  await db.get(new Date(), {})
}

export async function transactions(db: Database): Promise<bigint> {
  return db.transaction(async (tx) => {
    const [row] = await tx.insert(Order, [{ line: 1n, status: 'open', orderedAt: new Date() }])
    // @ts-expect-error: status is required
    await tx.insert(Order, [{ line: 1n, orderedAt: new Date() }], { buffered: true })
    // @ts-expect-error: there is no such property
    await tx.update(Order, { id: 'x', line: 1n, colour: 'red' })
    return row?.line ?? 0n
  })
}

export async function fanOut(db: Database): Promise<void> {
  const orders = db.fanOut(Order)
  for await (const row of orders) readOne(row)
  const { rows, next } = await orders.limit(10).page()
  rows.forEach(readOne)
  await orders.after(next).page()

  orders.where({ line: 1n, status: 'open', note: null })
  orders.where({ line: { gte: 1n, lt: 5n }, note: { ne: null } })
  orders.where({ status: { in: ['open', 'paid'] }, note: { startsWith: 'urgent' } })
  orders.where({ status: { startsWith: 'o' } })
  orders.where({ orderedAt: { gte: new Date() } })
  orders.where({ orderedAt: { gte: '2026-11-22T10:00:00+01:00' } })
  orders.where({ orderedAt: { in: [new Date(), '2026-11-22T10:00:00Z'] } })
  orders.where({ OR: [{ line: 1n }, { NOT: { line: { notIn: [2n, 3n] } } }], AND: [{ note: null }] })
  // @ts-expect-error: there is no such property
  orders.where({ colour: 'red' })
  // @ts-expect-error: there is no such property, not in OR either
  orders.where({ OR: [{ colour: 'red' }] })
  // @ts-expect-error: a method is not a field
  orders.where({ total: 1n })
  // @ts-expect-error: line is a bigint
  orders.where({ line: 1 })
  // @ts-expect-error: in takes values of the property's type
  orders.where({ line: { in: ['1'] } })
  // @ts-expect-error: in takes values of the union
  orders.where({ status: { in: ['open', 'lost'] } })
  // @ts-expect-error: in does not accept NULL, which no comparison matches
  orders.where({ note: { in: ['a', null] } })
  // @ts-expect-error: startsWith is for strings
  orders.where({ line: { startsWith: '1' } })
  // @ts-expect-error: startsWith is for strings, not timestamps
  orders.where({ orderedAt: { startsWith: '2026' } })
  // @ts-expect-error: NULL is neither more nor less
  orders.where({ note: { lt: null } })
  // @ts-expect-error: there is no such operator
  orders.where({ line: { between: [1n, 2n] } })

  orders.orderBy('orderedAt', 'desc').orderBy('line')
  // @ts-expect-error: there is no such property
  orders.orderBy('colour')
  // @ts-expect-error: a method is not a field
  orders.orderBy('total')
  // @ts-expect-error: there is no such direction
  orders.orderBy('line', 'down')
  // @ts-expect-error: there is no such strategy
  orders.strategy('guess')

  const groups = await orders.groupBy('status').count()
  type Groups = Expect<Equal<(typeof groups)[number], { status: 'open' | 'paid' } & { count: number }>>
  groups satisfies (Groups extends true ? { status: 'open' | 'paid'; count: number } : never)[]
  // @ts-expect-error: there is no such property
  orders.groupBy('colour')
}

export async function byName(db: Database): Promise<unknown> {
  await db.insert('Order', [{ anything: 1 }])
  const row = await db.get('Order', { id: 'x' })
  for await (const each of db.fanOut('Order').where({ id: 'x' }).orderBy('id')) void each['id']
  return row?.['id']
}
