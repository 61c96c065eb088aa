import { defineSchema, defineTable, introspect, type Schema } from '@isotherm/core'
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
  /** Of the child's column that counts by itself; none where it has no such column. */
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

/** The statements from one schema to the other, which have made the one from the other. */
async function run(from: Schema, to: Schema, renames: Renames = {}): Promise<string[]> {
  const plan = planMigration(from, to, { dialect, renames })
  const live = await withDatabaseAfter(onEmptyPglite, from, dialect, plan, (driver) =>
    introspect({ driver, dialect }),
  )
  const recorded = await recordedOf(onEmptyPglite, to, dialect)
  expect(compareWithLive(to, live, { dialect, recorded })).toEqual({ changes: [], refusals: [] })
  return plan.map(({ sql }) => sql)
}

describe('a parent', () => {
  const KEY = 'FOREIGN KEY ("id") REFERENCES "Customer"'
  const DROP = 'ALTER TABLE "Order" DROP CONSTRAINT IF EXISTS "Order_parent"'

  it('deletes its rows in another way', async () => {
    expect(await run(family({ onDelete: 'cascade' }), family({ onDelete: 'no action' }))).toEqual([
      `${DROP}, ADD CONSTRAINT "Order_parent" ${KEY} ON DELETE NO ACTION`,
    ])
  })

  it('is not needed any more, and needed again', async () => {
    const [needed, loose] = [family({}), family({ required: false })]
    expect(await run(needed, loose)).toEqual([DROP])
    expect(await run(loose, needed)).toEqual([
      `${DROP}, ADD CONSTRAINT "Order_parent" ${KEY} ON DELETE CASCADE`,
    ])
  })
})

it('a table that gets another name takes its foreign key and its sequence with it', async () => {
  const [from, to] = [family({ start: 5n }), family({ child: 'Entry', start: 5n })]
  expect(await run(from, to, { tables: { Order: 'Entry' } })).toEqual([
    'ALTER TABLE "Order" RENAME TO "Entry"',
    'ALTER TABLE "Entry" RENAME CONSTRAINT "Order_parent" TO "Entry_parent"',
    'ALTER SEQUENCE IF EXISTS "Order_number_seq" RENAME TO "Entry_number_seq"',
  ])
})

it('a table in a named schema gets another name there', async () => {
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

describe('a column that counts by itself', () => {
  const sequence = 'ALTER SEQUENCE "Order_number_seq"'

  it('is added with its sequence', async () => {
    expect(await run(family({}), family({ start: 9n }))).toEqual([
      'CREATE SEQUENCE "Order_number_seq" START WITH 9',
      expect.stringMatching(
        /^ALTER TABLE "Order" ADD COLUMN "number" bigint NOT NULL DEFAULT .*Order_number_seq/,
      ),
      `${sequence} OWNED BY "Order"."number"`,
    ])
  })

  it('goes on elsewhere', async () => {
    expect(await run(family({ start: 9n }), family({ start: 70n }))).toEqual([
      `${sequence} START WITH 70 RESTART`,
    ])
    const database = await emptyPglite()
    await database.exec('CREATE SEQUENCE s START WITH 9; ALTER SEQUENCE s START WITH 70 RESTART')
    expect((await database.query(`SELECT nextval('s')::int AS n`)).rows).toEqual([{ n: 70 }])
  })
})

describe('a column of text', () => {
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

  it('becomes bytes, and text again, without its default in between', async () => {
    expect(await run(Thing('max', 'string', 'none'), Thing('max', 'bytes'))).toEqual([
      `ALTER TABLE "Thing" ALTER COLUMN "name" DROP DEFAULT, ALTER COLUMN "name" TYPE bytea USING convert_to("name", 'UTF8')`,
    ])
    expect(await run(Thing('max', 'bytes'), Thing(20, 'string', 'none'))).toEqual([
      `ALTER TABLE "Thing" ALTER COLUMN "name" TYPE varchar(20) COLLATE "C" USING convert_from("name", 'UTF8'), ALTER COLUMN "name" SET DEFAULT ('none')`,
    ])
  })

  it.each(['string', 'bytes'] as const)('from %s is not cut where it is too long', async (kind) => {
    const [long, short] = [Thing('max', kind), Thing(3)]
    const database = await emptyPglite()
    await database.exec(ddlOf(long, dialect).join(';'))
    await database.exec(`INSERT INTO "Thing" ("name") VALUES ('long')`)
    const [change] = planMigration(long, short, { dialect })
    await expect(database.exec(change!.sql)).rejects.toThrow('value too long')
    expect((await database.query('SELECT length("name") AS l FROM "Thing"')).rows).toEqual([{ l: 4 }])
  })
})

describe('what PostgreSQL ties together', () => {
  const A = (unique: boolean) =>
    defineTable(
      'A',
      (t) => ({ id: t.uuidV4(), v: t.int64({ nullable: true }) }),
      unique ? { indexes: [{ name: 'A_v', on: ['v'], unique: true }] } : {},
    )

  it('a new table refers to a new index of one that is there', async () => {
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

  it('an index that begins with the key of the parent is read back as what it is', async () => {
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

  it('a view of all columns is made again when a column comes', async () => {
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

  it('a table is given a parent', async () => {
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

it('another key is refused with what to do here', () => {
  const Hot = (shards: number) =>
    defineSchema([
      defineTable('Hot', (t) => ({ shard: t.shardKey({ shards, of: ['id'] }), id: t.int64().key() })),
    ])
  const { refusals } = diffSchemas(Hot(8), Hot(16), { dialect })
  expect(refusals).toMatchObject([
    { kind: 'primary-key', fix: expect.stringMatching(/drop it and make it again/) },
  ])
  expect(JSON.stringify(refusals)).not.toContain('--reshard')
})

it('the length of a column that a shard is computed from stays', () => {
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
