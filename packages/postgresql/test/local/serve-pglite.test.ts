import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileDdl, defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { pg, postgresql } from '@isotherm/postgresql'
import { type ServedPglite, servePglite, startPglite } from '@isotherm/postgresql/local'
import { Client, type ClientConfig, Pool } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { int32, message } from '../../src/local/messages.js'
import {
  RawClient,
  bind,
  describeStatement,
  execute,
  firstMessage,
  parse,
  sync,
} from '../support/raw-client.js'

let server: ServedPglite
const closing: (() => unknown)[] = []

beforeAll(async () => {
  server = await servePglite({ port: 0 })
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})
afterAll(() => server.stop())

async function client(options: ClientConfig = {}, url = server.url): Promise<Client> {
  const opened = new Client({ connectionString: url, ...options })
  opened.on('error', () => {})
  closing.push(() => opened.end())
  await opened.connect()
  return opened
}

async function raw(start: 'start' | 'open' = 'start'): Promise<RawClient> {
  const opened = await RawClient[start](server.port)
  closing.push(() => opened.socket.destroy())
  return opened
}

const rowsOf = async (on: Client | Pool, text: string): Promise<unknown[]> => (await on.query(text)).rows

describe('turns', () => {
  it('a pool of pg runs statements side by side, each in its turn', async () => {
    const pool = new Pool({ connectionString: server.url, max: 5 })
    closing.push(() => pool.end())
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => pool.query('SELECT $1::int AS at', [at])),
    )
    expect(answers.map(({ rows }) => rows[0])).toEqual(Array.from({ length: 20 }, (_, at) => ({ at })))
  })

  it('a statement waits for the end of the transaction of another client', async () => {
    const [one, other] = [await client(), await client()]
    await one.query('CREATE TEMP TABLE waited (id int); BEGIN; INSERT INTO waited VALUES (1)')
    const counted = rowsOf(other, 'SELECT count(*)::int AS rows FROM waited')
    await one.query('INSERT INTO waited VALUES (2)')
    await one.query('COMMIT')
    expect(await counted).toEqual([{ rows: 2 }])
  })

  it('rolls back the transaction of a client that disconnects, and lets the next one go on', async () => {
    const [one, other] = [await raw(), await client()]
    await other.query('CREATE TABLE left_behind (id int)')
    one.send(message('Q', 'BEGIN; INSERT INTO left_behind VALUES (1)'))
    expect(await one.answer()).toBe('CCZ')
    one.socket.destroy()
    expect(await rowsOf(other, 'SELECT id FROM left_behind')).toEqual([])
  })

  it('rolls back the statements of a client that disconnects before Sync', async () => {
    const [one, other] = [await raw(), await client()]
    await other.query('CREATE TABLE not_synced (id int)')
    one.send(parse('', 'INSERT INTO not_synced VALUES (1)'), bind(''), execute)
    await one.message('C')
    one.socket.destroy()
    expect(await rowsOf(other, 'SELECT id FROM not_synced')).toEqual([])
  })

  it('does not run the statement of a client that disconnects while it waits', async () => {
    const [one, other] = [await client(), await raw()]
    await one.query('CREATE TABLE not_run (id int)')
    await one.query('BEGIN')
    other.send(message('Q', 'INSERT INTO not_run VALUES (1)'))
    await one.query('SELECT 1')
    other.socket.resetAndDestroy()
    await once(other.socket, 'close')
    for (let at = 0; at < 20; at++) await one.query('SELECT 1')
    await one.query('COMMIT')
    expect(await rowsOf(await client(), 'SELECT id FROM not_run')).toEqual([])
  })

  it('ignores messages after an error up to Sync, and others go on', async () => {
    const [one, other] = [await raw(), await client()]
    one.send(parse('', 'SELEC 1'), message('Q', 'SELECT 1'), bind(''), sync, message('Q', 'SELECT 1'))
    expect([await one.answer(), await one.answer()]).toEqual(['EZ', 'TDCZ'])
    expect(await rowsOf(other, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  it('a failed transaction keeps its turn until its ROLLBACK', async () => {
    const [one, other] = [await client(), await client()]
    await one.query('BEGIN')
    await expect(one.query('SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' })
    const next = rowsOf(other, 'SELECT 2 AS two')
    await expect(one.query('SELECT 1')).rejects.toMatchObject({ code: '25P02' })
    await one.query('ROLLBACK')
    expect(await next).toEqual([{ two: 2 }])
  })

  it('a client that does not read its answer does not keep the session', async () => {
    const [slow, other] = [await raw(), await client()]
    // More than the system keeps for a connection.
    slow.send(message('Q', `SELECT repeat('x', 60000000)`))
    await once(slow.socket, 'data')
    slow.socket.pause()
    expect(await rowsOf(other, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  it('a request to cancel ends the waiting of a client for the session', async () => {
    const [one, waiting] = [await client(), await client()]
    await one.query('BEGIN')
    const ended = waiting.query('SELECT 1').then(
      () => 'answered',
      (error: unknown) => error,
    )
    const { processID, secretKey } = waiting as unknown as Record<'processID' | 'secretKey', number>
    const key = Buffer.concat([int32(processID), int32(secretKey)])
    // The statement may come later than a request, which then ends nothing.
    let outcome: unknown
    while (outcome === undefined) {
      const asking = await raw('open')
      asking.send(firstMessage(80_877_102, key.toString('latin1')))
      outcome = await Promise.race([ended, asking.errors().then(() => undefined)])
    }
    expect(outcome).toMatchObject({ code: '57014' })
    await one.query('COMMIT')
    expect(await rowsOf(waiting, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })
})

describe('settings', () => {
  it.each([
    ['bytea_output', `SET bytea_output = 'escape'`, 'hex', 'escape'],
    ['extra_float_digits', `/* of a dump */ SET extra_float_digits TO 0`, '1', '0'],
    ['search_path', `SELECT set_config('search_path', '', false)`, 'public', ''],
    ['DateStyle', `BEGIN; SET DateStyle = 'German'; COMMIT`, 'ISO, MDY', 'German, DMY'],
    ['shop.tenant', `SET shop.tenant = 'it''s 7'`, '', `it's 7`],
    ['shop.kind', `SET shop.kind = 'none'`, '', 'none'],
    ['role', 'SET ROLE pg_monitor', 'none', 'pg_monitor'],
    [
      'default_transaction_isolation',
      `SET default_transaction_isolation = serializable; COMMIT;
       BEGIN; SET TRANSACTION ISOLATION LEVEL SERIALIZABLE, DEFERRABLE; COMMIT`,
      'read committed',
      'serializable',
    ],
  ])('%s belongs to the client that has set it', async (name, statement, initial, changed) => {
    const [one, other] = [await client(), await client()]
    const shown = `SELECT current_setting('${name}', true) AS value`
    await one.query(statement)
    for (let turn = 0; turn < 2; turn++) {
      const [{ value }] = (await rowsOf(other, shown)) as [{ value: string | null }]
      expect(value ?? '').toBe(initial)
      expect(await rowsOf(one, shown)).toEqual([{ value: changed }])
    }
  })

  it('that cannot be read end the connection of their client only', async () => {
    const [one, other] = [await client(), await client()]
    await one.query(`SET work_mem = '64kB'; SET temp_file_limit = 0`)
    for (let turn = 0; turn < 2; turn++) {
      expect(await rowsOf(other, 'SHOW temp_file_limit')).toEqual([{ temp_file_limit: '-1' }])
    }
    await expect(one.query('SELECT 1')).rejects.toThrow(
      'The settings of this connection cannot be set again: temporary file size exceeds',
    )
    expect(await rowsOf(other, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  it('the user that one client becomes stays its own', async () => {
    const [one, other] = [await client(), await client()]
    await one.query('SET SESSION AUTHORIZATION pg_monitor')
    const shown = 'SELECT session_user AS name'
    for (let turn = 0; turn < 2; turn++) {
      expect(await rowsOf(other, shown)).toEqual([{ name: 'postgres' }])
      expect(await rowsOf(one, shown)).toEqual([{ name: 'pg_monitor' }])
    }
  })

  it('do not reach others from a prepared statement that is executed again', async () => {
    const [one, other] = [await client(), await client()]
    const set = (value: string) =>
      one.query({ name: 'set', text: `SELECT set_config('bytea_output', $1, false)`, values: [value] })
    for (const value of ['hex', 'escape']) {
      await set(value)
      expect(await rowsOf(other, 'SHOW bytea_output')).toEqual([{ bytea_output: 'hex' }])
    }
    expect(await rowsOf(one, 'SHOW bytea_output')).toEqual([{ bytea_output: 'escape' }])
    await one.query('RESET bytea_output')
    await other.query('SELECT 1')
    expect(await rowsOf(one, 'SHOW bytea_output')).toEqual([{ bytea_output: 'hex' }])
  })

  it('of the connection, also in options, belong to it', async () => {
    const one = await client({
      options: '-c search_path="a\\ b" --statement-timeout=1234',
    })
    expect(await rowsOf(await client(), 'SHOW search_path')).toEqual([{ search_path: 'public' }])
    expect(await rowsOf(one, 'SHOW search_path')).toEqual([{ search_path: '"a b"' }])
    expect(await rowsOf(one, 'SHOW statement_timeout')).toEqual([{ statement_timeout: '1234ms' }])
  })

  it.each([
    `SET client_encoding = 'LATIN1'`,
    `SET NAMES 'latin1'`,
    `SELECT set_config('client_encoding', 'EUC_JIS_2004', false)`,
  ])('refuses another encoding by %s, and others go on', async (statement) => {
    const [one, other] = [await client(), await client()]
    const refused = { code: '0A000', message: 'client_encoding must be UTF8.' }
    await expect(one.query(statement)).rejects.toMatchObject(refused)
    await expect(one.query({ name: 'prepared', text: statement })).rejects.toMatchObject(refused)
    await one.query(`SET client_encoding = 'UTF8'`)
    expect(await rowsOf(other, `SELECT 'é' AS text`)).toEqual([{ text: 'é' }])
  })

  it('reads nothing from texts and comments about encodings', async () => {
    const text = 'SET client_encoding TO latin1'
    const statement = `SELECT '${text}' AS text -- ${text}\n /* ${text} */`
    expect(await rowsOf(await client(), statement)).toEqual([{ text }])
  })

  it('ends the connection of a client that changes the encoding unseen', async () => {
    const [one, other] = [await client(), await client()]
    const changed = one.query(`SELECT set_config($1, 'LATIN1', false)`, ['client_encoding'])
    await Promise.all([changed.catch(() => {}), new Promise((resolve) => one.once('end', resolve))])
    expect(await rowsOf(other, `SELECT 'é' AS text`)).toEqual([{ text: 'é' }])
  })
})

describe('prepared statements', () => {
  it('of two clients may have the same name', async () => {
    const clients = [await client(), await client()]
    const ask = (at: number) => clients[at]!.query({ name: 'same', text: `SELECT ${at} AS at` })
    for (const at of [0, 1, 0, 1]) expect((await ask(at)).rows).toEqual([{ at }])
  })

  it('without a name last until the next statement of the same client', async () => {
    const [one, other] = [await raw(), await raw()]
    one.send(parse('', 'SELECT 1'), describeStatement(''), sync)
    expect(await one.answer()).toBe('1tTZ')
    other.send(parse('', 'SELECT 2 WHERE false'), sync)
    expect(await other.answer()).toBe('1Z')
    one.send(bind(''), execute, sync)
    expect(await one.answer()).toBe('2DCZ')
    other.send(bind(''), execute, sync)
    expect(await other.answer()).toBe('2CZ')
    // A new one takes the place of the first, and a Query ends it.
    one.send(parse('', 'SELECT 3 WHERE false'), bind(''), execute, sync)
    expect(await one.answer()).toBe('12CZ')
    one.send(message('Q', 'SELECT 4'), bind(''), execute, sync)
    expect([await one.answer(), await one.answer()]).toEqual(['TDCZ', 'EZ'])
  })

  it('end with their client, and a statement that failed to be prepared is not there', async () => {
    const one = await client()
    await one.query({ name: 'kept', text: 'SELECT 1' })
    const [other, broken] = [await client(), await raw()]
    broken.send(parse('bad', 'SELEC 1'), sync, parse('bad', 'SELECT 1'), sync)
    expect([await broken.answer(), await broken.answer()]).toEqual(['EZ', '1Z'])
    broken.socket.destroy()
    await one.end()
    const statements = 'SELECT statement FROM pg_prepared_statements'
    await expect.poll(() => rowsOf(other, statements), { timeout: 60_000 }).toEqual([])
  })

  it.each(['DISCARD ALL', 'DEALLOCATE ALL', 'DEALLOCATE ALL; SELECT 1 / 0'])(
    'are prepared again after %s of another client',
    async (ends) => {
      const [one, other] = [await raw(), await client()]
      one.send(parse('mine', 'SELECT 1'), sync)
      await one.answer()
      await other.query(ends).catch(() => {})
      one.send(bind('mine'), sync, parse('mine', 'SELECT 1'), sync, bind('mine'), execute, sync, message('X'))
      expect(await one.errors()).toEqual(['prepared statement "mine" does not exist'])
    },
  )

  it('stay when another client sends DISCARD ALL as text', async () => {
    const [one, other] = [await client(), await client()]
    const ask = () => one.query({ name: 'kept', text: 'SELECT 1 AS one' })
    await ask()
    await other.query(`SELECT 'DISCARD ALL'`)
    expect((await ask()).rows).toEqual([{ one: 1 }])
  })

  it('whose text is not UTF-8 fail', async () => {
    const one = await raw()
    const text = Buffer.from(`SELECT '\u00ff'\0`, 'latin1')
    one.send(message('P', '', text, Buffer.alloc(2)), sync, message('X'))
    expect(await one.errors()).toEqual(['invalid byte sequence for encoding "UTF8": 0xff'])
  })

  it('Bind of an unknown name fails with that name', async () => {
    const one = await raw()
    one.send(bind('nowhere'), execute, sync, message('X'))
    expect(await one.errors()).toEqual(['prepared statement "nowhere" does not exist'])
  })
})

describe('connections', () => {
  it('refuses TLS and encryption by Kerberos, and goes on without', async () => {
    const one = await raw('open')
    one.send(firstMessage(80_877_104))
    expect(await one.byte()).toBe('N')
    one.send(firstMessage(80_877_103))
    expect(await one.byte()).toBe('N')
    one.send(firstMessage(3 << 16, 'user\0postgres\0\0'))
    expect(await one.answer()).toMatch(/^RS+KZ$/)
    await expect(client({ ssl: true })).rejects.toThrow('The server does not support SSL connections')
  })

  it('offers protocol 3.0 to a client with a newer one', async () => {
    const one = await raw('open')
    one.send(firstMessage((3 << 16) + 2, 'user\0postgres\0_pq_.new\0on\0\0'))
    expect(await one.answer()).toMatch(/^vRS+KZ$/)
  })

  it.each([
    ['another database', { database: 'shop' }, '3D000', 'PGlite has one database, postgres.'],
    ['another user', { user: 'app', database: 'postgres' }, '28000', 'PGlite has one user, postgres.'],
    [
      'an unknown parameter',
      { options: '-c a=b' },
      '22023',
      'The parameter a of the connection: unrecognized configuration parameter "a".',
    ],
    ['options without a value', { options: '-c' }, '22023', 'has -c. Write -c name=value.'],
    ['another encoding', { options: '--client-encoding=latin1' }, '0A000', 'client_encoding must be UTF8.'],
    ['an invalid value', { statement_timeout: 'x' as never }, '22023', 'invalid value for parameter'],
  ])('refuses %s', async (_, options, code, text) => {
    const { port } = server
    const refused = client({ host: '127.0.0.1', port, user: 'postgres', ...options }, '')
    await expect(refused).rejects.toMatchObject({ code, message: expect.stringContaining(text) as string })
  })

  it('applies the parameters of a connection, and settings end with the last client', async () => {
    const first = await client({ statement_timeout: 1234 })
    await first.query(`SET TimeZone = 'Asia/Tokyo'`)
    expect(await rowsOf(first, 'SHOW statement_timeout')).toEqual([{ statement_timeout: '1234ms' }])
    await first.query(`SET TimeZone = 'Asia/Tokyo'`)
    await first.end()
    // Clients of other tests may still be about to leave.
    const zone = async (): Promise<unknown> => {
      const next = await client()
      const rows = await rowsOf(next, 'SHOW TimeZone')
      await next.end()
      return rows
    }
    await expect.poll(zone, { timeout: 60_000 }).toEqual([{ TimeZone: 'UTC' }])
  })

  it.each([
    [
      'a request of HTTP',
      'open',
      'GET / HTTP/1.1\r\n\r\n',
      /^The connection begins with a message of \d+ bytes\.$/,
    ],
    [
      'another version of the protocol',
      'open',
      firstMessage(2 << 16),
      /^The client has version 2 of the protocol, not 3\.$/,
    ],
    ['an unknown message', 'start', message('Z', 'x'), /^A message has the unknown type 90\.$/],
    [
      'a message that is too long',
      'start',
      Buffer.from('Q\u007f\0\0\0', 'latin1'),
      /^A message has \d+ bytes\. The limit/,
    ],
    [
      'a message with a length below zero',
      'start',
      Buffer.from('Q\u00ff\0\0\0', 'latin1'),
      /^A message has -\d+ bytes/,
    ],
    [
      'a name without an end',
      'start',
      message('P', Buffer.from('abc')),
      /^A text in a message has no end\.$/,
    ],
  ] as const)('ends only the connection that sends %s', async (_, start, bytes, error) => {
    const other = await client()
    const one = await raw(start)
    one.send(bytes)
    expect(await one.errors()).toEqual([expect.stringMatching(error)])
    expect(await rowsOf(other, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  it('refuses COPY from STDIN and PROGRAM, by a Query and by Execute, and the session goes on', async () => {
    const one = await raw()
    one.send(message('Q', 'CREATE TABLE copied (id int)'))
    await one.answer()
    one.send(message('Q', 'COPY copied FROM STDIN'), message('d', '1\n'), message('c'))
    expect(await one.answer()).toBe('GEZ')
    one.send(parse('', 'COPY copied FROM STDIN'), bind(''), execute, message('c'), sync)
    expect(await one.answer()).toBe('12GEZ')
    one.send(message('Q', 'SELECT * FROM copied'))
    expect(await one.answer()).toBe('TCZ')
    const program = `COPY copied FROM PROGRAM 'seq 3'`
    for (const before of ['', 'SELECT 1; ', '/* ; */ ']) {
      one.send(message('Q', before + program))
      expect(await one.answer()).toBe('EZ')
    }
    one.send(parse('', program), bind(''), execute, sync)
    expect(await one.answer()).toBe('12EZ')
  })
})

describe('servePglite()', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isotherm-served-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('keeps committed rows, rolls back what is open at stop(), and names its URL to other processes', async () => {
    const data = join(folder, 'data')
    const first = await servePglite({ folder: data, port: 0, waitTimeoutMs: 20 })
    expect(first.description).toMatch(/^PGlite, PostgreSQL 18\.\S+ at 127\.0\.0\.1:\d+, data in .*data$/)
    await expect(startPglite({ folder: data })).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: expect.stringContaining(`Give its URL instead of the folder: ${first.url}.`) as string,
    })
    await expect(servePglite({ folder: data, port: 0 })).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' })
    const [one, other] = [await client({}, first.url), await client({}, first.url)]
    await one.query('CREATE TABLE kept (id int); INSERT INTO kept VALUES (1)')
    await one.query('BEGIN; INSERT INTO kept VALUES (2)')
    await expect(other.query('SELECT 1')).rejects.toMatchObject({
      code: '55P03',
      message: expect.stringMatching(/^PGlite has one session, and another client has kept it/) as string,
    })
    await expect(other.query('SELECT $1::int', [1])).rejects.toMatchObject({ code: '55P03' })
    const pool = new Pool({ connectionString: first.url })
    const sent: unknown[] = []
    pool.on('connect', (each) => {
      const query = each.query.bind(each) as (...parts: readonly unknown[]) => unknown
      each.query = (...parts: readonly unknown[]) => {
        sent.push(parts)
        return query(...parts) as never
      }
    })
    await expect(pg(pool).applyDdl(['SELECT 1'])).rejects.toMatchObject({
      code: 'DATABASE',
      message: expect.stringContaining('a write in the midst of a transaction has to belong to it') as string,
    })
    // BEGIN alone: a ROLLBACK would wait as long again.
    expect(sent).toHaveLength(1)
    await pool.end()
    await first.stop()
    await using second = await servePglite({ folder: data, port: 0 })
    const again = await client({}, second.url)
    expect(await rowsOf(again, 'SELECT id FROM kept')).toEqual([{ id: 1 }])
    await again.end()
  })

  it('stop() does not run statements that wait', async () => {
    const data = join(folder, 'waiting')
    const first = await servePglite({ folder: data, port: 0 })
    const [one, other] = [await client({}, first.url), await client({}, first.url)]
    await one.query('CREATE TABLE waiting (id int)')
    await one.query('BEGIN')
    const cut = other.query('INSERT INTO waiting VALUES (1)').catch(() => {})
    // The INSERT was sent before.
    for (let at = 0; at < 20; at++) await one.query('SELECT 1')
    await first.stop()
    await cut
    await using second = await servePglite({ folder: data, port: 0 })
    const again = await client({}, second.url)
    expect(await rowsOf(again, 'SELECT id FROM waiting')).toEqual([])
    await again.end()
  })

  it('a transaction may lock as many tables as on any PGlite', async () => {
    await using engine = await startPglite()
    const text = Array.from(
      { length: 1_400 },
      (_, at) => `CREATE TABLE many_${at} (id int PRIMARY KEY);`,
    ).join('')
    await expect(engine.client.exec(`BEGIN; ${text} ROLLBACK`)).resolves.toHaveLength(1_402)
  })

  it('rejects a port that is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as { readonly port: number }
    await expect(servePglite({ port })).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: `The port ${port} of 127.0.0.1 is in use. Give another one, or 0 for any that is free: isotherm emulator --port 0.`,
    })
    taken.close()
  })
})

it('the driver pg reads and writes through a pool of four, also in the midst of a stream', async () => {
  const Visit = defineTable('Visit', (t) => ({
    shard: t.shardKey({ shards: 4, of: ['id'] }),
    at: t.descTimestamp({ default: 'now' }),
    id: t.int64().key(),
    page: t.string(),
  }))
  const schema = defineSchema([Visit])
  const pool = new Pool({ connectionString: server.url, max: 4 })
  closing.push(() => pool.end())
  const driver = pg(pool)
  await driver.applyDdl(compileDdl(schema, { dialect: postgresql }))
  const db = openDatabase({ driver, schema })
  const rows = Array.from({ length: 40 }, (_, at) => ({ id: BigInt(at), page: `p${at}` }))
  const [first] = await db.insert(Visit, rows)
  expect(await db.get(Visit, first!)).toMatchObject({ page: 'p0' })
  const newest = db.fanOut(Visit).orderBy('at', 'desc')
  expect(await newest.count()).toBe(40)
  expect(await newest.all()).toHaveLength(40)
  // A snapshot that kept the session would keep the write from it.
  const snapshot = await driver.snapshot!()
  const count = { text: 'SELECT count(*) FROM "Visit"', parameters: [] }
  expect((await snapshot.run(count)).rows).toEqual([[40n]])
  await db.insert(Visit, [{ id: 40n, page: 'new' }])
  await expect(snapshot.run(count)).rejects.toMatchObject({
    code: 'SNAPSHOT_EXPIRED',
    message: expect.stringContaining('PGlite has one connection') as string,
  })
  snapshot.close()
  let written = 0
  for await (const { id } of newest.limit(10)) {
    await db.insert(Visit, [{ id: id + 100n, page: 'newer' }])
    written++
  }
  expect([written, await newest.count()]).toEqual([10, 51])
})
