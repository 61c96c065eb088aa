import { defineTable } from '@isotherm/core'

export const UuidKeys = defineTable('UuidKeys', (t) => ({
  id: t.uuidV4(),
  second: t.uuidV4({ name: 'second_id' }),
}))

export const BitReversedIds = [
  defineTable('Identity', (t) => ({ id: t.bitReversedId() })),
  defineTable('IdentityFrom', (t) => ({ id: t.bitReversedId({ startCounter: 1000n }) })),
  defineTable('IdentitySkips', (t) => ({ id: t.bitReversedId({ skipRange: [1n, 1000n] }) })),
  defineTable('IdentityBoth', (t) => ({
    id: t.bitReversedId({ from: 'identity', startCounter: 50n, skipRange: [1000n, 2000n] }),
  })),
  defineTable('Counted', (t) => ({ id: t.bitReversedId({ from: 'sequence' }) })),
  defineTable('CountedFrom', (t) => ({
    id: t.bitReversedId({ from: 'sequence', sequence: 'IdsFrom', startCounter: 1000n }),
  })),
  defineTable('CountedSkips', (t) => ({
    id: t.bitReversedId({ from: 'sequence', sequence: 'IdsSkipping', skipRange: [1n, 1000n] }),
  })),
  defineTable('CountedBoth', (t) => ({
    id: t.bitReversedId({ from: 'sequence', startCounter: 50n, skipRange: [1000n, 9223372036854775807n] }),
  })),
  // The client counts, so the database has no default for the column.
  defineTable('CountedByClient', (t) => ({ id: t.bitReversedId({ from: { next: () => 1n } }) })),
]

export const DescTimestamps = [
  defineTable('GivenTimes', (t) => ({ userId: t.int64().key(), at: t.descTimestamp() })),
  defineTable('ClockTimes', (t) => ({ userId: t.int64().key(), at: t.descTimestamp({ default: 'now' }) })),
  defineTable('CommitTimes', (t) => ({
    userId: t.int64().key(),
    at: t.timestamp({ default: 'commit' }).key(),
  })),
  defineTable('TimesFirst', (t) => ({ at: t.descTimestamp(), userId: t.int64().key() }), {
    suppress: [{ rule: 'monotonic-first-key', reason: 'one row a day' }],
  }),
]

/** Every type that has a mirror column in a dialect whose keys cannot descend. */
export const DescKeys = [
  defineTable('DescKeys', (t) => ({
    number: t.int64({ name: 'a_number' }).key('desc'),
    day: t.date().key('desc'),
    at: t.timestamp().key('desc'),
    id: t.uuidV4(),
  })),
]

export const DescCommitTimestamps = [
  defineTable('CommitTimes', (t) => ({
    userId: t.int64().key(),
    at: t.descTimestamp({ default: 'commit' }),
  })),
]
