import { drizzle, int64, spannerTable, string } from '@isotherm/drizzle-adapter'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { eq } from 'drizzle-orm'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import { refusal } from '../../../core/test/support/refusal.js'
import { scriptedDriver, type ScriptedDriver } from './support/scripted-driver.js'

const users = spannerTable('users', { id: int64(), firstName: string() })

const driver = (dialect = googlesql) =>
  ({ ...scriptedDriver(), costs: {}, lacks: [], dialect }) as unknown as ScriptedDriver

describe('drizzle()', () => {
  it('accepts a driver, or a config object with a driver, and returns the driver as $client', async () => {
    const one = driver()
    for (const db of [drizzle(one), drizzle({ client: one }), drizzle(one, { schema: { users } })]) {
      expect(db.$client).toBe(one)
      expectTypeOf(db.$client).toEqualTypeOf<ScriptedDriver>()
      await db.select().from(users)
    }
    expect(one.statements.map(({ text }) => text)).toStrictEqual(
      Array(3).fill('select `users`.`id`, `users`.`firstName` from `users`'),
    )
  })

  it("accepts a database object of Google's Spanner client", () => {
    const on = vi.fn<(event: string, listener: () => void) => void>()
    const client = { listenerCount: () => 0, on, runTransactionAsync() {}, parent: {} }
    const db = drizzle(client as never)
    expect(db.$client).toBe(client)
    expect(on).toHaveBeenCalledWith('error', expect.any(Function))
  })

  it('rejects a driver of the other dialect with INVALID_CLIENT', () => {
    expect(refusal(() => drizzle(driver(spannerPostgresql)))).toMatchObject({
      code: 'INVALID_CLIENT',
      fix: expect.stringContaining('/postgresql'),
    })
  })

  it.each(['projects/p/instances/i/databases/d', undefined, {}, { client: 'address' }])(
    'rejects %j as a client with INVALID_CLIENT',
    (input) => {
      expect(refusal(() => drizzle(input as never))).toMatchObject({
        code: 'INVALID_CLIENT',
        fix: expect.stringContaining('.database('),
      })
    },
  )

  it('logs to a logger, to the console or not at all, and applies the casing to column names', async () => {
    const logged = vi.fn<(text: string, params: unknown[]) => void>()
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    const config = { casing: 'snake_case' } as const
    for (const logger of [{ logQuery: logged }, true, false]) {
      await drizzle(driver(), { ...config, logger })
        .select()
        .from(users)
        .where(eq(users.id, 1n))
    }
    const text = 'select `users`.`id`, `users`.`first_name` from `users` where `users`.`id` = @p1'
    expect(logged.mock.calls).toStrictEqual([[text, ['1']]])
    expect(log.mock.calls).toStrictEqual([[`Query: ${text} -- params: ["1"]`]])
    log.mockRestore()
  })

  it('mock() builds statements, and rejects their execution with INVALID_CLIENT', async () => {
    const db = drizzle.mock({ schema: { users } })
    expect(db.select().from(users).toSQL().sql).toBe('select `users`.`id`, `users`.`firstName` from `users`')
    await expect(db.select().from(users)).rejects.toMatchObject({ cause: { code: 'INVALID_CLIENT' } })
    await expect(db.transaction(async () => {})).rejects.toMatchObject({ code: 'INVALID_CLIENT' })
  })
})
