import { defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { spanner } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { dialects, sharedEmulator } from '../support/spanner.js'

const Thing = defineTable('Thing', (t) => ({ id: t.uuidV4(), name: t.string() }))
const schema = defineSchema([Thing])
const emulator = await sharedEmulator()

it.each([
  ['a client', emulator.client],
  ['an instance', emulator.client.instance('main')],
  ['null', null],
  ['an address', 'projects/p/instances/i/databases/d'],
])('refuses %s where a database is meant', (_, given) => {
  expect(() => spanner(given as never)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
})

it('refuses options that are none by name', async () => {
  const database = await emulator.database()
  for (const options of [
    { dealine: 5 },
    { timeoutMs: '5' },
    { dialect: 'mysql' },
    { costs: 5 },
    { costs: { rows: 1 } },
  ])
    expect(() => spanner(database, options as never)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(Object.keys(options)[0]!) as string,
      }),
    )
})

describe.each(dialects)('a database of $name without the tables of the models', async (dialect) => {
  const db = openDatabase({ driver: spanner(await emulator.database({ dialect })), schema })

  it.each<[string, () => Promise<unknown>]>([
    ['get', () => db.get(Thing, { id: crypto.randomUUID() })],
    ['insert', () => db.insert(Thing, [{ name: 'x' }])],
    ['count', () => db.fanOut(Thing).count()],
  ])('is told to be migrated by %s', async (_, call) => {
    await expect(call()).rejects.toMatchObject({ fix: 'Run the migrations: isotherm migrate.' })
  })
})
