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
  ['a database path', 'projects/p/instances/i/databases/d'],
])('spanner() rejects %s with INVALID_CLIENT', (_, input) => {
  expect(() => spanner(input as never)).toThrow(expect.objectContaining({ code: 'INVALID_CLIENT' }))
})

it('spanner() rejects unknown and invalid options with INVALID_OPTION and the name of the option', async () => {
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
  ])('makes %s() throw an error with the fix to run isotherm migrate', async (_, call) => {
    await expect(call()).rejects.toMatchObject({ fix: 'Run the migrations: isotherm migrate.' })
  })
})
