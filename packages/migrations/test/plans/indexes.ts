import { googlesql } from '@isotherm/spanner'
import { table, type PlanCase } from './case.js'

const indexed = (index: object, more: object = {}) =>
  table(
    (t) => ({
      a: t.string({ length: 9, nullable: true }),
      b: t.int64({ nullable: true }),
      at: t.timestamp({ nullable: true }),
      ...more,
    }),
    { indexes: [{ name: 'ByA', on: ['a'], ...index }] } as never,
  )

export const indexPlans: readonly PlanCase[] = [
  {
    name: 'drops a stored column of an index, and adds another',
    from: indexed({ storing: ['b'] }),
    to: indexed({ storing: ['at'] }),
    statements: {
      googlesql: ['ALTER INDEX `ByA` DROP STORED COLUMN `b`', 'ALTER INDEX `ByA` ADD STORED COLUMN `at`'],
      'spanner-postgresql': [
        'ALTER INDEX "ByA" DROP INCLUDE COLUMN "b"',
        'ALTER INDEX "ByA" ADD INCLUDE COLUMN "at"',
      ],
    },
  },
  {
    name: 'recreates an index with other key parts',
    from: indexed({}),
    to: indexed({ on: [{ property: 'a', order: 'desc' }, 'b'], unique: true }),
    statements: {
      googlesql: ['DROP INDEX `ByA`', 'CREATE UNIQUE INDEX `ByA` ON `T` (`a` DESC, `b`)'],
      'spanner-postgresql': ['DROP INDEX "ByA"', 'CREATE UNIQUE INDEX "ByA" ON "T" ("a" DESC, "b")'],
    },
  },
  {
    name: 'recreates an index when a key part becomes NOT NULL',
    from: indexed({}),
    to: table(
      (t) => ({
        a: t.string({ length: 9 }),
        b: t.int64({ nullable: true }),
        at: t.timestamp({ nullable: true }),
      }),
      { indexes: [{ name: 'ByA', on: ['a'] }] } as never,
    ),
    statements: {
      googlesql: [
        'DROP INDEX `ByA`',
        'ALTER TABLE `T` ALTER COLUMN `a` STRING(9) NOT NULL',
        'CREATE INDEX `ByA` ON `T` (`a`)',
      ],
      'spanner-postgresql': [
        'DROP INDEX "ByA"',
        'ALTER TABLE "T" ALTER COLUMN "a" TYPE varchar(9), ALTER COLUMN "a" SET NOT NULL',
        'CREATE INDEX "ByA" ON "T" ("a")',
      ],
    },
  },
  {
    name: 'adds an index with its shard column, and drops an index with its shard column',
    from: indexed({ name: 'Old', on: ['at'], shard: { shards: 4, of: ['id'] } }),
    to: indexed({ name: 'New', on: ['at'], shard: { shards: 8, of: ['id'] } }),
    statements: {
      googlesql: [
        'DROP INDEX `Old`',
        'ALTER TABLE `T` DROP COLUMN `Old_shard`',
        'ALTER TABLE `T` ADD COLUMN `New_shard` INT64 AS (ABS(MOD(FARM_FINGERPRINT(CAST(`id` AS STRING)), 8))) HIDDEN',
        'CREATE INDEX `New` ON `T` (`New_shard`, `at`)',
      ],
      'spanner-postgresql': [
        'DROP INDEX "Old"',
        'ALTER TABLE "T" DROP COLUMN "Old_shard"',
        'ALTER TABLE "T" ADD COLUMN "New_shard" bigint GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint("id"::text), 8))) VIRTUAL',
        'CREATE INDEX "New" ON "T" ("New_shard", "at")',
      ],
    },
  },
  {
    name: 'recreates an index with more shards',
    from: indexed({ on: ['at'], shard: { shards: 4, of: ['id'] } }),
    to: indexed({ on: ['at'], shard: { shards: 8, of: ['id'] } }),
    statements: {
      googlesql: [
        'DROP INDEX `ByA`',
        'ALTER TABLE `T` ALTER COLUMN `ByA_shard` INT64 AS (ABS(MOD(FARM_FINGERPRINT(CAST(`id` AS STRING)), 8)))',
        'CREATE INDEX `ByA` ON `T` (`ByA_shard`, `at`)',
      ],
    },
    // The emulator stores all generated columns.
    notInEmulator: [googlesql],
  },
  {
    name: 'recreates an index as a NULL_FILTERED index',
    from: indexed({}),
    to: indexed({ nullFiltered: true }),
    statements: {
      googlesql: ['DROP INDEX `ByA`', 'CREATE NULL_FILTERED INDEX `ByA` ON `T` (`a`)'],
      'spanner-postgresql': ['DROP INDEX "ByA"', 'CREATE INDEX "ByA" ON "T" ("a") WHERE "a" IS NOT NULL'],
    },
  },
]
