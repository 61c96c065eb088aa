import { defineTable } from '@isotherm/core'

const Session = defineTable(
  'Session',
  (t) => ({ id: t.uuidV4(), seenAt: t.timestamp({ name: 'seen_at' }) }),
  {
    rowDeletion: { property: 'seenAt', days: 30 },
  },
)

const Click = defineTable(
  'Click',
  (t) => ({ id: t.parentKey<string>(), number: t.int64().key(), at: t.timestamp({ default: 'commit' }) }),
  { interleaveIn: () => Session, onDelete: 'cascade', rowDeletion: { property: 'at', days: 0 } },
)

export const rowDeletionModels = [Session, Click]

/** Deleting a session also deletes the rows that refer to it; the emulator does not support the two together. */
export const rowDeletionWithForeignKeys = [
  Session,
  defineTable('Basket', (t) => ({ id: t.uuidV4(), session: t.uuid() }), {
    foreignKeys: [{ columns: ['session'], references: () => Session, onDelete: 'cascade' }],
  }),
]
