import { googlesql } from '@isotherm/spanner'
import { table, type PlanCase } from './case.js'

const nullable = { nullable: true } as const

const virtual = (generated: string) => ({ ...nullable, generated, stored: false }) as const

const expiring = (isGenerated: boolean) =>
  table(
    (t) => ({
      seen: t.timestamp(nullable),
      ...(isGenerated && { expiry: t.timestamp({ ...nullable, generated: 'seen' }) }),
    }),
    { rowDeletion: { property: isGenerated ? 'expiry' : 'seen', days: 7 } } as never,
  )

/** Generated columns, and the columns and policies that read them. */
export const generatedPlans: readonly PlanCase[] = [
  {
    name: 'drops a row deletion policy before its generated column, and adds a policy on another column',
    from: expiring(true),
    to: expiring(false),
    statements: {
      googlesql: [
        'ALTER TABLE `T` DROP ROW DELETION POLICY',
        'ALTER TABLE `T` DROP COLUMN `expiry`',
        'ALTER TABLE `T` ADD ROW DELETION POLICY (OLDER_THAN(`seen`, INTERVAL 7 DAY))',
      ],
      'spanner-postgresql': [
        'ALTER TABLE "T" DROP TTL',
        'ALTER TABLE "T" DROP COLUMN "expiry"',
        `ALTER TABLE "T" ADD TTL INTERVAL '7 days' ON "seen"`,
      ],
    },
  },
  {
    name: 'changes a row deletion policy to a new generated column',
    from: expiring(false),
    to: expiring(true),
    statements: {
      googlesql: [
        'ALTER TABLE `T` ADD COLUMN `expiry` TIMESTAMP AS (seen) STORED',
        'ALTER TABLE `T` REPLACE ROW DELETION POLICY (OLDER_THAN(`expiry`, INTERVAL 7 DAY))',
      ],
      'spanner-postgresql': [
        'ALTER TABLE "T" ADD COLUMN "expiry" timestamptz GENERATED ALWAYS AS (seen) STORED',
        `ALTER TABLE "T" ALTER TTL INTERVAL '7 days' ON "expiry"`,
      ],
    },
  },
  {
    name: 'redefines a virtual column before dropping the columns that it no longer reads',
    from: table((t) => ({
      n: t.int64(nullable),
      below: t.int64({ ...nullable, generated: 'n + 1' }),
      above: t.int64({ ...nullable, generated: 'below + 1' }),
      aside: t.int64({ ...nullable, generated: 'n + 2' }),
      v: t.int64(virtual('above * 2')),
    })),
    to: table((t) => ({ n: t.int64(nullable), v: t.int64(virtual('n * 2')) })),
    statements: {
      googlesql: [
        'ALTER TABLE `T` DROP COLUMN `aside`',
        'ALTER TABLE `T` ALTER COLUMN `v` INT64 AS (n * 2)',
        'ALTER TABLE `T` DROP COLUMN `above`',
        'ALTER TABLE `T` DROP COLUMN `below`',
      ],
    },
    // The emulator stores all generated columns.
    notInEmulator: [googlesql],
  },
  {
    name: 'redefines a virtual column after adding the columns that it reads',
    from: table((t) => ({ n: t.int64(nullable), v: t.int64(virtual('n * 2')) })),
    to: table((t) => ({
      n: t.int64(nullable),
      v: t.int64(virtual('below * m')),
      below: t.int64({ ...nullable, generated: 'n + 1' }),
      m: t.int64(nullable),
    })),
    statements: {
      googlesql: [
        'ALTER TABLE `T` ADD COLUMN `m` INT64',
        'ALTER TABLE `T` ADD COLUMN `below` INT64 AS (n + 1) STORED',
        'ALTER TABLE `T` ALTER COLUMN `v` INT64 AS (below * m)',
      ],
    },
    notInEmulator: [googlesql],
  },
  {
    name: 'redefines a virtual column after the column that read it',
    from: table((t) => ({
      n: t.int64(nullable),
      read: t.int64(virtual('n * 2')),
      reader: t.int64(virtual('read + 1')),
    })),
    to: table((t) => ({
      n: t.int64(nullable),
      read: t.int64(virtual('n * 3')),
      reader: t.int64(virtual('n + 1')),
    })),
    statements: {
      googlesql: [
        'ALTER TABLE `T` ALTER COLUMN `reader` INT64 AS (n + 1)',
        'ALTER TABLE `T` ALTER COLUMN `read` INT64 AS (n * 3)',
      ],
    },
    notInEmulator: [googlesql],
  },
  {
    name: 'lengthens a column that a generated column reads',
    from: table((t) => ({
      text: t.string({ ...nullable, length: 9 }),
      copy: t.string({ ...nullable, length: 50, generated: 'text' }),
    })),
    to: table((t) => ({
      text: t.string({ ...nullable, length: 19 }),
      copy: t.string({ ...nullable, length: 50, generated: 'text' }),
    })),
    statements: {
      googlesql: ['ALTER TABLE `T` ALTER COLUMN `text` STRING(19)'],
      'spanner-postgresql': [
        'ALTER TABLE "T" ALTER COLUMN "text" TYPE varchar(19), ALTER COLUMN "text" DROP NOT NULL',
      ],
    },
  },
]
