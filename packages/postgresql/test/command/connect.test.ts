import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { postgresql, pglite } from '@isotherm/postgresql'
import { engine } from '@isotherm/postgresql/cli'
import { startPglite } from '@isotherm/postgresql/local'
import { Pool } from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { closedPort } from '../../../../test/support/closed-port.js'

const call = { dialect: 'postgresql', environment: {}, ifMissing: 'create' } as const
const parent = mkdtempSync(join(tmpdir(), 'isotherm-pglite-'))
afterAll(() => rmSync(parent, { recursive: true, force: true }))

describe('engine.address.read()', () => {
  it.each([
    [
      'postgresql://app@host:5433/shop?sslmode=require',
      { url: 'postgresql://app@host:5433/shop?sslmode=require' },
    ],
    [
      'postgresql://app@host/shop?options=-c%20search_path%3Dsales',
      { url: 'postgresql://app@host/shop?options=-c%20search_path%3Dsales' },
    ],
    ['postgres:///shop', { url: 'postgres:///shop' }],
    ['pglite:./.isotherm/pglite', { folder: './.isotherm/pglite' }],
    ['pglite:///data/shop', { folder: '/data/shop' }],
    [String.raw`pglite:C:\data`, { folder: String.raw`C:\data` }],
  ])('reads the address %s', (text, address) => {
    expect(engine.address.read(text)).toEqual({ address, dialect: 'postgresql' })
  })

  it.each([
    ['postgresql://host', 'and has no database'],
    ['postgresql://host/', 'and has no database'],
    ['postgresql://host/a/b', 'and "a/b" is not a database.'],
    ['postgresql://host:port/a', 'and not of the form postgresql://'],
    ['pglite:', 'and has no folder'],
    ['pglite:memory://x', 'and not a folder'],
    ['postgresql://u:1/34@host/db', 'and has an @ behind the host'],
    ['postgresql://u@h/100%', 'and its database has a %'],
    [
      'postgresql://h/db?schema=sales',
      'and has the parameter schema, which pg ignores. Write options=-c%20search_path%3Dsales instead.',
    ],
    ['postgresql://h/db?schema=My Sales', 'Write options=-c%20search_path%3D%22My%5C%20Sales%22 instead.'],
    ['postgresql://h/db?schema=a"b', 'Write options=-c%20search_path%3D%22a%22%22b%22 instead.'],
    ['postgresql://h/db?schema=', 'and has the parameter schema, which pg ignores. Leave it out.'],
    ['postgresql://h/db?currentSchema=a,"B"', 'Write options=-c%20search_path%3Da%2C%22B%22 instead.'],
    ['postgresql://h/db?search_path=a, b', 'Write options=-c%20search_path%3Da%2C%5C%20b instead.'],
  ])('rejects the incomplete or invalid address %s', (text, problem) => {
    expect(engine.address.read(text)).toEqual({ problem: expect.stringContaining(problem) })
  })

  it('returns undefined for an address of another engine', () => {
    expect(engine.address.read('cassandra://host/keyspace')).toBeUndefined()
  })
})

describe('a PGlite folder', () => {
  it('engine.connect() does not create a missing folder for a command that only reads', async () => {
    const folder = join(parent, 'missing')
    await expect(engine.connect({ folder }, { ...call, ifMissing: 'refuse' })).rejects.toMatchObject({
      code: 'DATABASE',
      message: `There is no database in the folder ${folder}.`,
      fix: 'Create it with isotherm migrate or isotherm push, or name another folder.',
    })
    expect(readdirSync(parent)).not.toContain('missing')
  })

  it("engine.connect() with ifMissing: 'empty' opens an empty database without creating the folder", async () => {
    const folder = join(parent, 'missing')
    await using opened = await engine.connect({ folder }, { ...call, ifMissing: 'empty' })
    expect(opened.description).toMatch(
      /^PGlite, PostgreSQL 18\.\S+ in this process: the folder .*missing does not exist yet$/,
    )
    const tables = { text: `SELECT count(*) FROM pg_tables WHERE schemaname = 'public'`, parameters: [] }
    expect((await opened.driver.run(tables)).rows).toEqual([[0n]])
    expect(readdirSync(parent)).not.toContain('missing')
  })

  it('engine.connect() keeps the data of a folder, and rejects a folder that is already open', async () => {
    const folder = join(parent, 'new/data')
    const first = await engine.connect({ folder }, call)
    expect(first.description).toMatch(/^PGlite, PostgreSQL 18\.\S+ in this process, data in .*new\/data$/)
    await first.driver.applyDdl(['CREATE TABLE kept (id bigint PRIMARY KEY)'])
    await expect(engine.connect({ folder }, call)).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: expect.stringMatching(/open in this process.*delete .*data\.lock/),
    })
    await first[Symbol.asyncDispose]()
    expect(existsSync(`${folder}.lock`)).toBe(false)
    await using again = await engine.connect({ folder }, call)
    await again.driver.run({ text: 'INSERT INTO kept VALUES (1)', parameters: [] })
  })

  it('startPglite() locks a folder under each of its paths: with a slash, by a link and relative', async () => {
    const folder = join(parent, 'named')
    await using started = await startPglite({ folder })
    symlinkSync(folder, join(parent, 'link'))
    for (const name of [`${folder}/`, join(parent, 'link'), relative(process.cwd(), folder)])
      await expect(startPglite({ folder: name })).rejects.toThrow(/open in this process/)
    expect(readdirSync(folder)).not.toContain('.lock')
    await started.stop()
    await using next = await startPglite({ folder })
    // A second stop() has no effect, and does not remove the lock of another instance.
    await started.stop()
    expect(existsSync(`${folder}.lock`)).toBe(true)
    await next.stop()
  })

  it.each([
    ['an id that no process has', `${2 ** 30} ${hostname()}`],
    ['the id of this process, of an earlier process', `${process.pid} ${hostname()}`],
  ])('startPglite() opens a folder whose lock file names a process that was killed: %s', async (_, lock) => {
    const folder = join(parent, `killed-${lock.length}`)
    writeFileSync(`${folder}.lock`, lock)
    await (await startPglite({ folder })).stop()
    expect(readdirSync(parent).filter((name) => name.startsWith(basename(folder)))).toEqual([
      basename(folder),
    ])
  })

  it('startPglite() rejects a folder whose lock file names another host', async () => {
    const folder = join(parent, 'elsewhere')
    writeFileSync(`${folder}.lock`, '17 another-host')
    await expect(startPglite({ folder })).rejects.toThrow(/open in the process 17 on another-host/)
  })

  it('startPglite() rejects a folder with files that are not those of PGlite', async () => {
    await expect(startPglite({ folder: parent })).rejects.toThrow(/has files that do not belong to PGlite/)
  })
})

it.each(['postgresql://u:s3cret@h/db', 'postgresql://u@h/db?password=s3cret'])(
  'engine.address.check() rejects %s, because its password must not be in a file',
  (url) => {
    expect(() => engine.address.check!({ url }, 'postgresql', {})).toThrow(/contains a password/)
  },
)

it('engine.connect() rejects an address with neither url nor folder, and an address with both', async () => {
  for (const address of [{}, { url: 'postgresql:///a', folder: 'b' }])
    await expect(engine.connect(address, call)).rejects.toMatchObject({
      code: 'CONFIG',
      fix: expect.stringContaining('pglite'),
    })
})

it('engine.connect() rejects a URL of a configuration with a parameter that names a schema', async () => {
  await expect(engine.connect({ url: 'postgresql://h/db?schema=sales' }, call)).rejects.toMatchObject({
    code: 'CONFIG',
    message: 'The URL of the database has the parameter schema, which pg ignores.',
    fix: 'Write options=-c%20search_path%3Dsales instead.',
  })
})

it('engine.connect() names a server that does not answer without its password', async () => {
  const url = `postgresql://app:secret@127.0.0.1:${await closedPort()}/shop`
  const error: unknown = await engine.connect({ url }, call).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    code: 'DATABASE',
    message: expect.stringMatching(/^shop of PostgreSQL at 127\.0\.0\.1:\d+ does not answer: /),
  })
  expect((error as Error).message).not.toContain('secret')
})

describe('engine.connectClient()', () => {
  it('accepts a PGlite instance, and does not close the instance', async () => {
    await using started = await startPglite()
    const database = started.client
    const opened = await engine.connectClient!(database, call)
    expect(opened?.driver.dialect.name).toBe('postgresql')
    await opened?.[Symbol.asyncDispose]()
    // The code that opened the PGlite closes it.
    expect(database.closed).toBe(false)
  })

  it('rejects a pool whose server does not answer', async () => {
    const pool = new Pool({ host: '127.0.0.1', port: await closedPort() })
    await expect(engine.connectClient!(pool, call)).rejects.toThrow(/does not answer/)
    await pool.end()
  })

  it('returns undefined for a client of another engine', async () => {
    expect(await engine.connectClient!({ batch: 1, keyspace: 'a' }, call)).toBeUndefined()
    expect(await engine.connectClient!(pglite, call)).toBeUndefined()
  })
})

it('engine.startLocal() creates separate databases', async () => {
  await using local = await engine.startLocal!({})
  const ddl = ['CREATE TABLE t (id bigint PRIMARY KEY)']
  const databases = [
    await local.createDatabase({ dialect: postgresql, ddl }),
    await local.createDatabase({ dialect: postgresql, ddl }),
  ]
  for (const { driver } of databases) await driver.run({ text: 'INSERT INTO t VALUES (1)', parameters: [] })
  expect(local.environment).toEqual({})
})
