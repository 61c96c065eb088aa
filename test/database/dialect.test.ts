import { Instance } from '@google-cloud/spanner'
import {
  compileDdl,
  defineSchema,
  defineTable,
  introspect,
  openDatabase,
  type SqlDialect,
} from '@isotherm/core'
import { migrationStatus } from '@isotherm/migrations'
import { asynchronous, sequenceTable } from '@isotherm/core/sequences'
import { googlesql, spanner } from '@isotherm/spanner'
import { drizzle as drizzleGoogle } from '@isotherm/drizzle-adapter'
import { drizzle as drizzlePg } from '@isotherm/drizzle-adapter/postgresql'
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { dialects, sharedEmulator } from '../support/spanner.js'

// A client that does not know the dialect of its database, and has not asked for it: any `instance.database('x')`.

const Log = defineTable('Log', (t) => ({
  shard: t.shardKey({ shards: 4, of: ['user'] }),
  at: t.descTimestamp({ default: 'now' }),
  user: t.int64().key(),
  page: t.string({ length: 100, nullable: true }),
}))
const schema = defineSchema([Log, sequenceTable()])

const emulator = await sharedEmulator()

/** A database, each time with a new client that does not know its dialect, and the queries that asked for the dialect. */
async function unknown(dialect: SqlDialect) {
  const made = await emulator.database({ dialect, ddl: compileDdl(schema, { dialect }) })
  const name = made.formattedName_.split('/').at(-1)!
  return () => {
    const path = `projects/${emulator.projectId}/instances/${emulator.instanceId}`
    const client = new Instance(emulator.client, path).database(name)
    client.on('error', () => {})
    expect(client.databaseDialect).toBeFalsy()
    const session = (client as unknown as { sessionFactory_: { getSession: (...args: unknown[]) => void } })
      .sessionFactory_
    const questions: string[] = []
    const getSession = session.getSession.bind(session)
    session.getSession = (callback: unknown) => {
      getSession((error: unknown, found: { snapshot: (...args: unknown[]) => object }) => {
        if (found && !Object.hasOwn(found, 'snapshot')) {
          const snapshot = found.snapshot.bind(found)
          found.snapshot = (...args) => {
            const made = snapshot(...args) as { runStream: (request: { sql: string }) => unknown }
            const runStream = made.runStream.bind(made)
            made.runStream = (request) => {
              if (request.sql.includes('database_dialect')) questions.push(request.sql)
              return runStream(request)
            }
            return made
          }
        }
        ;(callback as (error: unknown, session: unknown) => void)(error, found)
      })
    }
    return { client, questions }
  }
}

async function all<Row>(iterable: AsyncIterable<Row>): Promise<Row[]> {
  const found: Row[] = []
  for await (const row of iterable) found.push(row)
  return found
}

const rows = Array.from({ length: 6 }, (_, at) => ({ user: BigInt(at), page: `/docs/${at}` }))

describe.each(dialects)('a driver without the option dialect, on a database of $name', async (dialect) => {
  const again = await unknown(dialect)
  const other = dialects.find((each) => each !== dialect)!
  const open = () => {
    const { client, questions } = again()
    return { client, questions, db: openDatabase({ driver: spanner(client), schema }) }
  }

  it('asks the database for its dialect once when several first calls run at the same time', async () => {
    const { db, questions } = open()
    const inserted = await Promise.all(rows.map((row) => db.insert(Log, [row])))
    expect(await db.get(Log, inserted[0]![0]!)).toEqual(inserted[0]![0])
    expect(await db.fanOut(Log).count()).toBe(rows.length)
    expect(questions).toHaveLength(1)
    expect(db.driver.dialect.name).toBe(dialect.name)
  })

  it('runs a fan-out as its first call, with every method that returns rows or aggregates', async () => {
    const reads = (query: ReturnType<typeof openLogs>) => [
      () => query.all(),
      async () => (await query.page()).rows,
      () => all(query),
    ]
    const openLogs = () =>
      open()
        .db.fanOut(Log)
        .where({ page: { startsWith: '/docs' } })
        .orderBy('page', 'desc')
        .limit(3)
    for (const at of [0, 1, 2]) {
      const found = await reads(openLogs())[at]!()
      expect(found.map(({ page }) => page)).toEqual(['/docs/5', '/docs/4', '/docs/3'])
    }
    const few = () =>
      open()
        .db.fanOut(Log)
        .where({ user: { lt: 2n } })
    expect(await few().count()).toBe(2)
    expect(await few().countDistinct('page')).toBe(2)
    expect(await few().sum('user')).toBe(1n)
    expect(await few().max('page')).toBe('/docs/1')
    expect(await few().groupBy('user').count()).toHaveLength(2)
    expect(
      await few()
        .groupBy('page')
        .select({ most: { max: 'user' } })
        .orderBy('most', 'desc')
        .limit(1)
        .all(),
    ).toEqual([{ page: '/docs/1', most: 1n }])
  })

  it('applies the timeout and the signal of a first fan-out while the database does not tell its dialect', async () => {
    const silent = () => {
      const { client } = again()
      const { sessionFactory_ } = client as unknown as { sessionFactory_: { getSession: () => void } }
      // No answer, ever.
      sessionFactory_.getSession = () => {}
      return openDatabase({ driver: spanner(client, { timeoutMs: 3_600_000 }), schema }).fanOut(Log)
    }
    type Query = ReturnType<typeof silent>
    const reads: Readonly<Record<string, (query: Query) => Promise<unknown>>> = {
      all: (query) => query.all(),
      page: (query) => query.page(),
      rows: (query) => all(query),
      count: (query) => query.count(),
      groups: (query) => query.groupBy('page').count(),
      partitions: (query) => query.queryPartitions(2),
    }
    for (const read of Object.values(reads)) {
      const late = read(
        silent()
          .options({ signal: AbortSignal.timeout(60_000) })
          .options({ timeoutMs: 100 }),
      )
      await expect(late).rejects.toMatchObject({ code: 'TIMEOUT' })
      const ended = read(silent().options({ signal: AbortSignal.timeout(100) }))
      await expect(ended).rejects.toMatchObject({ code: 'CANCELLED' })
    }
    const inTime = open().db.fanOut(Log).options({ timeoutMs: 20_000 })
    expect(await inTime.groupBy('page').count()).toHaveLength(rows.length)
  })

  it('rejects queries and models that are invalid in every dialect before the dialect is known', () => {
    const query = open().db.fanOut(Log)
    expect(() => query.where({ nothing: 1 } as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_QUERY' }),
    )
    expect(() => query.orderBy('nothing' as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_QUERY' }),
    )
    expect(() => query.useIndex('nothing')).toThrow(expect.objectContaining({ code: 'INVALID_QUERY' }))
    expect(() => open().db.fanOut('nothing')).toThrow(expect.objectContaining({ code: 'UNKNOWN_TABLE' }))
    const foreign = defineSchema([defineTable('Timed', (t) => ({ id: t.timeUuid() }))])
    expect(() => openDatabase({ driver: spanner(again().client), schema: foreign })).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED_MODEL' }),
    )
  })

  it('explains a plan after db.ready(), and throws an error that names db.ready() before', async () => {
    const { db } = open()
    expect(() => db.fanOut(Log).explain()).toThrow('await db.ready()')
    await db.ready()
    expect(String(db.fanOut(Log).explain())).toContain('Log')
  })

  it('runs a transaction, query partitions, introspection, migrations and sequences as its first call', async () => {
    const { db, client, questions } = open()
    const user = await db.transaction(async (tx) => {
      const [row] = await tx.insert(Log, [{ user: 100n, page: 'tx' }])
      return (await tx.get(Log, row!))!.user
    })
    expect(user).toBe(100n)
    await db.delete(Log, await db.fanOut(Log).where({ user: 100n }).all())
    expect(questions).toHaveLength(1)
    const parts = await open().db.fanOut(Log).queryPartitions(2)
    const read = await Promise.all(
      parts.partitions.map((part) => all(open().db.readQueryPartition(Log, part))),
    )
    expect(read.flat()).toHaveLength(rows.length)
    await open().db.closeQueryPartitions(parts.partitions[0]!)
    const { tables } = await introspect({ driver: spanner(again().client), dialect: dialects })
    expect(tables.map(({ name }) => name)).toContain('Log')
    await expect(introspect({ driver: spanner(again().client), dialect: other })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(
        `introspect: the database of Cloud Spanner has the dialect ${dialect.name}, but the option dialect is ${other.name}.`,
      ) as string,
    })
    expect(await migrationStatus(spanner(again().client), [])).toMatchObject({})
    const ids = asynchronous(spanner(again().client), `ids_${dialect.name}`)
    expect(await ids.create()).toBe(true)
    expect(typeof (await ids.next())).toBe('bigint')
    await ids.close()
    expect(spanner(client).undecided).toBeUndefined()
  })

  it('changes a setting of its own database although the statement names another database', async () => {
    const { client } = again()
    const setting =
      dialect.name === 'googlesql'
        ? "ALTER DATABASE `elsewhere` SET OPTIONS (default_leader = 'us-central1')"
        : `ALTER DATABASE "elsewhere" SET spanner.default_leader = 'us-central1'`
    const { schemaChanges } = spanner(client)
    await schemaChanges!.begin([setting], 'leader')
    await expect
      .poll(() => schemaChanges!.state('leader'), { timeout: 10_000 })
      .toMatchObject({ done: true, applied: 1 })
  })

  it('does not ask the database for its dialect when the driver has the option dialect', async () => {
    const { client, questions } = again()
    const db = openDatabase({ driver: spanner(client, { dialect }), schema })
    expect(await db.fanOut(Log).count()).toBe(rows.length)
    expect(String(db.fanOut(Log).explain())).toContain('Log')
    expect(questions).toEqual([])
  })

  it('does not ask the database for its dialect when an entry of the Drizzle adapter uses the client', async () => {
    const { client, questions } = again()
    const drizzle = (dialect.name === 'googlesql' ? drizzleGoogle : drizzlePg) as typeof drizzleGoogle
    for (const db of [drizzle(client), drizzle(spanner(client)), drizzle({ client })]) {
      expect(await db.execute(sql`select count(*) as n from ${sql.identifier('Log')}`)).toMatchObject([
        { n: 6n },
      ])
    }
    expect(questions).toEqual([])
  })

  it('rejects a first call whose signal is aborted with CANCELLED, and runs the next call', async () => {
    const { db } = open()
    await expect(
      db.get(Log, { user: 1n, at: new Date() }, { signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({
      code: 'CANCELLED',
    })
    expect(await db.fanOut(Log).count()).toBe(rows.length)
  })

  it('throws INVALID_OPTION when the option dialect differs from the dialect that the database reported', async () => {
    const { client, db } = open()
    await db.ready()
    const other = dialects.find((each) => each !== dialect)!
    expect(() => spanner(client, { dialect: other })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(
          `has the dialect ${dialect.name}, but the driver was given ${other.name}`,
        ) as string,
      }),
    )
  })

  describe('a driver with the wrong dialect in its option dialect', () => {
    const other = dialects.find((each) => each !== dialect)!
    const exported = dialect === googlesql ? 'googlesql' : 'spannerPostgresql'
    const named = expect.objectContaining({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(
        `has the dialect ${dialect.name}, but the driver was given ${other.name}`,
      ) as string,
      fix: expect.stringContaining(`spanner(database, { dialect: ${exported} })`) as string,
    }) as unknown
    const setUp = () => {
      const { client, questions } = again()
      return { client, questions, db: openDatabase({ driver: spanner(client, { dialect: other }), schema }) }
    }

    it('names both dialects in the error of each failed statement, and asks the database for its dialect once', async () => {
      const { db, questions } = setUp()
      const statement = dialect.name === 'googlesql' ? 'SELECT $1::bigint AS n' : 'SELECT @p1 AS n FROM `Log`'
      const refused = await Promise.allSettled([
        db.fanOut(Log).where({ page: '/docs/1' }).count(),
        db
          .fanOut(Log)
          .where({ page: { startsWith: '/docs' } })
          .groupBy('page')
          .count(),
        db.driver.run({ text: statement, parameters: [] }),
      ])
      expect(refused.map((each) => each.status === 'rejected' && each.reason)).toEqual([named, named, named])
      expect(questions).toHaveLength(1)
    })

    it('names both dialects in the error of a failed schema change', async () => {
      const { client } = setUp()
      const ddl = compileDdl(defineSchema([defineTable('Other', (t) => ({ id: t.uuidV4() }))]), {
        dialect: other,
      })
      await expect(spanner(client, { dialect: other }).applyDdl(ddl)).rejects.toEqual(named)
    })

    it('names both dialects after a failed transaction, and does not ask the database while it holds locks', async () => {
      const { client, questions } = again()
      const driver = spanner(client, { dialect: other })
      const text = dialect.name === 'googlesql' ? 'SELECT $1::bigint AS n' : 'SELECT @p1 AS n FROM `Log`'
      type Context = Parameters<Parameters<typeof driver.atomic.run>[0]>[0]
      for (const send of [
        (tx: Context) => tx.run({ text, parameters: [] }),
        (tx: Context) => tx.query({ text, parameters: [] }, []),
        (tx: Context) => tx.execute([{ text, parameters: [] }]),
      ]) {
        const before = questions.length
        const work = driver.atomic.run(async (tx) => {
          await expect(send(tx)).rejects.toMatchObject({ code: 'DATABASE' })
          expect(questions).toHaveLength(before)
          return send(tx)
        })
        await expect(work).rejects.toEqual(named)
      }
      expect(questions).toHaveLength(1)
    })

    it('names the right import in the error of a Drizzle entry for the other dialect', async () => {
      const { client } = setUp()
      const drizzle = (dialect.name === 'googlesql' ? drizzlePg : drizzleGoogle) as typeof drizzleGoogle
      const statement = sql`select ${'a'} as ${sql.identifier('x')} from ${sql.identifier('Log')}`
      await expect(drizzle(client).execute(statement)).rejects.toMatchObject({
        cause: {
          code: 'INVALID_OPTION',
          fix: expect.stringContaining(
            `import from '@isotherm/drizzle-adapter${dialect.name === 'googlesql' ? '' : '/postgresql'}'.`,
          ) as string,
        },
      })
    })

    it('keeps the error of an invalid statement when the option dialect is right', async () => {
      const { client, questions } = again()
      const driver = spanner(client, { dialect })
      const wrong = driver.run({ text: 'SELECT nothing FROM nowhere', parameters: [] })
      await expect(wrong).rejects.toMatchObject({
        code: expect.stringMatching(/NOT_FOUND|DATABASE/) as string,
      })
      await expect(driver.run({ text: 'SELEC 1', parameters: [] })).rejects.toMatchObject({
        code: 'DATABASE',
      })
      expect(questions).toHaveLength(1)
    })
  })
})
