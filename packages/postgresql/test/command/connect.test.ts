import { PGlite } from '@electric-sql/pglite'
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

describe('the name of a database', () => {
  it.each([
    [
      'postgresql://app@host:5433/shop?sslmode=require',
      { url: 'postgresql://app@host:5433/shop?sslmode=require' },
    ],
    ['postgres:///shop', { url: 'postgres:///shop' }],
    ['pglite:./.isotherm/pglite', { folder: './.isotherm/pglite' }],
    ['pglite:///data/shop', { folder: '/data/shop' }],
    [String.raw`pglite:C:\data`, { folder: String.raw`C:\data` }],
  ])('%s', (text, address) => {
    expect(engine.address.read(text)).toEqual({ address, dialect: 'postgresql' })
  })

  it.each([
    ['postgresql://host', 'and names no database'],
    ['postgresql://host/', 'and names no database'],
    ['postgresql://host/a/b', 'and "a/b" is not a database.'],
    ['postgresql://host:port/a', 'and not of the form postgresql://'],
    ['pglite:', 'and names no folder'],
    ['pglite:memory://x', 'and not a folder'],
    ['postgresql://u:1/34@host/db', 'and has an @ behind the host'],
    ['postgresql://u@h/100%', 'and its database has a %'],
  ])('%s says too little', (text, problem) => {
    expect(engine.address.read(text)).toEqual({ problem: expect.stringContaining(problem) })
  })

  it('of another engine is left to that one', () => {
    expect(engine.address.read('cassandra://host/keyspace')).toBeUndefined()
  })
})

describe('a folder', () => {
  it('is not made by a command that only reads', async () => {
    const folder = join(parent, 'missing')
    await expect(engine.connect({ folder }, { ...call, ifMissing: 'refuse' })).rejects.toMatchObject({
      code: 'DATABASE',
      message: `There is no database in the folder ${folder}.`,
      fix: 'Create it with isotherm migrate or isotherm push, or name another folder.',
    })
    expect(readdirSync(parent)).not.toContain('missing')
  })

  it('that is missing is an empty database for a command that only says what it would do', async () => {
    const folder = join(parent, 'missing')
    await using opened = await engine.connect({ folder }, { ...call, ifMissing: 'empty' })
    expect(opened.description).toMatch(
      /^PGlite, PostgreSQL 18\.\S+ in this process: the folder .*missing does not exist yet$/,
    )
    const tables = { text: `SELECT count(*) FROM pg_tables WHERE schemaname = 'public'`, parameters: [] }
    expect((await opened.driver.run(tables)).rows).toEqual([[0n]])
    expect(readdirSync(parent)).not.toContain('missing')
  })

  it('keeps its data, and is open in one process at a time', async () => {
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

  it('is the same one under all of its names', async () => {
    const folder = join(parent, 'named')
    await using started = await startPglite({ folder })
    symlinkSync(folder, join(parent, 'link'))
    for (const name of [`${folder}/`, join(parent, 'link'), relative(process.cwd(), folder)])
      await expect(startPglite({ folder: name })).rejects.toThrow(/open in this process/)
    expect(readdirSync(folder)).not.toContain('.lock')
    await started.stop()
    await using next = await startPglite({ folder })
    // Once is enough, and what is not its own it leaves.
    await started.stop()
    expect(existsSync(`${folder}.lock`)).toBe(true)
    await next.stop()
  })

  it.each([
    ['a number that no process has', `${2 ** 30} ${hostname()}`],
    ['the number of this process, from an earlier life', `${process.pid} ${hostname()}`],
  ])('whose process was killed is taken over: %s', async (_, lock) => {
    const folder = join(parent, `killed-${lock.length}`)
    writeFileSync(`${folder}.lock`, lock)
    await (await startPglite({ folder })).stop()
    expect(readdirSync(parent).filter((name) => name.startsWith(basename(folder)))).toEqual([
      basename(folder),
    ])
  })

  it('of another host is left alone', async () => {
    const folder = join(parent, 'elsewhere')
    writeFileSync(`${folder}.lock`, '17 another-host')
    await expect(startPglite({ folder })).rejects.toThrow(/open in the process 17 on another-host/)
  })

  it('with other files is refused', async () => {
    await expect(startPglite({ folder: parent })).rejects.toThrow(/has other files than those of PGlite/)
  })
})

it.each(['postgresql://u:s3cret@h/db', 'postgresql://u@h/db?password=s3cret'])('%s is for no file', (url) => {
  expect(() => engine.address.check!({ url }, 'postgresql', {})).toThrow(/holds a password/)
})

it('neither a url nor a folder, and both, are refused', async () => {
  for (const address of [{}, { url: 'postgresql:///a', folder: 'b' }])
    await expect(engine.connect(address, call)).rejects.toMatchObject({
      code: 'CONFIG',
      fix: expect.stringContaining('pglite'),
    })
})

it('a server that is not there is named without its password', async () => {
  const url = `postgresql://app:secret@127.0.0.1:${await closedPort()}/shop`
  const error: unknown = await engine.connect({ url }, call).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    code: 'DATABASE',
    message: expect.stringMatching(/^shop of PostgreSQL at 127\.0\.0\.1:\d+ does not answer: /),
  })
  expect((error as Error).message).not.toContain('secret')
})

describe('what the function database gives', () => {
  it('may be a PGlite', async () => {
    const database = new PGlite()
    const opened = await engine.connectClient!(database, call)
    expect(opened?.driver.dialect.name).toBe('postgresql')
    await opened?.[Symbol.asyncDispose]()
    // It is closed by the one who opened it.
    expect(database.closed).toBe(false)
    await database.close()
  })

  it('may be a pool, which has to answer', async () => {
    const pool = new Pool({ host: '127.0.0.1', port: await closedPort() })
    await expect(engine.connectClient!(pool, call)).rejects.toThrow(/does not answer/)
    await pool.end()
  })

  it('may be of another engine', async () => {
    expect(await engine.connectClient!({ batch: 1, keyspace: 'a' }, call)).toBeUndefined()
    expect(await engine.connectClient!(pglite, call)).toBeUndefined()
  })
})

it('a local engine has databases of its own', async () => {
  await using local = await engine.startLocal!({})
  const ddl = ['CREATE TABLE t (id bigint PRIMARY KEY)']
  const databases = [
    await local.createDatabase({ dialect: postgresql, ddl }),
    await local.createDatabase({ dialect: postgresql, ddl }),
  ]
  for (const { driver } of databases) await driver.run({ text: 'INSERT INTO t VALUES (1)', parameters: [] })
  expect(local.environment).toEqual({})
})
