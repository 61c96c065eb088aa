import { defineTable, sql } from '@isotherm/core'

/** Columns with defaults, and columns that the database computes. */
export const generatedModels = [
  defineTable(
    'Person',
    (t) => ({
      id: t.uuidV4(),
      firstName: t.string({ length: 50, name: 'first_name' }),
      lastName: t.string({ length: 50, default: 'Doe' }),
      visits: t.int64({ default: 0n }),
      born: t.date({
        nullable: true,
        default: sql({ googlesql: "CURRENT_DATE('UTC')", 'spanner-postgresql': 'current_date' }),
      }),
      active: t.bool({ default: sql({ googlesql: 'TRUE', 'spanner-postgresql': '1 = 1 AND 2 > 1' }) }),
      fullName: t.string({
        length: 101,
        generated: {
          googlesql: "CONCAT(`first_name`, ' ', `lastName`)",
          'spanner-postgresql': `"first_name" || ' ' || "lastName"`,
        },
      }),
      initial: t.string({
        generated: {
          googlesql: 'SUBSTR(`first_name`, 1, 1)',
          'spanner-postgresql': 'substr("first_name", 1, 1)',
        },
        stored: false,
      }),
    }),
    { indexes: [{ on: ['initial', 'fullName'] }] },
  ),
  // A generated key part is stored.
  defineTable('Parity', (t) => ({
    odd: t
      .int64({ generated: { googlesql: 'MOD(`number`, 2)', 'spanner-postgresql': 'mod("number", 2)' } })
      .key(),
    number: t.int64().key(),
  })),
]

/** Columns that `SELECT *` leaves out, in the dialect that supports hidden columns. */
export const hiddenModels = [
  defineTable('Hidden', (t) => ({
    id: t.uuidV4(),
    plain: t.string({ hidden: true }),
    defaulted: t.int64({ hidden: true, default: 7n }),
    doubled: t.int64({
      hidden: true,
      generated: { googlesql: '`defaulted` * 2', 'spanner-postgresql': '"defaulted" * 2' },
    }),
    changedAt: t.timestamp({ hidden: true, default: 'commit', nullable: true }),
  })),
]
