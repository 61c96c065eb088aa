import { compileDdl, defineSchema, defineTable, openDatabase } from '@isotherm/core'
import type { Snapshot } from '@isotherm/core/engine'
import { pg, postgresql } from '@isotherm/postgresql'
import { engine } from '@isotherm/postgresql/cli'
import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import { Client, Pool, type PoolClient, type QueryResult } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type PostgresServer, startPostgres } from '../../../../bench/src/postgres-server.js'

const Account = defineTable('Account', (t) => ({
  id: t.int64().key(),
  balance: t.int64(),
}))
const schema = defineSchema([Account])

let server: PostgresServer
let pool: Pool
beforeAll(async () => {
  server = await startPostgres(18)
  pool = server.pool('postgres')
  await pg(pool).applyDdl(compileDdl(schema, { dialect: postgresql }))
})
afterAll(() => server.stop())

const db = () => openDatabase({ driver: pg(pool), schema })

beforeEach(async () => {
  await pool.query('TRUNCATE "Account"')
  await db().insert(Account, [
    { id: 1n, balance: 0n },
    { id: 2n, balance: 0n },
  ])
})

/** It ends with the test also where that fails: what it has locked would stop the next one. */
async function snapshotOf(own: Pool): Promise<Snapshot> {
  const snapshot = await pg(own).snapshot!()
  onTestFinished(() => snapshot.close())
  return snapshot
}

const DEADLOCK = '40P01'

/** A wait that ends once as many wait for it. */
function gate(count: number): () => Promise<void> {
  let left = count
  let open!: () => void
  const opened = new Promise<void>((resolve) => (open = resolve))
  return () => {
    if (--left === 0) open()
    return opened
  }
}

describe('concurrent transactions on PostgreSQL', () => {
  it('transactions are repeated until each transaction has read the writes of all others', async () => {
    // Each has a connection of the pool.
    const transactions = 8
    const haveAllRead = gate(transactions)
    const seen = await Promise.all(
      Array.from({ length: transactions }, async () => {
        const reads: bigint[] = []
        await db().transaction(async (tx) => {
          const { balance } = (await tx.get(Account, { id: 1n }))!
          reads.push(balance)
          if (reads.length === 1) await haveAllRead()
          await tx.update(Account, [{ id: 1n, balance: balance + 1n }])
        })
        return reads
      }),
    )
    expect((await db().get(Account, { id: 1n }))?.balance).toBe(8n)
    // The first attempt of all transactions but one is repeated: all of them have read the same.
    expect(seen.map(([first]) => first)).toEqual(seen.map(() => 0n))
    expect(seen.filter(({ length }) => length === 1)).toHaveLength(1)
    expect(new Set(seen.map((reads) => reads.at(-1)))).toEqual(new Set([0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n]))
  })

  it('two transactions that wait for each other are repeated after the deadlock', async () => {
    const both = [1n, 2n]
    const haveBothWritten = gate(2)
    let committed!: () => void
    const hasOneCommitted = new Promise<void>((resolve) => (committed = resolve))
    const errors: unknown[] = []
    let connections = 0
    const connecting: { connect(): Promise<PoolClient> } = pool
    const take = connecting.connect.bind(pool)
    using _held = vi.spyOn(connecting, 'connect').mockImplementation(async () => {
      // Beginning before the other transaction has committed, it would be repeated once more.
      if (++connections > 2) await hasOneCommitted
      return take()
    })
    const attempts = await Promise.all(
      [both, both.toReversed()].map(async (order) => {
        let count = 0
        await db().transaction(async (tx) => {
          count++
          for (const id of order) {
            const row = await tx.get(Account, { id })
            const update = tx.update(Account, [{ id, balance: row!.balance + 1n }])
            await update.catch((error: unknown) => {
              errors.push(error)
              throw error
            })
            if (count === 1 && id === order[0]) await haveBothWritten()
          }
        })
        committed()
        return count
      }),
    )
    expect(attempts.toSorted((a, b) => a - b)).toEqual([1, 2])
    expect(errors).toMatchObject([{ code: 'ABORTED', cause: { code: DEADLOCK } }])
    const rows = await db().fanOut(Account).all()
    expect(rows.map(({ balance }) => balance)).toEqual([2n, 2n])
  })
})

describe('a snapshot of a pool', () => {
  it('an open snapshot does not block an insert, and does not contain the inserted row', async () => {
    const snapshot = await snapshotOf(pool)
    await db().insert(Account, [{ id: 3n, balance: 0n }])
    const count = { text: 'SELECT count(*) FROM "Account"', parameters: [] }
    expect(await snapshot.query(count, [{ kind: 'int64' }])).toEqual([[2n]])
    snapshot.close()
    expect(await db().fanOut(Account).count()).toBe(3)
  })
})

describe('concurrent reads of a snapshot', () => {
  const LOCK = 7
  const locked = { text: `SELECT pg_advisory_xact_lock_shared(${LOCK})::text`, parameters: [] }
  const count = { text: 'SELECT count(*) FROM "Account"', parameters: [] }
  const text = { kind: 'string', length: 'max' } as const

  /** A read that waits for the lock, and a read beside it. */
  async function reads(own: Pool) {
    const holder = await own.connect()
    await holder.query(`SELECT pg_advisory_lock(${LOCK})`)
    const snapshot = await snapshotOf(own)
    const unlock = () => holder.query(`SELECT pg_advisory_unlock(${LOCK})`)
    const release = () => holder.release()
    await db().insert(Account, [{ id: 3n, balance: 0n }])
    const first = snapshot.query(locked, [text])
    const second = snapshot.query(count, [{ kind: 'int64' }])
    return { first, second, snapshot, unlock, release }
  }

  it('reads of a snapshot do not wait for each other, and see the same rows', async () => {
    const { first, second, snapshot, unlock, release } = await reads(pool)
    expect(await second).toEqual([[2n]])
    await unlock()
    await first
    release()
    expect(await snapshot.query(count, [{ kind: 'int64' }])).toEqual([[2n]])
    snapshot.close()
  })

  it('reads of a snapshot run one after another when the pool has no free connection', async () => {
    const own = server.pool('postgres')
    own.options.max = 2
    const { first, second, snapshot, unlock, release } = await reads(own)
    await unlock()
    // The other connection is still taken.
    expect(await Promise.all([first, second])).toEqual([[['']], [[2n]]])
    release()
    snapshot.close()
  })

  const process = { text: 'SELECT pg_backend_pid()', parameters: [] }
  const int64 = { kind: 'int64' } as const

  it('reads of a snapshot use all idle connections, and connections that the pool may still open', async () => {
    const own = server.pool('postgres')
    own.options.max = 6
    const holder = await own.connect()
    // Four connections that are idle, while a snapshot has one and the test has one: of seven reads three wait for the kept connection.
    const idle = await Promise.all([own.connect(), own.connect(), own.connect()])
    for (const each of idle) each.release()
    await holder.query(`SELECT pg_advisory_lock(${LOCK})`)
    const snapshot = await snapshotOf(own)
    expect([own.idleCount, own.totalCount]).toEqual([2, 4])
    const both = { text: `SELECT pg_backend_pid(), ${locked.text.slice('SELECT '.length)}`, parameters: [] }
    const waiting = Array.from({ length: 7 }, () => snapshot.query(both, [int64, text]))
    try {
      // None of them waits for a connection.
      await expect.poll(() => [own.idleCount, own.totalCount, own.waitingCount]).toEqual([0, 6, 0])
    } finally {
      await holder.query(`SELECT pg_advisory_unlock(${LOCK})`)
    }
    const processes = (await Promise.all(waiting)).flatMap((rows) => rows[0]![0])
    expect(new Set(processes).size).toBe(5)
    snapshot.close()
    holder.release()
  })

  it('reads of a snapshot share one connection when the server opens no other connection', async () => {
    const own = server.pool('postgres')
    await own.query('SELECT 1')
    const snapshot = await snapshotOf(own)
    const connect = own.connect.bind(own)
    let refused = 0
    own.connect = (() => {
      refused++
      return Promise.reject(Object.assign(new Error('sorry, too many clients already'), { code: '53300' }))
    }) as typeof own.connect
    const answers = await Promise.all(Array.from({ length: 5 }, () => snapshot.query(process, [int64])))
    expect(new Set(answers.flat(2)).size).toBe(1)
    expect(refused).toBe(4)
    await Promise.all(Array.from({ length: 5 }, () => snapshot.query(process, [int64])))
    expect(refused).toBe(4)
    own.connect = connect
    snapshot.close()
    await db().insert(Account, [{ id: 4n, balance: 0n }])
    expect(await db().fanOut(Account).count()).toBe(3)
  })

  it('reads of a closed snapshot fail with CANCELLED, also reads that waited for the connection', async () => {
    const own = server.pool('postgres')
    own.options.max = 2
    const { first, second, snapshot, unlock, release } = await reads(own)
    const waiting = `SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`
    await expect.poll(async () => (await pool.query(waiting)).rows, { timeout: 60_000 }).toEqual([{ n: 1 }])
    snapshot.close()
    const settled = Promise.allSettled([first, second])
    await unlock()
    expect(await settled).toMatchObject([
      // The transaction ends behind the statement that it has begun.
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'CANCELLED', message: 'The snapshot was closed.' } },
    ])
    await expect(snapshot.query(process, [int64])).rejects.toMatchObject({ code: 'CANCELLED' })
    release()
  })
})

describe('a snapshot of a pool, after a statement that failed', () => {
  const seven = { text: 'SELECT 7::bigint', parameters: [] }

  it('reads on, alone and beside other reads', async () => {
    const snapshot = await snapshotOf(pool)
    const one = { text: 'SELECT count(*) FROM "Account"', parameters: [] }
    await db().insert(Account, [{ id: 3n, balance: 0n }])
    const failing = { text: 'SELECT 1 / 0', parameters: [] }
    for (let round = 0; round < 2; round++) {
      const settled = await Promise.allSettled([
        snapshot.query(failing, [{ kind: 'int64' }]),
        snapshot.query(one, [{ kind: 'int64' }]),
      ])
      expect(settled).toMatchObject([
        { status: 'rejected', reason: { message: 'division by zero' } },
        { status: 'fulfilled', value: [[2n]] },
      ])
      expect(await snapshot.query(one, [{ kind: 'int64' }])).toEqual([[2n]])
    }
    snapshot.close()
    await expect.poll(() => pool.totalCount - pool.idleCount, { timeout: 60_000 }).toBe(0)
  })

  const slow = { text: 'SELECT pg_sleep(602)::text', parameters: [] }
  const running = async (): Promise<number> => {
    const text = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE state = 'active' AND query = $1`
    return (await pool.query<{ n: number }>(text, [slow.text])).rows[0]!.n
  }

  /** Aborts a statement of a snapshot once it runs on the server. */
  async function abort(snapshot: Snapshot): Promise<unknown> {
    const stop = new AbortController()
    const aborted = snapshot.query(slow, [{ kind: 'string', length: 'max' }], { signal: stop.signal })
    const outcome = aborted.catch((error: unknown) => error)
    await expect.poll(running, { timeout: 60_000 }).toBe(1)
    stop.abort()
    return outcome
  }

  it('ends a statement that is aborted, reads the same rows after it, and returns all connections', async () => {
    const snapshot = await snapshotOf(pool)
    const count = { text: 'SELECT count(*) FROM "Account"', parameters: [] }
    await db().insert(Account, [{ id: 3n, balance: 0n }])
    const keptBy = () =>
      snapshot.query({ text: 'SELECT pg_backend_pid()', parameters: [] }, [{ kind: 'int64' }])
    const kept = await keptBy()
    for (let round = 0; round < 3; round++) {
      expect(await abort(snapshot)).toMatchObject({ code: 'CANCELLED' })
      expect(await snapshot.query(count, [{ kind: 'int64' }])).toEqual([[2n]])
      await expect.poll(running, { timeout: 60_000 }).toBe(0)
      await expect.poll(keptBy, { timeout: 60_000 }).toEqual(kept)
      expect(await snapshot.query(count, [{ kind: 'int64' }])).toEqual([[2n]])
    }
    snapshot.close()
    await expect.poll(() => pool.totalCount - pool.idleCount, { timeout: 60_000 }).toBe(0)
  })

  it('ends with a statement that is aborted when the pool has no connection to cancel it with', async () => {
    const own = server.pool('postgres')
    own.options.max = 2
    const holder = await own.connect()
    const snapshot = await snapshotOf(own)
    expect(await abort(snapshot)).toMatchObject({ code: 'CANCELLED' })
    await expect.poll(running, { timeout: 60_000 }).toBe(0)
    const next = (): Promise<unknown> =>
      snapshot.query(seven, [{ kind: 'int64' }]).catch((error: unknown) => error)
    // Until the server has taken notice, another connection may still take the snapshot over.
    await expect.poll(next, { timeout: 60_000 }).toMatchObject({ code: 'SNAPSHOT_EXPIRED' })
    snapshot.close()
    holder.release()
    await expect.poll(() => own.totalCount - own.idleCount, { timeout: 60_000 }).toBe(0)
  })
})

describe('a driver call that times out or is aborted', () => {
  it('a timeout or an abort returns the connection to the pool and ends the statement on the server', async () => {
    const slow = { text: 'SELECT pg_sleep(600)', parameters: [] }
    await expect(db().driver.run(slow, { timeoutMs: 100 })).rejects.toMatchObject({ code: 'TIMEOUT' })
    const stop = new AbortController()
    const stopped = db().driver.run(slow, { signal: stop.signal })
    setImmediate(() => stop.abort())
    await expect(stopped).rejects.toMatchObject({ code: 'CANCELLED' })
    await expect
      .poll(
        async () => {
          const running = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)'`
          return ((await pool.query<{ n: number }>(running)).rows[0] ?? { n: -1 }).n
        },
        { timeout: 60_000 },
      )
      .toBe(0)
    await expect.poll(() => pool.totalCount - pool.idleCount, { timeout: 60_000 }).toBe(0)
  })
})

it('an abort ends a statement that the server receives after the request to end it', async () => {
  const sockets: Socket[] = []
  let isHeld = false
  let sent!: () => void
  const isSent = new Promise<void>((resolve) => (sent = resolve))
  let open!: () => void
  const isOpen = new Promise<void>((resolve) => (open = resolve))
  // The first connection's bytes arrive late, also after the client has closed it.
  const relay = createServer((from) => {
    const to = connect(pool.options.port!, '127.0.0.1')
    const isFirst = sockets.length === 0
    for (const socket of [from, to]) sockets.push(socket.on('error', () => {}))
    to.on('data', (bytes) => from.write(bytes))
    from.on('data', (bytes) => {
      if (!isFirst || !isHeld) to.write(bytes)
      else {
        sent()
        void isOpen.then(() => to.write(bytes))
      }
    })
  }).listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const { port } = relay.address() as AddressInfo
  const own = new Pool({ ...pool.options, port })
  const driver = pg(own)
  await driver.run({ text: 'SELECT 1', parameters: [] })
  isHeld = true
  const ask = own.query.bind(own) as (...args: readonly unknown[]) => Promise<QueryResult<{ ended: unknown }>>
  const ended: unknown[] = []
  own.query = (async (...args: readonly unknown[]) => {
    const answer = await ask(...args)
    ended.push(answer.rows[0]?.ended)
    open()
    return answer
  }) as unknown as typeof own.query
  const stop = new AbortController()
  const slow = { text: 'SELECT pg_sleep(601)', parameters: [] }
  const stopped = driver.run(slow, { signal: stop.signal })
  await isSent
  stop.abort()
  await expect(stopped).rejects.toMatchObject({ code: 'CANCELLED' })
  await expect.poll(() => ended.at(-1), { timeout: 20_000 }).toBe(true)
  expect(ended[0]).toBeNull()
  await own.end()
  for (const socket of sockets) socket.destroy()
  relay.close()
})

describe('a connection that the server terminates', () => {
  it('the pool replaces a terminated connection for the next call', async () => {
    await db().fanOut(Account).count()
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`
    const { host, port, user } = pool.options
    const other = new Client({ host, port, user, database: 'postgres' })
    await other.connect()
    await other.query(end)
    await other.end()
    await expect.poll(() => pool.totalCount, { timeout: 60_000 }).toBe(0)
    expect(await db().fanOut(Account).count()).toBe(2)
  })

  it('a transaction whose connection is terminated fails with UNAVAILABLE, which is retryable', async () => {
    const driver = pg(pool)
    if (driver.atomic.kind !== 'transactions') throw new Error('PostgreSQL has transactions.')
    const failing = driver.atomic.run(async (context) => {
      await context.run({ text: 'UPDATE "Account" SET "balance" = 5 WHERE "id" = 1', parameters: [] })
      await context.run({ text: 'SELECT pg_terminate_backend(pg_backend_pid())', parameters: [] })
    })
    await expect(failing).rejects.toMatchObject({ code: 'UNAVAILABLE', retryable: true })
    expect((await db().get(Account, { id: 1n }))?.balance).toBe(0n)
  })
})

describe('pg() with a wrong argument', () => {
  it('rejects a Client, which is not a pool', () => {
    expect(() => pg(new Client() as never)).toThrow('pg: was given an object, not a pool.')
  })
})

it('engine.connect() uses the schema of the parameter options, as the refusal of ?schema= says', async () => {
  await pool.query('CREATE SCHEMA "Sales"')
  const url = `postgresql://postgres@127.0.0.1:${pool.options.port}/postgres`
  const refused = engine.address.read(`${url}?schema=Sales`)
  const [, options] = /Write (\S+) instead/.exec((refused as { readonly problem: string }).problem)!
  const call = { dialect: 'postgresql', environment: {}, ifMissing: 'refuse' } as const
  await using opened = await engine.connect({ url: `${url}?${options}` }, call)
  const { rows } = await opened.driver.run({ text: 'SELECT current_schema()', parameters: [] })
  expect(rows).toEqual([['Sales']])
})

it('reads and inserts through a pool whose clients are wrapped by the application, which copies statements and awaits answers', async () => {
  const own = server.pool('postgres')
  const counts: (number | null)[] = []
  own.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: readonly unknown[]) => Promise<QueryResult>
    const wrapped = async (statement: unknown, ...more: readonly unknown[]): Promise<QueryResult> => {
      const copy = typeof statement === 'object' ? { ...statement } : statement
      const answered = await query(copy, ...more)
      counts.push(answered.rowCount)
      return answered
    }
    Object.assign(client, { query: wrapped })
  })
  const wrapped = openDatabase({ driver: pg(own), schema })
  await wrapped.insert(Account, [{ id: 3n, balance: 7n }])
  expect(await wrapped.get(Account, { id: 3n })).toEqual({ id: 3n, balance: 7n })
  expect(counts.at(-1)).toBe(1)
  await own.end()
})
