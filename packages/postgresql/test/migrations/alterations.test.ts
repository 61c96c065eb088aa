import { defineSchema, defineTable, introspect, type Schema } from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import { compareWithLive, diffSchemas, planMigration } from '@isotherm/migrations'
import { postgresql as dialect } from '@isotherm/postgresql'
import { beforeEach, describe, expect, it } from 'vitest'
import { ddlOf, recordedOf, withDatabaseAfter } from '../../../../test/migrations/planned.js'
import { emptyPglite, onEmptyPglite } from '../support/pglite.js'

// The changes whose statements PostgreSQL alone has: each is asserted, run, and read back.

interface Family {
  readonly parent?: string
  readonly child?: string
  readonly onDelete?: 'cascade' | 'no action'
  readonly required?: false
  /** The start of the child's bit-reversed column; undefined if the child has no such column. */
  readonly start?: bigint
}

function family({
  parent = 'Customer',
  child = 'Order',
  onDelete = 'cascade',
  required,
  start,
}: Family): Schema {
  const Parent = defineTable(parent, (t) => ({ id: t.uuidV4() }))
  const Child = defineTable(
    child,
    (t) => ({
      id: t.parentKey(),
      line: t.int64().key(),
      ...(start !== undefined && { number: t.bitReversedId({ key: false, startCounter: start }) }),
    }),
    {
      interleaveIn: () => Parent,

      ...(required === false ? { requireParent: false } : { onDelete }),
    },
  )
  return defineSchema([Parent, Child])
}

interface Renames {
  readonly tables?: Readonly<Record<string, string>>
}

/** Runs the statements from one schema to the other, and returns them. */
async function run(from: Schema, to: Schema, renames: Renames = {}): Promise<string[]> {
  const plan = planMigration(from, to, { dialect, renames })
  const live = await withDatabaseAfter(onEmptyPglite, from, dialect, plan, (driver) =>
    introspect({ driver, dialect }),
  )
  const recorded = await recordedOf(onEmptyPglite, to, dialect)
  expect(compareWithLive(to, live, { dialect, recorded })).toEqual({ changes: [], refusals: [] })
  return plan.map(({ sql }) => sql)
}

describe('the foreign key of an interleaved table', () => {
  const KEY = 'FOREIGN KEY ("id") REFERENCES "Customer"'
  const DROP = 'ALTER TABLE "Order" DROP CONSTRAINT IF EXISTS "Order_parent"'

  it('planMigration() replaces the foreign key to a parent when ON DELETE changes', async () => {
    expect(await run(family({ onDelete: 'cascade' }), family({ onDelete: 'no action' }))).toEqual([
      `${DROP}, ADD CONSTRAINT "Order_parent" ${KEY} ON DELETE NO ACTION`,
    ])
  })

  it('planMigration() drops the foreign key to an optional parent, and adds it for a required parent', async () => {
    const [needed, loose] = [family({}), family({ required: false })]
    expect(await run(needed, loose)).toEqual([DROP])
    expect(await run(loose, needed)).toEqual([
      `${DROP}, ADD CONSTRAINT "Order_parent" ${KEY} ON DELETE CASCADE`,
    ])
  })
})

it('a table rename also renames the constraint and the sequence of the table', async () => {
  const [from, to] = [family({ start: 5n }), family({ child: 'Entry', start: 5n })]
  expect(await run(from, to, { tables: { Order: 'Entry' } })).toEqual([
    'ALTER TABLE "Order" RENAME TO "Entry"',
    'ALTER TABLE "Entry" RENAME CONSTRAINT "Order_parent" TO "Entry_parent"',
    'ALTER SEQUENCE IF EXISTS "Order_number_seq" RENAME TO "Entry_number_seq"',
  ])
})

it('a table rename in a named schema keeps the schema', async () => {
  const [from, to] = [
    family({ parent: 'sales.Customer', child: 'sales.Order', start: 5n }),
    family({ parent: 'sales.Customer', child: 'sales.Entry', start: 5n }),
  ]
  expect(await run(from, to, { tables: { 'sales.Order': 'sales.Entry' } })).toEqual([
    'ALTER TABLE "sales"."Order" RENAME TO "Entry"',
    'ALTER TABLE "sales"."Entry" RENAME CONSTRAINT "Order_parent" TO "Entry_parent"',
    'ALTER SEQUENCE IF EXISTS "sales"."Order_number_seq" RENAME TO "Entry_number_seq"',
  ])
})

describe('a bit-reversed column', () => {
  const sequence = 'ALTER SEQUENCE "Order_number_seq"'

  it('is added with its sequence by planMigration()', async () => {
    expect(await run(family({}), family({ start: 9n }))).toEqual([
      'CREATE SEQUENCE "Order_number_seq" START WITH 9',
      expect.stringMatching(
        /^ALTER TABLE "Order" ADD COLUMN "number" bigint NOT NULL DEFAULT .*Order_number_seq/,
      ),
      `${sequence} OWNED BY "Order"."number"`,
    ])
  })

  it.each([
    ['a later start value, from which it goes on', 70n, 70],
    ['a start value that it has passed, and goes on from where it was', 20n, 31],
    ['an earlier start value, and goes on from where it was', 2n, 31],
  ])('gets %s, and never returns a number twice', async (_, start, next) => {
    const [from, to] = [family({ start: 9n }), family({ start })]
    const [change] = await run(from, to)
    const database = await emptyPglite()
    await database.exec(ddlOf(from, dialect).join(';'))
    await database.exec(`SELECT setval('"Order_number_seq"', 30)`)
    await database.exec(change!)
    const { rows } = await database.query(`SELECT nextval('"Order_number_seq"')::int AS n`)
    expect(rows).toEqual([{ n: next }])
  })

  it('starts at another value when no number has been taken yet', async () => {
    const database = await emptyPglite()
    await database.exec(ddlOf(family({ start: 9n }), dialect).join(';'))
    const [change] = planMigration(family({ start: 9n }), family({ start: 70n }), { dialect })
    await database.exec(change!.sql)
    const { rows } = await database.query(`SELECT nextval('"Order_number_seq"')::int AS n`)
    expect(rows).toEqual([{ n: 70 }])
  })
})

describe('an array', () => {
  const Thing = (tags?: 'nullable' | 'required') =>
    defineSchema([
      defineTable('Thing', (t) => ({
        id: t.uuidV4(),
        ...(tags && {
          tags: t.array(
            { kind: 'string', length: 'max' },
            {
              default: [],
              ...(tags === 'nullable' && { nullable: true }),
            },
          ),
        }),
      })),
    ])

  it('is added as NOT NULL with a default to a table with rows', async () => {
    const [change] = await run(Thing(), Thing('required'))
    const database = await emptyPglite()
    await database.exec(`${ddlOf(Thing(), dialect).join(';')}; INSERT INTO "Thing" DEFAULT VALUES`)
    await database.exec(change!)
    expect((await database.query('SELECT "tags" FROM "Thing"')).rows).toEqual([{ tags: [] }])
  })

  it('becomes NOT NULL', async () => {
    expect(await run(Thing('nullable'), Thing('required'))).toEqual([
      'ALTER TABLE "Thing" ALTER COLUMN "tags" SET NOT NULL',
    ])
  })
})

describe('a string column', () => {
  const Thing = (length: number | 'max', kind: 'string' | 'bytes' = 'string', by?: string) =>
    defineSchema([
      defineTable('Thing', (t) => ({
        id: t.uuidV4(),
        name:
          kind === 'bytes'
            ? t.bytes({ nullable: true })
            : t.string({ length, nullable: true, ...(by && { default: by }) }),
      })),
    ])

  beforeEach(async () => {
    await emptyPglite()
  })

  it('changes to bytes without its default, and back to a string with its default', async () => {
    expect(await run(Thing('max', 'string', 'none'), Thing('max', 'bytes'))).toEqual([
      `ALTER TABLE "Thing" ALTER COLUMN "name" DROP DEFAULT, ALTER COLUMN "name" TYPE bytea USING convert_to("name", 'UTF8')`,
    ])
    expect(await run(Thing('max', 'bytes'), Thing(20, 'string', 'none'))).toEqual([
      `ALTER TABLE "Thing" ALTER COLUMN "name" TYPE varchar(20) COLLATE "C" USING convert_from("name", 'UTF8'), ALTER COLUMN "name" SET DEFAULT ('none')`,
    ])
  })

  it.each(['string', 'bytes'] as const)(
    'the change of a column from %s to a shorter string fails instead of truncating values',
    async (kind) => {
      const [long, short] = [Thing('max', kind), Thing(3)]
      const database = await emptyPglite()
      await database.exec(ddlOf(long, dialect).join(';'))
      await database.exec(`INSERT INTO "Thing" ("name") VALUES ('long')`)
      const [change] = planMigration(long, short, { dialect })
      await expect(database.exec(change!.sql)).rejects.toThrow('value too long')
      expect((await database.query('SELECT length("name") AS l FROM "Thing"')).rows).toEqual([{ l: 4 }])
    },
  )
})

describe('a UUID that is stored as text', () => {
  const Thing = (kind: 'uuid' | 'string', length: number | 'max' = 'max') =>
    defineSchema([
      defineTable('Thing', (t) => ({
        id: t.int64().key(),
        ref: kind === 'uuid' ? t.uuid({ nullable: true }) : t.string({ length, nullable: true }),
      })),
    ])
  const uuid = '00000000-0000-4000-8000-00000000000a'

  it('changes to a string and back, and keeps its value', async () => {
    const changes = [
      ...(await run(Thing('string'), Thing('uuid'))),
      ...(await run(Thing('uuid'), Thing('string'))),
    ]
    expect(changes).toEqual([
      'ALTER TABLE "Thing" ALTER COLUMN "ref" TYPE varchar(36) COLLATE "C"',
      'ALTER TABLE "Thing" ALTER COLUMN "ref" TYPE text COLLATE "C"',
    ])
    const database = await emptyPglite()
    await database.exec(ddlOf(Thing('string'), dialect).join(';'))
    await database.exec(`INSERT INTO "Thing" VALUES (1, '${uuid}')`)
    for (const change of changes) {
      await database.exec(change)
      expect((await database.query('SELECT "ref" FROM "Thing"')).rows).toEqual([{ ref: uuid }])
    }
  })

  it('changes to a string of another length, which fails where the value is longer', async () => {
    const [change] = await run(Thing('uuid'), Thing('string', 10))
    const database = await emptyPglite()
    await database.exec(ddlOf(Thing('uuid'), dialect).join(';'))
    await database.exec(`INSERT INTO "Thing" VALUES (1, '${uuid}')`)
    await expect(database.exec(change!)).rejects.toThrow('value too long')
  })

  it('is the same column as a string of its length', async () => {
    expect(await run(Thing('uuid'), Thing('string', 36))).toEqual([])
  })
})

it('diffSchemas() rejects a change between a string and a UUID in bytes', () => {
  const Thing = (isUuid: boolean) =>
    defineSchema([
      defineTable('Thing', (t) => ({
        id: t.int64().key(),
        ref: isUuid ? t.uuid({ storage: 'bytes' }) : t.string(),
      })),
    ])
  const messagesOf = (from: Schema, to: Schema): string[] =>
    diffSchemas(from, to, { dialect }).refusals.map(({ message }) => message)
  expect(messagesOf(Thing(true), Thing(false))).toEqual([
    'is of type uuid, stored as bytes, and the model has string.',
  ])
  expect(messagesOf(Thing(false), Thing(true))).toEqual([
    'is of type string, and the model has uuid, stored as bytes.',
  ])
})

describe('planMigration() for objects that depend on each other', () => {
  const A = (unique: boolean) =>
    defineTable(
      'A',
      (t) => ({ id: t.uuidV4(), v: t.int64({ nullable: true }) }),
      unique ? { indexes: [{ name: 'A_v', on: ['v'], unique: true }] } : {},
    )

  it('creates a new unique index before a foreign key of a new table that needs the index', async () => {
    const target = A(true)
    const B = defineTable('B', (t) => ({ id: t.uuidV4(), v: t.int64({ nullable: true }) }), {
      foreignKeys: [{ name: 'B_v', columns: ['v'], references: () => target, on: ['v'] }],
    })
    expect(await run(defineSchema([A(false)]), defineSchema([target, B]))).toEqual([
      expect.stringMatching(/^CREATE TABLE "B"/),
      'CREATE UNIQUE INDEX "A_v" ON "A" ("v")',
      'ALTER TABLE "B" ADD CONSTRAINT "B_v" FOREIGN KEY ("v") REFERENCES "A" ("v")',
    ])
  })

  it('creates an index that begins with the key of the parent, and introspection finds no difference', async () => {
    const P = defineTable('P', (t) => ({ id: t.uuidV4() }))
    const C = (indexes: object) =>
      defineTable(
        'C',
        (t) => ({ id: t.parentKey(), line: t.int64().key(), v: t.int64({ nullable: true }) }),
        { interleaveIn: () => P, onDelete: 'cascade', ...indexes },
      )
    const indexed = C({ indexes: [{ name: 'C_v', on: ['id', 'v'], interleaveIn: () => P }] })
    expect(await run(defineSchema([P, C({})]), defineSchema([P, indexed]))).toEqual([
      'CREATE INDEX "C_v" ON "C" ("id", "v")',
    ])
  })

  it('recreates a view of SELECT * when a column is added', async () => {
    const V = { name: 'V', query: 'SELECT * FROM "A"', security: 'invoker' } as const
    const wide = defineTable('A', (t) => ({
      id: t.uuidV4(),
      v: t.int64({ nullable: true }),
      w: t.int64({ nullable: true }),
    }))
    expect(await run(defineSchema([A(false)], { views: [V] }), defineSchema([wide], { views: [V] }))).toEqual(
      ['DROP VIEW "V"', 'ALTER TABLE "A" ADD COLUMN "w" bigint', expect.stringMatching(/^CREATE VIEW "V"/)],
    )
  })

  it('adds a foreign key when a table gets a parent', async () => {
    const P = defineTable('P', (t) => ({ id: t.uuidV4() }))
    const loose = defineTable('C', (t) => ({ id: t.uuid().key(), line: t.int64().key() }))
    const child = defineTable('C', (t) => ({ id: t.parentKey(), line: t.int64().key() }), {
      interleaveIn: () => P,
      onDelete: 'cascade',
    })
    expect(await run(defineSchema([P, loose]), defineSchema([P, child]))).toEqual([
      expect.stringContaining(
        'ADD CONSTRAINT "C_parent" FOREIGN KEY ("id") REFERENCES "P" ON DELETE CASCADE',
      ),
    ])
  })
})

it('diffSchemas() rejects another number of shards, and does not suggest --reshard on PostgreSQL', () => {
  const Hot = (shards: number) =>
    defineSchema([
      defineTable('Hot', (t) => ({ shard: t.shardKey({ shards, of: ['id'] }), id: t.int64().key() })),
    ])
  const { refusals } = diffSchemas(Hot(8), Hot(16), { dialect })
  expect(refusals).toMatchObject([
    { kind: 'primary-key', fix: expect.stringMatching(/drop it and create it again/) },
  ])
  expect(JSON.stringify(refusals)).not.toContain('--reshard')
})

it('diffSchemas() rejects another length of a column that a shard is computed from', () => {
  const Named = (length: number) =>
    defineSchema([
      defineTable('Named', (t) => ({
        shard: t.shardKey({ shards: 8, of: ['name'] }),
        name: t.string({ length }).key(),
      })),
    ])
  expect(diffSchemas(Named(10), Named(20), { dialect }).refusals).toMatchObject([
    {
      kind: 'column-type',
      column: 'name',
      message: expect.stringContaining('read by the generated column shard'),
    },
  ])
})

describe('the shard of an index', () => {
  const withIndex = (name?: string, shards = 16): Schema =>
    defineSchema([
      defineTable(
        'Log',
        (t) => ({ id: t.int64().key(), at: t.timestamp({ nullable: true }) }),
        name ? { indexes: [{ name, on: ['at'], shard: { shards, of: ['id'] } }] } : {},
      ),
    ])

  it('is a column that is added and dropped with its index, also in a table with rows', async () => {
    const added = [
      expect.stringMatching(
        /^ALTER TABLE "Log" ADD COLUMN "ByTime_shard" bigint NOT NULL GENERATED ALWAYS AS \(.*, 16\)\)\) STORED$/,
      ),
      'CREATE INDEX "ByTime" ON "Log" ("ByTime_shard", "at")',
    ]
    const [from, to] = [withIndex(), withIndex('ByTime')]
    expect(await run(from, to)).toEqual(added)
    expect(await run(to, from)).toEqual([
      'DROP INDEX "ByTime"',
      'ALTER TABLE "Log" DROP COLUMN "ByTime_shard"',
    ])
    const database = await emptyPglite()
    await database.exec(ddlOf(from, dialect).join(';'))
    await database.exec('INSERT INTO "Log" (id) SELECT * FROM generate_series(1, 100)')
    for (const { sql } of planMigration(from, to, { dialect })) await database.exec(sql)
    const { rows } = await database.query<{ id: string; shard: string }>(
      'SELECT id::text, "ByTime_shard"::text AS shard FROM "Log"',
    )
    expect(rows).toHaveLength(100)
    for (const { id, shard } of rows) expect(Number(shard)).toBe(shardOf(BigInt(id), 16, { dialect }))
  })

  it('is replaced with an index of another name, and diffSchemas() rejects another number of shards for the same name', async () => {
    expect(await run(withIndex('ByTime'), withIndex('ByTime32', 32))).toEqual([
      'DROP INDEX "ByTime"',
      'ALTER TABLE "Log" DROP COLUMN "ByTime_shard"',
      expect.stringContaining('ADD COLUMN "ByTime32_shard"'),
      'CREATE INDEX "ByTime32" ON "Log" ("ByTime32_shard", "at")',
    ])
    expect(diffSchemas(withIndex('ByTime'), withIndex('ByTime', 32), { dialect }).refusals).toMatchObject([
      {
        kind: 'generated-column',
        column: 'ByTime_shard',
        message: expect.stringContaining('shards the index ByTime'),
        fix: 'Give the index another name, so that a new one is created.',
      },
    ])
  })
})
