import { PGlite } from '@electric-sql/pglite'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresql, pglite } from '@isotherm/postgresql'
import { engine } from '@isotherm/postgresql/cli'
import { startPglite } from '@isotherm/postgresql/local'
import { Pool } from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { closedPort } from '../../../../test/support/closed-port.js'

const call = { dialect: 'postgresql', environment: {} }
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
    ['postgresql://host/a/b', 'and "a/b" is no database.'],
    ['postgresql://host:port/a', 'and not of the form postgresql://'],
    ['pglite:', 'and names no folder'],
  ])('%s says too little', (text, problem) => {
    expect(engine.address.read(text)).toEqual({ problem: expect.stringContaining(problem) })
  })

  it('of another engine is left to that one', () => {
    expect(engine.address.read('cassandra://host/keyspace')).toBeUndefined()
  })
})

describe('a folder', () => {
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

  it('whose process was killed is taken over', async () => {
    const folder = join(parent, 'killed')
    // No process has that number: it is above the highest one.
    writeFileSync(`${folder}.lock`, String(2 ** 30))
    await (await startPglite({ folder })).stop()
    expect(existsSync(`${folder}.lock`)).toBe(false)
  })
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
