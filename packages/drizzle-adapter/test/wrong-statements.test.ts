import type { SqlDialect } from '@isotherm/core'
import * as spanner from '@isotherm/spanner'
import { gt, sql } from 'drizzle-orm'
import * as pgCore from 'drizzle-orm/pg-core'
import { drizzle as pgProxy } from 'drizzle-orm/pg-proxy'
import { describe, expect, it } from 'vitest'
import * as googlesql from '../src/index.js'
import * as postgresql from '../src/postgresql.js'
import { scriptedDriver, type ScriptedDriver } from './session/support/scripted-driver.js'
import { refused } from './support/refusal.js'

// Statements that would not do what they say: they would change other rows, run on another database or use other options.

interface Statement extends PromiseLike<unknown> {
  toSQL(): { readonly sql: string }
  prepare(name?: string): unknown
  where(condition: unknown): Statement
  returning(fields?: unknown): Statement
  orderBy(...by: readonly unknown[]): Statement
  groupBy(...by: readonly unknown[]): Statement
  union(right: unknown): Statement
  onConflictDoUpdate(config: unknown): Statement
}

const JOINS = ['leftJoin', 'rightJoin', 'innerJoin', 'fullJoin', 'crossJoin'] as const
interface Select extends Statement, Record<(typeof JOINS)[number], Join> {}
type Join = (source: unknown, on?: unknown) => Select

/** What the databases of both dialects have, as a program without types calls it. */
interface Db {
  select(fields?: unknown): { from(table: unknown): Select }
  selectDistinct(fields?: unknown): { from(table: unknown): Statement }
  insert(table: unknown): { values(rows: unknown): Statement }
  update(table: unknown): { set(values: unknown): Statement }
  delete(table: unknown): Statement
  with(...subqueries: readonly unknown[]): Pick<Db, 'select' | 'insert' | 'update' | 'delete'>
  execute(query: unknown): PromiseLike<unknown>
  $count(table: unknown): PromiseLike<number>
  batch(queries: unknown): Promise<unknown>
  partitioned(query: unknown): Promise<unknown>
  $withOptions(options: object): Db
  transaction(work: (tx: Tx) => Promise<unknown>, config?: object): Promise<unknown>
}

interface Tx extends Omit<Db, 'transaction'> {
  mutate(table: unknown): Record<'insert' | 'update' | 'upsert' | 'delete', (rows: unknown) => void>
}

interface Dialect {
  readonly dialect: SqlDialect
  readonly users: Readonly<Record<'id' | 'name' | 'note', never>>
  drizzle(...args: readonly unknown[]): unknown
}

const MADE = { idOf: () => 'made' }

const DIALECTS: Readonly<Record<'googlesql' | 'spanner-postgresql', Dialect>> = {
  googlesql: {
    dialect: spanner.googlesql,
    users: googlesql.spannerTable('User', {
      id: googlesql.string().primaryKey().$defaultFn(MADE.idOf),
      name: googlesql.string(),
      note: googlesql.string(),
    }) as never,
    drizzle: googlesql.drizzle as never,
  },
  'spanner-postgresql': {
    dialect: spanner.spannerPostgresql,
    users: pgCore.pgTable('User', {
      id: pgCore.varchar().primaryKey().$defaultFn(MADE.idOf),
      name: pgCore.varchar(),
      note: pgCore.varchar(),
    }) as never,
    drizzle: postgresql.drizzle as never,
  },
}

class Person {
  readonly #name: string
  constructor(name: string) {
    this.#name = name
  }
  get name(): string {
    return this.#name
  }
  note(): string {
    return 'a method'
  }
}

describe.each(Object.values(DIALECTS))(
  'invalid statements in $dialect.name',
  ({ dialect, users, drizzle }) => {
    function opened(): { db: Db; driver: ScriptedDriver } {
      const driver = { ...scriptedDriver(), dialect, costs: {}, lacks: {} } as unknown as ScriptedDriver
      return { driver, db: drizzle(driver) as Db }
    }
    const whats = ({ calls }: ScriptedDriver) => calls.map(({ what }) => what)

    const NO_ROWS: readonly (readonly [string, unknown, string])[] = [
      ['undefined', undefined, 'the row is undefined.'],
      ['null', null, 'the row is null.'],
      ['a number', 5, 'the row is 5.'],
      ['a string', 'abc', "the row is 'abc'."],
      ['undefined in an array', [{ name: 'a' }, undefined], 'the row at 1 is undefined.'],
      // eslint-disable-next-line no-sparse-arrays
      ['a hole in an array', [{ name: 'a' }, , { name: 'b' }], 'the row at 1 is undefined.'],
      ['an array in an array', [[{ name: 'a' }]], 'the row at 0 is ['],
      ['a Map', new Map([['name', 'a']]), 'the row is Map'],
      ['a promise', Promise.resolve({ name: 'a' }), 'the row is Promise'],
    ]

    it.each(NO_ROWS)(
      'inserts and mutations reject %s as a row with INVALID_VALUE',
      async (_, rows, message) => {
        const { db, driver } = opened()
        const calls: readonly (() => unknown)[] = [
          () => db.insert(users).values(rows),
          () => db.with().insert(users).values(rows),
          ...(['insert', 'upsert', 'update'] as const).map(
            (op) => () => db.transaction(async (tx) => tx.mutate(users)[op](rows)),
          ),
        ]
        for (const call of calls) {
          const error = await refused(call)
          expect(error).toMatchObject({
            code: 'INVALID_VALUE',
            message: expect.stringContaining(`User: ${message}`),
          })
        }
        const error = await refused(() => db.transaction(async (tx) => tx.mutate(users).delete(rows)))
        expect(error).toMatchObject({
          code: 'INVALID_VALUE',
          message: expect.stringContaining('User: the key'),
        })
        expect(driver.calls.some(({ what }) => what.startsWith('transaction.'))).toBe(false)
      },
    )

    it.each([{ nam: 'a' }, { nam: undefined }])(
      'inserts, updates and mutations reject the unknown property of %o',
      async (wrong) => {
        const { db, driver } = opened()
        const row = { id: '1', name: 'a', ...wrong }
        const calls: readonly (() => unknown)[] = [
          () => db.insert(users).values(row),
          () => db.insert(users).values([{ id: '2', name: 'b' }, row]),
          () => db.update(users).set(row),
          () => db.with().update(users).set(row),
          ...(['insert', 'upsert', 'update', 'delete'] as const).map(
            (op) => () => db.transaction(async (tx) => tx.mutate(users)[op]([{ id: '3', note: 'c' }, row])),
          ),
        ]
        for (const call of calls) {
          const error = await refused(call)
          expect(error.code).toBe('INVALID_QUERY')
          expect(error.message).toContain('User has no column nam. Did you mean name? It has id, name, note.')
        }
        expect(driver.calls.some(({ what }) => what.startsWith('transaction.'))).toBe(false)
      },
    )

    it('onConflictDoUpdate() rejects an unknown property in set', async () => {
      const { db } = opened()
      const insert = db.insert(users).values({ name: 'a' })
      const error = await refused(() =>
        insert.onConflictDoUpdate({ target: users.id, set: { nam: 'a' } }).toSQL(),
      )
      expect(error.message).toContain('User has no column nam. Did you mean name?')
    })

    it('insert() ignores undefined values and methods of a row, and reads getters', () => {
      const { db } = opened()
      const wanted = db.insert(users).values({ name: 'a' }).toSQL()
      expect(db.insert(users).values({ name: 'a', note: undefined }).toSQL()).toEqual(wanted)
      expect(db.insert(users).values(new Person('a')).toSQL()).toEqual(wanted)
      expect(
        db
          .insert(users)
          .values([Object.assign(Object.create(null), { name: 'a' })])
          .toSQL(),
      ).toEqual(wanted)
    })

    it('insert() rejects an empty list, and update() rejects an object without values', async () => {
      const { db } = opened()
      expect(await refused(() => db.insert(users).values([]))).toMatchObject({ code: 'INVALID_QUERY' })
      expect(await refused(() => db.update(users).set({ name: undefined }))).toMatchObject({
        code: 'INVALID_QUERY',
      })
      expect(await refused(() => db.update(users).set(undefined))).toMatchObject({ code: 'INVALID_VALUE' })
    })

    it('mutations keep the order of rows whose columns differ', async () => {
      const { db, driver } = opened()
      const rows = [
        { id: '1', name: 'a' },
        { id: '1', name: 'b', note: 'x' },
        { id: '1', name: 'c' },
      ]
      for (const op of ['insert', 'upsert', 'update'] as const) {
        await db.transaction(async (tx) => tx.mutate(users)[op](rows))
        const buffered = driver.calls.findLast(({ what }) => what === 'transaction.buffer')!.options
        expect(buffered).toMatchObject([
          { op, columns: ['id', 'name'], rows: [['1', 'a']] },
          { op, columns: ['id', 'name', 'note'], rows: [['1', 'b', 'x']] },
          { op, columns: ['id', 'name'], rows: [['1', 'c']] },
        ])
      }
    })

    it.each([{ id: '1' }, { id: '1', name: undefined }, [{ id: '1', name: 'a' }, { id: '2' }]])(
      'an update mutation rejects %o, in which a row has only its key',
      async (rows) => {
        const { db } = opened()
        const error = await refused(() => db.transaction(async (tx) => tx.mutate(users).update(rows)))
        expect(error.code).toBe('INVALID_VALUE')
        expect(error.message).toContain('An update of User changes nothing but the key.')
      },
    )

    it('batches and partitioned DML reject statements of another database', async () => {
      const { db, driver } = opened()
      const { db: other, driver: otherDriver } = opened()
      const foreign: Readonly<Record<string, unknown>> = {
        insert: other.insert(users).values({ name: 'a' }),
        select: other.select().from(users),
        prepared: other.select().from(users).prepare('other'),
        'prepared insert': other.insert(users).values({ name: 'a' }).prepare('insert'),
        execute: other.execute(sql`select 1`),
        count: other.$count(users),
      }
      for (const [name, statement] of Object.entries(foreign)) {
        const error = await refused(() => db.batch([db.select().from(users), statement]))
        expect([name, error.code]).toEqual([name, 'INVALID_QUERY'])
        expect(error.message).toContain(
          'Statement 1 of the batch was built with a database, and is run by another database.',
        )
      }
      const error = await refused(() =>
        db.partitioned(
          other
            .update(users)
            .set({ name: 'a' })
            .where(sql`true`),
        ),
      )
      expect(error.message).toContain(
        'The statement of db.partitioned was built with a database, and is run by another',
      )
      expect([...whats(driver), ...whats(otherDriver)]).toEqual([])
    })

    it('a batch of the database rejects statements of a transaction, and the other way round', async () => {
      const { db, driver } = opened()
      const outside = db.$withOptions({ outsideTransaction: true })
      await db.transaction(async (tx) => {
        const inside = await refused(() => outside.batch([tx.insert(users).values({ name: 'a' })]))
        expect(inside.message).toContain(
          'Statement 0 of the batch was built with a transaction, and is run by a database.',
        )
        const own = await refused(() => tx.batch([outside.insert(users).values({ name: 'a' })]))
        expect(own.message).toContain(
          'Statement 0 of the batch was built with a database, and is run by a transaction.',
        )
        await tx.batch([tx.insert(users).values({ name: 'a' }), tx.select().from(users)])
      })
      expect(whats(driver)).toEqual(['transaction', 'transaction.run', 'transaction.run', 'commit'])
    })

    it('batches and partitioned DML reject a statement with its own options, which they would ignore', async () => {
      const { db, driver } = opened()
      const tagged = db.$withOptions({ tag: 'own', priority: 'low' })
      const error = await refused(() => db.batch([db.select().from(users), tagged.select().from(users)]))
      expect(error.message).toContain(
        'Statement 1 of the batch has an option tag of its own, which would be ignored.',
      )
      const update = tagged
        .update(users)
        .set({ name: 'a' })
        .where(sql`true`)
      expect(await refused(() => db.partitioned(update))).toMatchObject({ code: 'INVALID_QUERY' })
      expect(driver.calls).toEqual([])
      await tagged.batch([tagged.insert(users).values({ name: 'a' }), db.insert(users).values({ name: 'b' })])
      expect(driver.calls[0]).toMatchObject({ what: 'transaction', options: { tag: 'own', priority: 'low' } })
      await tagged.partitioned(update)
      expect(driver.calls.at(-1)).toMatchObject({ what: 'partitioned', options: { tag: 'own' } })
    })

    it.each([
      ['at', { at: { exactStaleness: 9 } }],
      ['directedReads', { directedReads: { include: [{ type: 'read-only' }] } }],
    ])('every call that writes rejects the option %s of $withOptions', async (name, options) => {
      const { db, driver } = opened()
      const stale = db.$withOptions(options)
      const update = stale
        .update(users)
        .set({ name: 'a' })
        .where(sql`true`)
      const calls: Readonly<Record<string, () => unknown>> = {
        'insert(User)': () => stale.insert(users).values({ name: 'a' }),
        'update(User)': () => update,
        'delete(User)': () => stale.delete(users).where(sql`true`),
        execute: () => stale.execute('update User set name = null where true'),
        batch: () => stale.batch([stale.select().from(users), update]),
        transaction: () => stale.transaction(async () => undefined),
        partitioned: () => stale.partitioned(update),
      }
      for (const [call, run] of Object.entries(calls)) {
        expect(await refused(run)).toMatchObject({
          code: 'INVALID_OPTION',
          message: expect.stringContaining(`db.${call} has the option ${name} of db.$withOptions`),
        })
      }
      expect(driver.calls).toEqual([])
      await stale.select().from(users)
      await stale.batch([stale.select().from(users)])
      await stale.transaction(async () => undefined, { accessMode: 'read only' })
      const read = driver.calls.filter(({ what }) => what !== 'snapshot.close')
      expect(read).toHaveLength(3)
      for (const call of read) expect(call.options).toEqual(options)
    })

    it('a read-only transaction rejects outsideTransaction: true', async () => {
      const { db, driver } = opened()
      const options = { accessMode: 'read only', outsideTransaction: true }
      const error = await refused(() => db.transaction(async () => undefined, options))
      expect(error).toMatchObject({
        code: 'INVALID_OPTION',
        message: expect.stringContaining('db.transaction: outsideTransaction is true.'),
      })
      expect(driver.calls).toEqual([])
    })

    it.each(['priority', 'tag'])('a DDL statement rejects the option %s of $withOptions', async (name) => {
      const { db, driver } = opened()
      const changed = db.$withOptions({ [name]: 'low' }).execute('drop table User')
      await expect(Promise.resolve(changed)).rejects.toMatchObject({
        cause: {
          code: 'INVALID_OPTION',
          message: expect.stringContaining(`A change of the schema does not take the option ${name}.`),
        },
      })
      expect(driver.calls).toEqual([])
    })

    it.each([undefined, null, 'abc', 5, {}])(
      'db.batch() rejects %o as the list of queries',
      async (wrong) => {
        const error = await refused(() => opened().db.batch(wrong))
        expect(error).toMatchObject({
          code: 'INVALID_OPTION',
          message: expect.stringContaining('db.batch: queries is '),
        })
      },
    )

    it.each([undefined, null, 'select 1', {}])(
      'db.batch() rejects %o as one of its statements',
      async (wrong) => {
        const { db } = opened()
        const error = await refused(() => db.batch([db.select().from(users), wrong]))
        expect(error.message).toContain('Statement 1 of the batch is not a query of this database.')
        // eslint-disable-next-line no-sparse-arrays
        expect((await refused(() => db.batch([, db.select().from(users)]))).message).toContain(
          'Statement 0 of the batch',
        )
      },
    )

    it('drizzle() rejects a second argument beside a config object with client', async () => {
      const { driver } = opened()
      const error = await refused(() => drizzle({ client: driver }, { logger: true }))
      expect(error.code).toBe('INVALID_OPTION')
      expect(error.message).toContain('drizzle({ client, schema, logger: true })')
      expect(drizzle({ client: driver }, undefined)).toHaveProperty('$client', driver)
    })

    it.each([undefined, null, 5, {}])(
      'calls that take a table or SQL reject %o with INVALID_OPTION',
      async (wrong) => {
        const { db } = opened()
        const joined = (name: (typeof JOINS)[number]): unknown => {
          const select = db.with().select().from(users)
          return select[name](wrong, sql`true`)
        }
        const calls: Readonly<Record<string, () => unknown>> = {
          'db.insert': () => db.insert(wrong),
          'db.update': () => db.update(wrong),
          'db.delete': () => db.delete(wrong),
          'db.execute': () => db.execute(wrong),
          'tx.mutate': () => db.transaction(async (tx) => tx.mutate(wrong)),
          from: () => db.select().from(wrong),
          ...Object.fromEntries(JOINS.map((name) => [name, () => joined(name)])),
        }
        for (const [name, call] of Object.entries(calls)) {
          const error = await refused(call)
          expect(error).toMatchObject({
            code: 'INVALID_OPTION',
            message: expect.stringContaining(`${name}: `),
          })
        }
      },
    )

    it.each([
      [{ a: undefined }, 'The field a of a select is undefined.'],
      [{ a: { b: 'name' } }, "The field a.b of a select is 'name'."],
      [{ a: {} }, 'The field a of a select is {}.'],
      [{}, 'What a select selects is {}.'],
      ['x', "What a select selects is 'x'."],
      [null, 'What a select selects is null.'],
      [[], 'What a select selects is [].'],
    ])('select() and selectDistinct() reject %o as fields', async (fields, message) => {
      const { db } = opened()
      for (const call of [
        () => db.select(fields),
        () => db.selectDistinct(fields),
        () => db.with().select(fields),
      ]) {
        expect(await refused(call)).toMatchObject({
          code: 'INVALID_QUERY',
          message: expect.stringContaining(message),
        })
      }
    })

    it('select() rejects a query as a field, and accepts tables and groups of fields', async () => {
      const { db } = opened()
      const query = db.select().from(users)
      expect(await refused(() => db.select({ query }))).toMatchObject({ code: 'INVALID_QUERY' })
      const text = db.select({ users, group: { id: users.id, one: sql`1` } }).from(users)
      expect(text.toSQL().sql).toContain('select ')
    })

    it.each([[undefined], [null], ['name'], [5], [[users.id]], [() => undefined], [() => [users.id, null]]])(
      'orderBy() and groupBy() reject %o',
      async (wrong) => {
        const { db } = opened()
        const select = () => db.select({ id: users.id }).from(users)
        const calls: Readonly<Record<string, () => unknown>> = {
          orderBy: () => select().orderBy(wrong).toSQL(),
          groupBy: () => select().groupBy(wrong).toSQL(),
          'orderBy ': () => select().union(select()).orderBy(wrong).toSQL(),
        }
        for (const [name, call] of Object.entries(calls)) {
          const error = await refused(call)
          expect(error).toMatchObject({
            code: 'INVALID_QUERY',
            message: expect.stringContaining(`${name.trim()} was given `),
          })
        }
        expect(select().orderBy().toSQL()).toEqual(select().toSQL())
        expect(select().where(gt(users.id, 'a')).toSQL().sql).toContain('where')
      },
    )
  },
)

it("db.batch() rejects statements of Drizzle's own PostgreSQL database", async () => {
  const { users, drizzle } = DIALECTS['spanner-postgresql']
  const db = (drizzle as unknown as { mock(): Db }).mock()
  const foreign = pgProxy(async () => ({ rows: [] })) as unknown as Db
  for (const statement of [foreign.select().from(users), foreign.$count(users)]) {
    const error = await refused(() => db.batch([statement]))
    expect(error.message).toContain('Statement 0 of the batch is not a query of this database.')
  }
})

describe('GoogleSQL hints', () => {
  const users = DIALECTS.googlesql.users as never
  const other = googlesql.alias(users as googlesql.AnySpannerTable, 'other')
  const db = googlesql.drizzle.mock()
  const select = () => db.select().from(users as googlesql.AnySpannerTable)
  const joined = () => select().innerJoin(other, sql`true`)

  it('hint(), joinHint(), groupHint() and statementHint() reject a second call for the same clause', async () => {
    const twice: readonly (readonly [string, () => unknown])[] = [
      ['hint', () => select().hint({ forceIndex: 'ByName' }).hint({ scanMethod: 'ROW' })],
      ['joinHint', () => joined().joinHint({ batchMode: true }).joinHint({ joinMethod: 'HASH_JOIN' })],
      [
        'groupHint',
        () => select().groupHint({ groupMethod: 'HASH_GROUP' }).groupHint({ groupMethod: 'HASH_GROUP' }),
      ],
      [
        'statementHint',
        () => select().statementHint({ optimizerVersion: 5 }).statementHint({ scanMethod: 'ROW' }),
      ],
      [
        'statementHint',
        () =>
          db
            .delete(users as googlesql.AnySpannerTable)
            .statementHint({ optimizerVersion: 5 })
            .statementHint({ scanMethod: 'ROW' }),
      ],
    ]
    for (const [name, call] of twice) {
      const error = await refused(call)
      expect(error).toMatchObject({ code: 'INVALID_QUERY', fix: `Give all of them in one call of ${name}.` })
    }
    const { sql: text } = select()
      .hint({ scanMethod: 'ROW' })
      .innerJoin(other, sql`true`)
      .hint({ scanMethod: 'BATCH' })
      .toSQL()
    expect(text).toContain('@{SCAN_METHOD=ROW}')
    expect(text).toContain('@{SCAN_METHOD=BATCH}')
  })

  it.each([undefined, null, 5, 'FORCE_INDEX', [], new Map([['forceIndex', 'x']])])(
    'hint(), joinHint(), groupHint() and statementHint() reject %o with INVALID_OPTION',
    async (wrong) => {
      const input = wrong as never
      const calls: readonly (readonly [string, () => unknown])[] = [
        ['hint', () => select().hint(input)],
        ['joinHint', () => joined().joinHint(input)],
        ['groupHint', () => select().groupHint(input)],
        ['statementHint', () => select().statementHint(input)],
      ]
      for (const [name, call] of calls) {
        const error = await refused(call)
        expect(error).toMatchObject({
          code: 'INVALID_OPTION',
          message: expect.stringContaining(`${name}: hints `),
        })
      }
    },
  )

  it.each([
    [{ scanMethod: 'row' }, "Give 'AUTO' or 'BATCH' or 'ROW' or 'COLUMNAR' or 'NO_COLUMNAR'."],
    [{ seekableKeySize: 17 }, 'Give a whole number from 0 to 16.'],
    [{ groupbyScanOptimization: 'yes' }, 'Give true or false.'],
    [{ forceIndex: 5 }, "Give '_BASE_TABLE' or the name of an index."],
  ])('hint() rejects %o with INVALID_VALUE, and the fix lists the valid values', async (hints, fix) => {
    expect(await refused(() => select().hint(hints as never))).toMatchObject({ code: 'INVALID_VALUE', fix })
  })
})

it('tx.$withOptions() of GoogleSQL rejects outsideTransaction: true', async () => {
  const driver = { ...scriptedDriver(), costs: {}, lacks: {} }
  const db = DIALECTS.googlesql.drizzle(driver) as Db
  for (const config of [{}, { accessMode: 'read only' }]) {
    const error = await refused(() =>
      db.transaction(async (tx) => tx.$withOptions({ outsideTransaction: true }), config),
    )
    expect(error.code).toBe('INVALID_OPTION')
    expect(error.message).toContain('Use db.$withOptions({ outsideTransaction: true })')
  }
  await db.transaction(async (tx) => tx.$withOptions({ outsideTransaction: false }))
})
