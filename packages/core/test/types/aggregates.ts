// Compiled, never run: what may be computed of which properties, and the types of what comes back.
import { Column, Key, Table, UuidV4, type Database, type Generated } from '@isotherm/core'
import type { PreciseDate } from '@google-cloud/precise-date'
import type { Equal, Expect } from './equal.js'

@Table('Request')
export class Request {
  @UuidV4()
  id!: Generated<string>

  @Key()
  @Column.timestamp()
  at!: Date

  @Column.int64()
  bytes!: bigint

  @Column.int64({ as: 'number', nullable: true })
  tries!: number | null

  @Column.float64({ nullable: true })
  seconds!: number | null

  @Column.numeric({ nullable: true })
  price!: string | null

  @Column.bool()
  cached!: boolean

  @Column.string()
  method!: 'GET' | 'PUT'

  @Column.bytes({ nullable: true })
  digest!: Uint8Array | null

  @Column.json()
  headers!: { readonly accept: string }

  total(): bigint {
    return this.bytes
  }
}

type Results<T> = { readonly [Name in keyof T]: Awaited<T[Name]> }

export async function values(db: Database): Promise<unknown> {
  const requests = db.fanOut(Request)
  const found = [
    requests.count(),
    requests.countDistinct('method'),
    requests.sum('bytes'),
    requests.sum('seconds'),
    requests.sum('price'),
    requests.avg('bytes'),
    requests.avg('seconds'),
    requests.avg('price'),
    requests.min('at'),
    requests.max('bytes'),
    requests.max('method'),
    requests.min('cached'),
    requests.max('digest'),
  ] as const
  type Found = Expect<
    Equal<
      Results<typeof found>,
      readonly [
        number,
        number,
        bigint | null,
        // Whole numbers may be shown as numbers, and are summed as bigints.
        bigint | number | null,
        string | null,
        number | null,
        number | null,
        string | null,
        PreciseDate | null,
        bigint | null,
        'GET' | 'PUT' | null,
        boolean | null,
        Uint8Array | null,
      ]
    >
  >
  const all = found satisfies Found extends true ? readonly Promise<unknown>[] : never

  // @ts-expect-error: there is no such property
  await requests.sum('colour')
  // @ts-expect-error: a timestamp has no sum
  await requests.sum('at')
  // @ts-expect-error: a boolean has no average
  await requests.avg('cached')
  // @ts-expect-error: a document is neither more nor less
  await requests.max('headers')
  // @ts-expect-error: documents are not told apart
  await requests.countDistinct('headers')
  // @ts-expect-error: a method is not a field
  await requests.sum('total')
  return Promise.all(all)
}

export async function groups(db: Database): Promise<void> {
  const requests = db.fanOut(Request)
  const counted = await requests.groupBy('method', 'cached').count()
  type Counted = Expect<
    Equal<(typeof counted)[number], { method: 'GET' | 'PUT'; cached: boolean } & { count: number }>
  >
  counted satisfies Counted extends true ? object[] : never

  const query = requests.groupBy('method', 'at').select({
    rows: { count: true },
    clients: { countDistinct: 'digest' },
    bytes: { sum: 'bytes' },
    price: { avg: 'price' },
    slowest: { max: 'seconds' },
    first: { min: 'at' },
  })
  const found = await query
    .having({
      rows: { gte: 10 },
      first: { lt: new Date() },
      OR: [{ slowest: null }, { bytes: { in: [1n] } }],
    })
    .orderBy('bytes', 'desc')
    .orderBy('method')
    .limit(5)
    .all()
  type Found = Expect<
    Equal<
      (typeof found)[number],
      {
        method: 'GET' | 'PUT'
        at: PreciseDate
        rows: number
        clients: number
        bytes: bigint | null
        price: string | null
        slowest: number | null
        first: PreciseDate | null
      }
    >
  >
  found satisfies Found extends true ? object[] : never

  const values = await requests.groupBy('method', 'cached').select({}).all()
  type Values = Expect<Equal<(typeof values)[number], { method: 'GET' | 'PUT'; cached: boolean }>>
  values satisfies Values extends true ? object[] : never

  // @ts-expect-error: there is no such property
  requests.groupBy('colour')
  // @ts-expect-error: something has to be grouped by
  requests.groupBy()
  // @ts-expect-error: there is no such function
  requests.groupBy('method').select({ bytes: { median: 'bytes' } })
  // @ts-expect-error: a timestamp has no sum
  requests.groupBy('method').select({ at: { sum: 'at' } })
  // @ts-expect-error: count counts rows
  requests.groupBy('method').select({ rows: { count: 'bytes' } })
  // @ts-expect-error: there is no such measure
  query.having({ tries: 1 })
  // @ts-expect-error: what it is grouped by is for where
  query.having({ method: 'GET' })
  // @ts-expect-error: a sum of bigints is one
  query.having({ bytes: { gt: 1 } })
  // @ts-expect-error: neither a measure nor grouped by
  query.orderBy('cached')
}

export async function byName(db: Database): Promise<unknown> {
  const requests = db.fanOut('Request')
  const [row] = await requests
    .groupBy('method')
    .select({ rows: { count: true }, bytes: { sum: 'bytes' } })
    .having({ bytes: { gt: 5n } })
    .orderBy('rows')
    .all()
  const sum: unknown = await requests.sum('bytes')
  const rows: number | undefined = row?.rows
  return [sum, rows, row?.['method'], await requests.max('at')]
}
