import { defineSchema, defineTable, type Schema } from '@isotherm/core'
import { tableT, type PlanCase } from './case.js'

type Order = 'asc' | 'desc'

/** `T`, with the index `ByN` in that order or without it, `B` with a text or bytes, and a view over them. */
function viewed(
  query: object,
  { order, type = 'string' }: { order?: Order; type?: 'string' | 'bytes' },
): Schema {
  return defineSchema(
    [
      tableT((t) => ({ n: t.int64({ nullable: true }) }), {
        ...(order && { indexes: [{ name: 'ByN', on: [{ property: 'n', order }] }] }),
      } as never),
      defineTable('B', (t) => ({ id: t.int64().key(), s: (t[type] as typeof t.string)({ nullable: true }) })),
    ],
    { views: [{ name: 'V', query: query as never }] },
  )
}

const plain = {
  googlesql: 'SELECT t.n FROM `T` AS t',
  'spanner-postgresql': 'SELECT t.n FROM "T" AS t',
}

const forced = {
  googlesql: 'SELECT t.n FROM `T`@{FORCE_INDEX=ByN} AS t',
  'spanner-postgresql': 'SELECT t.n FROM "T" /*@ FORCE_INDEX="ByN" */ AS t',
}

const joined = {
  googlesql:
    'SELECT b.s FROM `T`@{FORCE_INDEX=_BASE_TABLE} AS t JOIN@{JOIN_METHOD=HASH_JOIN} `B` AS b ON b.id = t.id',
  'spanner-postgresql':
    'SELECT b.s FROM "T" /*@ FORCE_INDEX=_BASE_TABLE */ AS t JOIN /*@ JOIN_METHOD=HASH_JOIN */ "B" AS b ON b.id = t.id',
}

/** Views whose queries have hints. */
export const viewPlans: readonly PlanCase[] = [
  {
    name: 'recreates a view with a hint when a column that it reads changes type',
    from: viewed(joined, { type: 'string' }),
    to: viewed(joined, { type: 'bytes' }),
    statements: {
      googlesql: [
        'DROP VIEW `V`',
        'ALTER TABLE `B` ALTER COLUMN `s` BYTES(MAX)',
        `CREATE VIEW \`V\` SQL SECURITY INVOKER AS ${joined.googlesql}`,
      ],
      'spanner-postgresql': [
        'DROP VIEW "V"',
        'ALTER TABLE "B" ALTER COLUMN "s" TYPE bytea, ALTER COLUMN "s" DROP NOT NULL',
        `CREATE VIEW "V" SQL SECURITY INVOKER AS ${joined['spanner-postgresql']}`,
      ],
    },
  },
  {
    name: 'drops a view before the index that its hint names, and creates it without the hint',
    from: viewed(forced, { order: 'asc' }),
    to: viewed(plain, {}),
    statements: {
      googlesql: [
        'DROP VIEW `V`',
        'DROP INDEX `ByN`',
        `CREATE VIEW \`V\` SQL SECURITY INVOKER AS ${plain.googlesql}`,
      ],
      'spanner-postgresql': [
        'DROP VIEW "V"',
        'DROP INDEX "ByN"',
        `CREATE VIEW "V" SQL SECURITY INVOKER AS ${plain['spanner-postgresql']}`,
      ],
    },
  },
  {
    name: 'recreates a view when the index that its hint names is recreated',
    from: viewed(forced, { order: 'asc' }),
    to: viewed(forced, { order: 'desc' }),
    statements: {
      googlesql: [
        'DROP VIEW `V`',
        'DROP INDEX `ByN`',
        'CREATE INDEX `ByN` ON `T` (`n` DESC)',
        `CREATE VIEW \`V\` SQL SECURITY INVOKER AS ${forced.googlesql}`,
      ],
      'spanner-postgresql': [
        'DROP VIEW "V"',
        'DROP INDEX "ByN"',
        'CREATE INDEX "ByN" ON "T" ("n" DESC)',
        `CREATE VIEW "V" SQL SECURITY INVOKER AS ${forced['spanner-postgresql']}`,
      ],
    },
  },
  {
    name: 'replaces a view after creating the index that its new hint names',
    from: viewed(plain, {}),
    to: viewed(forced, { order: 'asc' }),
    statements: {
      googlesql: [
        'CREATE INDEX `ByN` ON `T` (`n`)',
        `CREATE OR REPLACE VIEW \`V\` SQL SECURITY INVOKER AS ${forced.googlesql}`,
      ],
      'spanner-postgresql': [
        'CREATE INDEX "ByN" ON "T" ("n")',
        `CREATE OR REPLACE VIEW "V" SQL SECURITY INVOKER AS ${forced['spanner-postgresql']}`,
      ],
    },
  },
]
