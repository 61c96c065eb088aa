import { createHash, randomUUID } from 'node:crypto'
import { defineTable, type TableBuilder, type UuidStorage } from '@isotherm/core'

// Keys that are UUIDs of every storage, and how the database orders them.

export const V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Tables whose keys are of one storage; suffixed, so that those of several fit into a database. */
export function modelsOf(storage: UuidStorage, suffix = '') {
  const Owner = defineTable(`Owner${suffix}`, (t) => ({
    id: t.uuidV4({ storage }),
    name: t.string({ nullable: true }),
  }))
  const item = (t: TableBuilder) => ({
    id: t.parentKey<string>(),
    itemId: t.uuidV4({ storage }),
    soldTo: t.uuid({ storage, nullable: true }),
    note: t.string({ nullable: true }),
  })
  const below = { interleaveIn: () => Owner, onDelete: 'cascade' } as const
  const Item = defineTable(`Item${suffix}`, item, below)
  /** The same where the database knows that rows refer to each other. */
  const Referring = defineTable(`Item${suffix}`, item, {
    ...below,
    foreignKeys: [{ columns: ['soldTo'], references: () => Owner }],
  })
  // Not declared as v4, but first in the key; and a place where any UUID may stand.
  const Plain = defineTable(`Plain${suffix}`, (t) => ({
    id: t.uuid({ storage }).key(),
    other: t.uuid({ storage, nullable: true }),
  }))
  const Placed = defineTable(`Placed${suffix}`, (t) => ({
    spot: t.int64().key(),
    id: t.uuid({ storage }).key(),
    other: t.uuid({ storage, nullable: true }),
  }))
  return { storage, Owner, Item, Referring, Plain, Placed }
}

/** The halves as two signed integers. */
function halves(uuid: string): readonly [bigint, bigint] {
  const hex = uuid.replaceAll('-', '')
  return [BigInt.asIntN(64, BigInt(`0x${hex.slice(0, 16)}`)), BigInt.asIntN(64, BigInt(`0x${hex.slice(16)}`))]
}

/** How the database orders UUIDs of this storage. */
export function compare(storage: UuidStorage, a: string, b: string): number {
  if (storage !== 'int64-pair') return a < b ? -1 : a > b ? 1 : 0
  const [[high, low], [otherHigh, otherLow]] = [halves(a), halves(b)]
  if (high !== otherHigh) return high < otherHigh ? -1 : 1
  return low < otherLow ? -1 : low > otherLow ? 1 : 0
}

/** 60 UUIDs, the same in each run: of all signs, and groups that differ in one half only. */
export const ids = Array.from({ length: 60 }, (_, at) => {
  const hex = createHash('sha256').update(String(at)).digest('hex')
  const lead =
    at % 3 === 0 ? '7fffffff-ffff' : at % 3 === 1 ? '80000000-0000' : `${hex.slice(0, 8)}-${hex.slice(8, 12)}`
  const variant = '89ab04cf'[at % 8]
  return `${lead}-4000-${variant}${hex.slice(16, 19)}-${hex.slice(20, 32)}`
})

/** Every filter on a UUID, about one that is there, and what it is to find: not NULL, whichever it is. */
export function filtersAbout(
  storage: UuidStorage,
  pivot: string,
  low: string,
): readonly (readonly [filter: object, finds: (value: string) => boolean])[] {
  const few = [pivot, ids[3]!, ids[8]!, randomUUID()]
  const order = (value: string): number => compare(storage, value, pivot)
  return [
    [{ eq: pivot }, (value) => order(value) === 0],
    [{ ne: pivot }, (value) => order(value) !== 0],
    [{ in: few }, (value) => few.includes(value)],
    [{ notIn: few }, (value) => !few.includes(value)],
    [{ lt: pivot }, (value) => order(value) < 0],
    [{ lte: pivot }, (value) => order(value) <= 0],
    [{ gt: pivot }, (value) => order(value) > 0],
    [{ gte: pivot }, (value) => order(value) >= 0],
    [{ gt: low, lte: pivot }, (value) => order(value) <= 0 && compare(storage, value, low) > 0],
  ]
}
