import { defineSchema, defineTable } from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { table, tableT, type PlanCase } from './case.js'

const Other = defineTable('Other', (t) => ({
  id: t.int64().key(),
  code: t.string({ length: 9, nullable: true }),
}))

const quotedN = { googlesql: '`n`', 'spanner-postgresql': '"n"' } as const

const checked = (limit: number) =>
  table((t) => ({ n: t.int64() }), {
    checks: [
      {
        name: 'Limit',
        expression: {
          googlesql: `${quotedN.googlesql} > ${limit}`,
          'spanner-postgresql': `${quotedN['spanner-postgresql']} > ${limit}`,
        },
      },
    ],
  })

const referring = (onDelete?: 'cascade', nullable = true) =>
  defineSchema([
    Other,
    tableT((t) => ({ other: t.int64({ nullable }) }), {
      foreignKeys: [
        { name: 'ToOther', columns: ['other'], references: () => Other, ...(onDelete && { onDelete }) },
      ],
    } as never),
  ])

const stamped = (options: object) =>
  table((t) => ({ at: t.timestamp(), seen: t.timestamp() }), options as never)

const tree = (onDelete: 'cascade' | 'no action', more: object = {}) => {
  const Root = defineTable('Root', (t) => ({ id: t.int64().key() }))
  const Leaf = defineTable('Leaf', (t) => ({ id: t.parentKey<bigint>(), line: t.int64().key() }), {
    interleaveIn: () => Root,
    onDelete,
    ...more,
  })
  return defineSchema([Root, Leaf])
}

export const constraintPlans: readonly PlanCase[] = [
  {
    name: 'adds a check constraint',
    from: table((t) => ({ n: t.int64() })),
    to: checked(1),
    statements: {
      googlesql: ['ALTER TABLE `T` ADD CONSTRAINT `Limit` CHECK (`n` > 1)'],
      'spanner-postgresql': ['ALTER TABLE "T" ADD CONSTRAINT "Limit" CHECK ("n" > 1)'],
    },
  },
  {
    name: 'changes a check constraint',
    from: checked(1),
    to: checked(2),
    statements: {
      googlesql: [
        'ALTER TABLE `T` DROP CONSTRAINT `Limit`',
        'ALTER TABLE `T` ADD CONSTRAINT `Limit` CHECK (`n` > 2)',
      ],
      'spanner-postgresql': [
        'ALTER TABLE "T" DROP CONSTRAINT "Limit"',
        'ALTER TABLE "T" ADD CONSTRAINT "Limit" CHECK ("n" > 2)',
      ],
    },
  },
  {
    name: 'recreates a check constraint when its column changes type',
    from: table((t) => ({ s: t.string() }), { checks: [{ name: 'Given', expression: 's IS NOT NULL' }] }),
    to: table((t) => ({ s: t.bytes() }), { checks: [{ name: 'Given', expression: 's IS NOT NULL' }] }),
    statements: {
      googlesql: [
        'ALTER TABLE `T` DROP CONSTRAINT `Given`',
        'ALTER TABLE `T` ALTER COLUMN `s` BYTES(MAX) NOT NULL',
        'ALTER TABLE `T` ADD CONSTRAINT `Given` CHECK (s IS NOT NULL)',
      ],
      'spanner-postgresql': [
        'ALTER TABLE "T" DROP CONSTRAINT "Given"',
        'ALTER TABLE "T" ALTER COLUMN "s" TYPE bytea, ALTER COLUMN "s" SET NOT NULL',
        'ALTER TABLE "T" ADD CONSTRAINT "Given" CHECK (s IS NOT NULL)',
      ],
    },
  },
  {
    name: 'increases the number of random shards',
    from: defineSchema([
      defineTable('R', (t) => ({ shard: t.shardKey({ shards: 4, strategy: 'random' }), id: t.uuidV4() })),
    ]),
    to: defineSchema([
      defineTable('R', (t) => ({ shard: t.shardKey({ shards: 8, strategy: 'random' }), id: t.uuidV4() })),
    ]),
    statements: {
      googlesql: [
        'ALTER TABLE `R` DROP CONSTRAINT `R_shard_range`',
        'ALTER TABLE `R` ADD CONSTRAINT `R_shard_range` CHECK (`shard` >= 0 AND `shard` < 8)',
      ],
      'spanner-postgresql': [
        'ALTER TABLE "R" DROP CONSTRAINT "R_shard_range"',
        'ALTER TABLE "R" ADD CONSTRAINT "R_shard_range" CHECK ("shard" >= 0 AND "shard" < 8)',
      ],
    },
  },
  {
    name: 'changes the ON DELETE of a foreign key',
    from: referring(),
    to: referring('cascade'),
    statements: {
      googlesql: [
        'ALTER TABLE `T` DROP CONSTRAINT `ToOther`',
        'ALTER TABLE `T` ADD CONSTRAINT `ToOther` FOREIGN KEY (`other`) REFERENCES `Other` (`id`) ON DELETE CASCADE',
      ],
      'spanner-postgresql': [
        'ALTER TABLE "T" DROP CONSTRAINT "ToOther"',
        'ALTER TABLE "T" ADD CONSTRAINT "ToOther" FOREIGN KEY ("other") REFERENCES "Other" ("id") ON DELETE CASCADE',
      ],
    },
  },
  {
    name: 'recreates a foreign key when its column becomes NOT NULL',
    from: referring(),
    to: referring(undefined, false),
    statements: {
      googlesql: [
        'ALTER TABLE `T` DROP CONSTRAINT `ToOther`',
        'ALTER TABLE `T` ALTER COLUMN `other` INT64 NOT NULL',
        'ALTER TABLE `T` ADD CONSTRAINT `ToOther` FOREIGN KEY (`other`) REFERENCES `Other` (`id`)',
      ],
      'spanner-postgresql': [
        'ALTER TABLE "T" DROP CONSTRAINT "ToOther"',
        'ALTER TABLE "T" ALTER COLUMN "other" TYPE bigint, ALTER COLUMN "other" SET NOT NULL',
        'ALTER TABLE "T" ADD CONSTRAINT "ToOther" FOREIGN KEY ("other") REFERENCES "Other" ("id")',
      ],
    },
  },
  {
    name: 'adds a row deletion policy',
    from: stamped({}),
    to: stamped({ rowDeletion: { property: 'at', days: 7 } }),
    statements: {
      googlesql: ['ALTER TABLE `T` ADD ROW DELETION POLICY (OLDER_THAN(`at`, INTERVAL 7 DAY))'],
      'spanner-postgresql': [`ALTER TABLE "T" ADD TTL INTERVAL '7 days' ON "at"`],
    },
  },
  {
    name: 'changes a row deletion policy to another column, and drops the old column',
    from: stamped({ rowDeletion: { property: 'at', days: 7 } }),
    to: table((t) => ({ seen: t.timestamp() }), { rowDeletion: { property: 'seen', days: 9 } } as never),
    statements: {
      googlesql: [
        'ALTER TABLE `T` REPLACE ROW DELETION POLICY (OLDER_THAN(`seen`, INTERVAL 9 DAY))',
        'ALTER TABLE `T` DROP COLUMN `at`',
      ],
      'spanner-postgresql': [
        `ALTER TABLE "T" ALTER TTL INTERVAL '9 days' ON "seen"`,
        'ALTER TABLE "T" DROP COLUMN "at"',
      ],
    },
  },
  {
    name: 'drops a row deletion policy, and then its column',
    from: stamped({ rowDeletion: { property: 'at', days: 7 } }),
    to: table((t) => ({ seen: t.timestamp() })),
    statements: {
      googlesql: ['ALTER TABLE `T` DROP ROW DELETION POLICY', 'ALTER TABLE `T` DROP COLUMN `at`'],
      'spanner-postgresql': ['ALTER TABLE "T" DROP TTL', 'ALTER TABLE "T" DROP COLUMN "at"'],
    },
  },
  {
    name: 'changes an interleaved table to ON DELETE CASCADE',
    from: tree('no action'),
    to: tree('cascade'),
    statements: {
      googlesql: ['ALTER TABLE `Leaf` SET ON DELETE CASCADE'],
      'spanner-postgresql': ['ALTER TABLE "Leaf" SET ON DELETE CASCADE'],
    },
  },
  {
    name: 'changes INTERLEAVE IN PARENT to INTERLEAVE IN',
    from: tree('cascade'),
    to: tree('no action', { requireParent: false }),
    statements: {
      googlesql: ['ALTER TABLE `Leaf` SET INTERLEAVE IN `Root`'],
      'spanner-postgresql': ['ALTER TABLE "Leaf" SET INTERLEAVE IN "Root"'],
    },
    notInEmulator: [googlesql, spannerPostgresql],
  },
  {
    name: 'changes INTERLEAVE IN to INTERLEAVE IN PARENT, and then to ON DELETE CASCADE',
    from: tree('no action', { requireParent: false }),
    to: tree('cascade'),
    statements: {
      googlesql: [
        'ALTER TABLE `Leaf` SET INTERLEAVE IN PARENT `Root` ON DELETE NO ACTION',
        'ALTER TABLE `Leaf` SET INTERLEAVE IN PARENT `Root` ON DELETE CASCADE',
      ],
      'spanner-postgresql': [
        'ALTER TABLE "Leaf" SET INTERLEAVE IN PARENT "Root" ON DELETE NO ACTION',
        'ALTER TABLE "Leaf" SET INTERLEAVE IN PARENT "Root" ON DELETE CASCADE',
      ],
    },
    notInEmulator: [googlesql, spannerPostgresql],
  },
]
