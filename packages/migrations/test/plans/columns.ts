import { googlesql } from '@isotherm/spanner'
import { table, type PlanCase } from './case.js'

export const columnPlans: readonly PlanCase[] = [
  {
    name: 'adds generated columns after the columns that they read',
    from: table((t) => ({ n: t.int64({ nullable: true }) })),
    to: table((t) => ({
      doubled: t.int64({ nullable: true, generated: 'm * 2' }),
      m: t.int64({ nullable: true }),
      n: t.int64({ nullable: true }),
      rank: t.int64({ default: 7n }),
      at: t.timestamp({ nullable: true, default: 'commit' }),
    })),
    statements: {
      googlesql: [
        'ALTER TABLE `T` ADD COLUMN `m` INT64',
        'ALTER TABLE `T` ADD COLUMN `rank` INT64 NOT NULL DEFAULT (7)',
        'ALTER TABLE `T` ADD COLUMN `at` TIMESTAMP OPTIONS (allow_commit_timestamp = true)',
        'ALTER TABLE `T` ADD COLUMN `doubled` INT64 AS (m * 2) STORED',
      ],
      'spanner-postgresql': [
        'ALTER TABLE "T" ADD COLUMN "m" bigint',
        `ALTER TABLE "T" ADD COLUMN "rank" bigint NOT NULL DEFAULT ('7'::bigint)`,
        'ALTER TABLE "T" ADD COLUMN "at" spanner.commit_timestamp',
        'ALTER TABLE "T" ADD COLUMN "doubled" bigint GENERATED ALWAYS AS (m * 2) STORED',
      ],
    },
  },
  {
    name: 'drops generated columns before the columns that they read',
    from: table((t) => ({
      m: t.int64({ nullable: true }),
      doubled: t.int64({ nullable: true, generated: 'm * 2' }),
    })),
    to: table(() => ({})),
    statements: {
      googlesql: ['ALTER TABLE `T` DROP COLUMN `doubled`', 'ALTER TABLE `T` DROP COLUMN `m`'],
      'spanner-postgresql': ['ALTER TABLE "T" DROP COLUMN "doubled"', 'ALTER TABLE "T" DROP COLUMN "m"'],
    },
  },
  {
    name: 'changes lengths and nullability of columns',
    from: table((t) => ({
      text: t.string({ length: 10, nullable: true }),
      some: t.string({ length: 10 }),
      tags: t.array({ kind: 'string', length: 5 }),
    })),
    to: table((t) => ({
      text: t.string({ length: 20 }),
      some: t.string({ nullable: true, length: 10 }),
      tags: t.array({ kind: 'string', length: 'max' }, { nullable: true }),
    })),
    statements: {
      googlesql: [
        'ALTER TABLE `T` ALTER COLUMN `text` STRING(20) NOT NULL',
        'ALTER TABLE `T` ALTER COLUMN `some` STRING(10)',
        'ALTER TABLE `T` ALTER COLUMN `tags` ARRAY<STRING(MAX)>',
      ],
      'spanner-postgresql': [
        'ALTER TABLE "T" ALTER COLUMN "text" TYPE varchar(20), ALTER COLUMN "text" SET NOT NULL',
        'ALTER TABLE "T" ALTER COLUMN "some" TYPE varchar(10), ALTER COLUMN "some" DROP NOT NULL',
        'ALTER TABLE "T" ALTER COLUMN "tags" TYPE varchar[], ALTER COLUMN "tags" DROP NOT NULL',
      ],
    },
  },
  {
    name: 'changes a string column to bytes, and a bytes column to string',
    from: table((t) => ({ a: t.string({ nullable: true }), b: t.bytes({ nullable: true }) })),
    to: table((t) => ({ a: t.bytes({ nullable: true }), b: t.string({ nullable: true }) })),
    statements: {
      googlesql: [
        'ALTER TABLE `T` ALTER COLUMN `a` BYTES(MAX)',
        'ALTER TABLE `T` ALTER COLUMN `b` STRING(MAX)',
      ],
      'spanner-postgresql': [
        'ALTER TABLE "T" ALTER COLUMN "a" TYPE bytea, ALTER COLUMN "a" DROP NOT NULL',
        'ALTER TABLE "T" ALTER COLUMN "b" TYPE varchar, ALTER COLUMN "b" DROP NOT NULL',
      ],
    },
  },
  {
    name: 'adds, changes and drops defaults',
    from: table((t) => ({
      given: t.int64(),
      changed: t.int64({ default: 1n }),
      taken: t.int64({ default: 1n }),
      required: t.int64({ nullable: true, default: 1n }),
      clock: t.timestamp({ default: 'now' }),
    })),
    to: table((t) => ({
      given: t.int64({ default: 1n }),
      changed: t.int64({ default: 2n }),
      taken: t.int64(),
      required: t.int64({ default: 1n }),
      clock: t.timestamp(),
    })),
    statements: {
      googlesql: [
        'ALTER TABLE `T` ALTER COLUMN `given` SET DEFAULT (1)',
        'ALTER TABLE `T` ALTER COLUMN `changed` SET DEFAULT (2)',
        'ALTER TABLE `T` ALTER COLUMN `taken` DROP DEFAULT',
        'ALTER TABLE `T` ALTER COLUMN `required` INT64 NOT NULL DEFAULT (1)',
        'ALTER TABLE `T` ALTER COLUMN `clock` DROP DEFAULT',
      ],
      'spanner-postgresql': [
        `ALTER TABLE "T" ALTER COLUMN "given" SET DEFAULT ('1'::bigint)`,
        `ALTER TABLE "T" ALTER COLUMN "changed" SET DEFAULT ('2'::bigint)`,
        'ALTER TABLE "T" ALTER COLUMN "taken" DROP DEFAULT',
        'ALTER TABLE "T" ALTER COLUMN "required" TYPE bigint, ALTER COLUMN "required" SET NOT NULL',
        // The statement before dropped the default.
        `ALTER TABLE "T" ALTER COLUMN "required" SET DEFAULT ('1'::bigint)`,
        'ALTER TABLE "T" ALTER COLUMN "clock" DROP DEFAULT',
      ],
    },
  },
  {
    name: 'lets a column store commit timestamps',
    from: table((t) => ({ at: t.timestamp(), clock: t.timestamp({ default: 'now' }) })),
    to: table((t) => ({ at: t.timestamp({ default: 'commit' }), clock: t.timestamp({ default: 'commit' }) })),
    statements: {
      googlesql: [
        'ALTER TABLE `T` ALTER COLUMN `at` SET OPTIONS (allow_commit_timestamp = true)',
        'ALTER TABLE `T` ALTER COLUMN `clock` DROP DEFAULT',
        'ALTER TABLE `T` ALTER COLUMN `clock` SET OPTIONS (allow_commit_timestamp = true)',
      ],
      'spanner-postgresql': [
        'ALTER TABLE "T" ALTER COLUMN "at" TYPE spanner.commit_timestamp, ALTER COLUMN "at" SET NOT NULL',
        'ALTER TABLE "T" ALTER COLUMN "clock" DROP DEFAULT',
        'ALTER TABLE "T" ALTER COLUMN "clock" TYPE spanner.commit_timestamp, ALTER COLUMN "clock" SET NOT NULL',
      ],
    },
  },
  {
    name: 'stops a column from storing commit timestamps',
    from: table((t) => ({ at: t.timestamp({ default: 'commit' }) })),
    to: table((t) => ({ at: t.timestamp({ default: 'now' }) })),
    statements: {
      googlesql: [
        'ALTER TABLE `T` ALTER COLUMN `at` SET OPTIONS (allow_commit_timestamp = null)',
        'ALTER TABLE `T` ALTER COLUMN `at` SET DEFAULT (CURRENT_TIMESTAMP())',
      ],
    },
  },
  {
    name: 'changes the counter of an identity and of a sequence',
    from: table(
      (t) => ({ number: t.int64({ default: 1n }), other: t.bitReversedId({ name: 'o', startCounter: 5n }) }),
      { primaryKey: ['id', 'other'] } as never,
      { sequences: [{ name: 'S', startCounter: 5n }] },
    ),
    to: table(
      (t) => ({
        number: t.int64({ default: 1n }),
        other: t.bitReversedId({ name: 'o', startCounter: 50n, skipRange: [1n, 9n] }),
      }),
      { primaryKey: ['id', 'other'] } as never,
      { sequences: [{ name: 'S', startCounter: 50n, skipRange: [1n, 9n] }] },
    ),
    statements: {
      googlesql: [
        'ALTER SEQUENCE `S` SET OPTIONS (start_with_counter = 50, skip_range_min = 1, skip_range_max = 9)',
        'ALTER TABLE `T` ALTER COLUMN `o` ALTER IDENTITY SET SKIP RANGE 1, 9',
        'ALTER TABLE `T` ALTER COLUMN `o` ALTER IDENTITY RESTART COUNTER WITH 50',
      ],
      'spanner-postgresql': [
        'ALTER SEQUENCE "S" SKIP RANGE 1 9 RESTART COUNTER WITH 50',
        'ALTER TABLE "T" ALTER COLUMN "o" SET SKIP RANGE 1 9',
        'ALTER TABLE "T" ALTER COLUMN "o" RESTART COUNTER WITH 50',
      ],
    },
  },
  {
    name: 'removes the skip range of an identity and of a sequence',
    from: table(
      (t) => ({ other: t.bitReversedId({ skipRange: [1n, 9n] }) }),
      { primaryKey: ['id', 'other'] } as never,
      { sequences: [{ name: 'S', skipRange: [1n, 9n] }] },
    ),
    to: table((t) => ({ other: t.bitReversedId() }), { primaryKey: ['id', 'other'] } as never, {
      sequences: [{ name: 'S' }],
    }),
    statements: {
      googlesql: [
        'ALTER SEQUENCE `S` SET OPTIONS (skip_range_min = NULL, skip_range_max = NULL)',
        'ALTER TABLE `T` ALTER COLUMN `other` ALTER IDENTITY SET NO SKIP RANGE',
      ],
    },
  },
  {
    name: 'changes the expression of a virtual column, and recreates its index',
    from: table(
      (t) => ({ n: t.int64(), v: t.int64({ nullable: true, generated: 'n + 1', stored: false }) }),
      {
        indexes: [{ name: 'ByV', on: ['v'] }],
      } as never,
    ),
    to: table((t) => ({ n: t.int64(), v: t.int64({ nullable: true, generated: 'n + 2', stored: false }) }), {
      indexes: [{ name: 'ByV', on: ['v'] }],
    } as never),
    statements: {
      googlesql: [
        'DROP INDEX `ByV`',
        'ALTER TABLE `T` ALTER COLUMN `v` INT64 AS (n + 2)',
        'CREATE INDEX `ByV` ON `T` (`v`)',
      ],
    },
    // The emulator stores all generated columns.
    notInEmulator: [googlesql],
  },
  {
    name: 'changes the type of a column that a new generated column reads',
    from: table((t) => ({ s: t.string({ nullable: true }) })),
    to: table((t) => ({
      s: t.bytes({ nullable: true }),
      g: t.int64({ nullable: true, generated: 'length(s)' }),
    })),
    statements: {
      googlesql: [
        'ALTER TABLE `T` ALTER COLUMN `s` BYTES(MAX)',
        'ALTER TABLE `T` ADD COLUMN `g` INT64 AS (length(s)) STORED',
      ],
      'spanner-postgresql': [
        'ALTER TABLE "T" ALTER COLUMN "s" TYPE bytea, ALTER COLUMN "s" DROP NOT NULL',
        'ALTER TABLE "T" ADD COLUMN "g" bigint GENERATED ALWAYS AS (length(s)) STORED',
      ],
    },
  },
  {
    name: 'lengthens a column that a new generated column reads',
    from: table((t) => ({ s: t.string({ nullable: true, length: 10 }) })),
    to: table((t) => ({
      s: t.string({ nullable: true, length: 20 }),
      g: t.int64({ nullable: true, generated: 'length(s)' }),
    })),
    statements: {
      googlesql: [
        'ALTER TABLE `T` ALTER COLUMN `s` STRING(20)',
        'ALTER TABLE `T` ADD COLUMN `g` INT64 AS (length(s)) STORED',
      ],
      'spanner-postgresql': [
        'ALTER TABLE "T" ALTER COLUMN "s" TYPE varchar(20), ALTER COLUMN "s" DROP NOT NULL',
        'ALTER TABLE "T" ADD COLUMN "g" bigint GENERATED ALWAYS AS (length(s)) STORED',
      ],
    },
  },
  {
    name: 'lengthens a generated column',
    from: table((t) => ({
      n: t.string({ length: 9 }),
      v: t.string({ length: 9, generated: 'n' }),
    })),
    to: table((t) => ({
      n: t.string({ length: 9 }),
      v: t.string({ length: 12, generated: 'n' }),
    })),
    statements: { googlesql: ['ALTER TABLE `T` ALTER COLUMN `v` STRING(12) NOT NULL AS (n) STORED'] },
  },
  {
    name: 'gives a column another name',
    from: table(
      (t) => ({
        mail: t.string({ length: 50 }),
        seen: t.timestamp({ nullable: true, default: 'commit' }),
        rank: t.int64({ default: 3n }),
      }),
      { indexes: [{ name: 'ByMail', on: ['mail'] }] } as never,
    ),
    to: table(
      (t) => ({
        email: t.string({ length: 50 }),
        seenAt: t.timestamp({ nullable: true, default: 'commit' }),
        place: t.int64({ default: 3n }),
      }),
      { indexes: [{ name: 'ByMail', on: ['email'] }] } as never,
    ),
    renames: { columns: { T: { mail: 'email', seen: 'seenAt', rank: 'place' } } },
    statements: {
      googlesql: [
        'DROP INDEX `ByMail`',
        'ALTER TABLE `T` ADD COLUMN `email` STRING(50)',
        'ALTER TABLE `T` ADD COLUMN `seenAt` TIMESTAMP OPTIONS (allow_commit_timestamp = true)',
        'ALTER TABLE `T` ADD COLUMN `place` INT64',
        'UPDATE `T` AS _row SET `email` = _row.`mail` WHERE _row.`email` IS NULL AND _row.`mail` IS NOT NULL',
        'UPDATE `T` AS _row SET `seenAt` = _row.`seen` WHERE _row.`seenAt` IS NULL AND _row.`seen` IS NOT NULL',
        'UPDATE `T` AS _row SET `place` = _row.`rank` WHERE _row.`place` IS NULL AND _row.`rank` IS NOT NULL',
        'ALTER TABLE `T` ALTER COLUMN `email` STRING(50) NOT NULL',
        'ALTER TABLE `T` ALTER COLUMN `place` INT64 NOT NULL DEFAULT (3)',
        'CREATE INDEX `ByMail` ON `T` (`email`)',
        'ALTER TABLE `T` DROP COLUMN `mail`',
        'ALTER TABLE `T` DROP COLUMN `seen`',
        'ALTER TABLE `T` DROP COLUMN `rank`',
      ],
      'spanner-postgresql': [
        'DROP INDEX "ByMail"',
        'ALTER TABLE "T" ADD COLUMN "email" varchar(50)',
        'ALTER TABLE "T" ADD COLUMN "seenAt" spanner.commit_timestamp',
        'ALTER TABLE "T" ADD COLUMN "place" bigint',
        'UPDATE "T" AS _row SET "email" = _row."mail" WHERE _row."email" IS NULL AND _row."mail" IS NOT NULL',
        'UPDATE "T" AS _row SET "seenAt" = _row."seen" WHERE _row."seenAt" IS NULL AND _row."seen" IS NOT NULL',
        'UPDATE "T" AS _row SET "place" = _row."rank" WHERE _row."place" IS NULL AND _row."rank" IS NOT NULL',
        'ALTER TABLE "T" ALTER COLUMN "email" TYPE varchar(50), ALTER COLUMN "email" SET NOT NULL',
        'ALTER TABLE "T" ALTER COLUMN "place" TYPE bigint, ALTER COLUMN "place" SET NOT NULL',
        `ALTER TABLE "T" ALTER COLUMN "place" SET DEFAULT ('3'::bigint)`,
        'CREATE INDEX "ByMail" ON "T" ("email")',
        'ALTER TABLE "T" DROP COLUMN "mail"',
        'ALTER TABLE "T" DROP COLUMN "seen"',
        'ALTER TABLE "T" DROP COLUMN "rank"',
      ],
    },
  },
  {
    name: 'renames a column that has the name of its table',
    from: table((t) => ({ t: t.int64({ nullable: true }) })),
    to: table((t) => ({ now: t.int64({ nullable: true }) })),
    renames: { columns: { T: { t: 'now' } } },
    statements: {
      googlesql: [
        'ALTER TABLE `T` ADD COLUMN `now` INT64',
        'UPDATE `T` AS _row SET `now` = _row.`t` WHERE _row.`now` IS NULL AND _row.`t` IS NOT NULL',
        'ALTER TABLE `T` DROP COLUMN `t`',
      ],
      'spanner-postgresql': [
        'ALTER TABLE "T" ADD COLUMN "now" bigint',
        'UPDATE "T" AS _row SET "now" = _row."t" WHERE _row."now" IS NULL AND _row."t" IS NOT NULL',
        'ALTER TABLE "T" DROP COLUMN "t"',
      ],
    },
  },
  {
    name: 'renames a column to the name of its table',
    from: table((t) => ({ was: t.int64({ nullable: true }) })),
    to: table((t) => ({ t: t.int64({ nullable: true }) })),
    renames: { columns: { T: { was: 't' } } },
    statements: {
      googlesql: [
        'ALTER TABLE `T` ADD COLUMN `t` INT64',
        'UPDATE `T` AS _row SET `t` = _row.`was` WHERE _row.`t` IS NULL AND _row.`was` IS NOT NULL',
        'ALTER TABLE `T` DROP COLUMN `was`',
      ],
      'spanner-postgresql': [
        'ALTER TABLE "T" ADD COLUMN "t" bigint',
        'UPDATE "T" AS _row SET "t" = _row."was" WHERE _row."t" IS NULL AND _row."was" IS NOT NULL',
        'ALTER TABLE "T" DROP COLUMN "was"',
      ],
    },
  },
]
