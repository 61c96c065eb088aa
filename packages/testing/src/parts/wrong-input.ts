import { defineSchema, defineTable, IsothermError, openDatabase, type Transaction } from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import { asynchronous, asynchronousBatch, batch, inTransaction, native } from '@isotherm/core/sequences'
import { expect, it } from 'vitest'
import { part } from '../part.js'

// Input that no compiler has checked: every call with wrong options, rows and arguments.

const Person = defineTable('Person', (t) => ({
  shard: t.shardKey({ shards: 2, of: ['id'] }),
  id: t.uuidV4(),
  name: t.string(),
  town: t.string({ nullable: true }),
}))
const schema = defineSchema([Person])

type Call = (options: never) => unknown

/** The code and the message of what a call throws or rejects with; whatever else it does fails the test. */
async function refused(call: () => unknown): Promise<{ code: string; message: string }> {
  let refusal: unknown
  try {
    await call()
  } catch (error) {
    refusal = error
  }
  expect(refusal).toBeInstanceOf(IsothermError)
  const { code, message } = refusal as IsothermError
  return { code, message }
}

/** Values that are not an options object. */
const NO_OPTIONS = [
  null,
  5,
  'split',
  true,
  [],
  [{}],
  new Map(),
  () => {},
  Object.create({ timeoutMs: 5 }) as object,
]

/** Options of calls that no call has, or that have another value. */
const WRONG: readonly (readonly [options: object, said: string])[] = [
  [{ timeotMs: 5 }, 'timeotMs is not an option. Did you mean timeoutMs?'],
  [{ timeoutMs: '5' }, "timeoutMs is '5'. Give a number of milliseconds."],
  [{ timeoutMs: Number.NaN }, 'timeoutMs is NaN.'],
  [{ timeoutMs: null }, 'timeoutMs is null.'],
  [{ signal: {} }, 'signal is {}. Give an AbortSignal.'],
  [{ signal: new AbortController() }, 'signal is '],
]

export const wrongInput = part([], async ({ dialect, database, traits: { transactions } }) => {
  const { db } = await database(schema)
  const row = { id: crypto.randomUUID(), name: 'Ada', town: null }
  const rows = (): Promise<number> => db.fanOut(Person).count()

  const calls: Readonly<Record<string, Call>> = {
    'db.insert': (options) => db.insert(Person, [row], options),
    'db.get': (options) => db.get(Person, row, options),
    'db.update': (options) => db.update(Person, row, options),
    'db.upsert': (options) => db.upsert(Person, [row], options),
    'db.delete': (options) => db.delete(Person, row, options),
    'db.increment': (options) => db.increment('Person', row, options),
    'db.transaction': (options) => db.transaction(async () => {}, options),
    'db.readQueryPartition': (options) => db.readQueryPartition(Person, {} as never, options),
    'db.closeQueryPartitions': (options) => db.closeQueryPartitions({} as never, options),
    options: (options) => db.fanOut(Person).options(options),
  }

  it.each(Object.keys(calls))('%s rejects options that are not an object', async (name) => {
    for (const options of NO_OPTIONS) {
      const { code, message } = await refused(() => calls[name]!(options as never))
      expect({ code, message }).toEqual({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(`${name}: the options object is `) as string,
      })
    }
    expect(await rows()).toBe(0)
  })

  it.each(Object.keys(calls))(
    '%s rejects unknown options and option values of the wrong type',
    async (name) => {
      for (const [options, said] of WRONG) {
        expect(await refused(() => calls[name]!(options as never))).toEqual({
          code: 'INVALID_OPTION',
          message: expect.stringContaining(`${name}: ${said}`) as string,
        })
      }
      expect(await rows()).toBe(0)
    },
  )

  it.each([
    [
      'db.insert',
      { allowMultipleComits: true },
      'allowMultipleComits is not an option. Did you mean allowMultipleCommits?',
    ],
    ['db.insert', { allowMultipleCommits: 'yes' }, "allowMultipleCommits is 'yes'. Give true or false."],
    ['db.insert', { returning: 0 }, 'returning is 0.'],
    ['db.update', { outsideTransactions: true }, 'outsideTransactions is not an option.'],
    ['db.update', { returning: false }, 'returning is not an option.'],
  ] as const)('%s rejects the options %o', async (name, options, said) => {
    expect(await refused(() => calls[name]!(options as never))).toEqual({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(`${name}: ${said}`) as string,
    })
    expect(await rows()).toBe(0)
  })

  it('writes and get() reject rows, changes and keys that are not objects, and sparse arrays', async () => {
    const sparse: object[] = []
    sparse[1] = row
    const what = [null, undefined, 5, 'Ada', [row]]
    for (const input of [...what.map((each) => [each]), sparse]) {
      const shared = [
        () => db.insert(Person, input as never),
        () => db.upsert(Person, input as never),
        () => db.update(Person, input as never),
        () => db.delete(Person, input as never),
      ]
      for (const call of shared) {
        expect(await refused(call)).toEqual({
          code: 'INVALID_VALUE',
          message: expect.stringMatching(/^Person: the (?:row|change|key) at 0 is /) as string,
        })
      }
    }
    for (const key of what) {
      expect(await refused(() => db.get(Person, key as never))).toEqual({
        code: 'INVALID_VALUE',
        message: expect.stringContaining('Person: the key is ') as string,
      })
    }
    for (const input of [null, undefined, 5, row]) {
      for (const call of [() => db.insert(Person, input as never), () => db.upsert(Person, input as never)])
        expect(await refused(call)).toMatchObject({ code: 'INVALID_VALUE' })
    }
    expect(await rows()).toBe(0)
  })

  it('writes, reads and filters accept inherited properties and getters of an object as values of a row', async () => {
    class Base {
      get name(): string {
        return this.label
      }
      constructor(readonly label: string) {
        Object.defineProperty(this, 'label', { enumerable: false })
      }
      town(): string {
        return 'A method is not a value.'
      }
    }
    class Named extends Base {
      id = crypto.randomUUID()
    }
    const named = new Named('Ada')
    const input = named as never
    await db.insert(Person, [input])
    const shard = BigInt(shardOf(named.id, 2, { dialect }))
    const stored = { shard, id: named.id, name: 'Ada', town: null }
    expect(await db.get(Person, input)).toEqual(stored)
    const other = Object.assign(new Named('Grace'), { id: named.id })
    await db.update(Person, other as never)
    expect(await db.get(Person, input)).toEqual({ ...stored, name: 'Grace' })
    await db.upsert(Person, [input])
    expect(await db.get(Person, input)).toEqual(stored)
    expect(await db.fanOut(Person).where(input).all()).toEqual([stored])
    expect(
      await db
        .fanOut(Person)
        .where(other as never)
        .all(),
    ).toEqual([])
    const reads = async (tx: Transaction): Promise<unknown> => {
      const first = await tx.get(Person, input)
      await tx.update(Person, other as never)
      const second = await tx.get(Person, input)
      await tx.upsert(Person, [input])
      await tx.delete(Person, input)
      await tx.insert(Person, [input])
      return [first, second]
    }
    expect(transactions ? await db.transaction(reads) : undefined).toEqual(
      transactions ? [stored, { ...stored, name: 'Grace' }] : undefined,
    )
    await db.delete(Person, input)
    expect(await rows()).toBe(0)
  })

  it('transaction(), on() and off() reject work, events and listeners of the wrong type', async () => {
    const wrong: readonly (readonly [() => unknown, string])[] = [
      [() => db.transaction(5 as never), 'db.transaction: work is 5. Give a function.'],
      [() => db.transaction(undefined as never), 'db.transaction: work is '],
      [() => db.on('skewed' as never, () => {}), "db.on: event is 'skewed'."],
      [() => db.on('skew', 5 as never), 'db.on: listener is 5. Give a function.'],
      [() => db.off('skew', null as never), 'db.off: listener is null.'],
    ]
    for (const [call, said] of wrong) {
      expect(await refused(call)).toEqual({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(said) as string,
      })
    }
  })

  it('openDatabase() rejects a missing driver or schema, and unknown or wrong options', async () => {
    const { driver } = db
    const wrong: readonly (readonly [unknown, string])[] = [
      [undefined, 'driver is missing'],
      [{ driver }, 'schema is missing'],
      [{ schema }, 'driver is missing'],
      [[driver, schema], 'the options object is a list.'],
      [{ driver: {}, schema }, 'driver is {}. Give a driver, as the package of an engine makes it'],
      [{ driver: null, schema }, 'driver is null.'],
      [{ driver, schema: [Person] }, 'schema is ['],
      [{ driver, schema, table: [] }, 'table is not an option. Did you mean tables?'],
      [{ driver, schema, severity: {} }, 'severity is not an option.'],
      [{ driver, schema, cursorSecret: 5 }, 'cursorSecret is a number.'],
      [
        { driver, schema, tables: {} },
        "tables is {}. Give the result of dualWrites() of '@isotherm/core/reshard'",
      ],
    ]
    for (const [options, said] of wrong) {
      expect(await refused(() => openDatabase(options as never))).toEqual({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(`openDatabase: ${said}`) as string,
      })
    }
  })

  it('a fan-out rejects unknown options and arguments of the wrong type', async () => {
    const people = db.fanOut(Person)
    const wrong: readonly (readonly [() => unknown, string])[] = [
      [() => people.timestampBound({ exactStalenes: 5 } as never), 'bound.exactStalenes'],
      [() => people.timestampBound('weak' as never), "timestampBound: bound is 'weak'."],
      [() => people.onShardError('partial', 5 as never), 'onShardError: the listener is 5.'],
      [() => people.queryPartitions(2, { dataBost: true } as never), 'Did you mean dataBoost?'],
      [() => people.queryPartitions(2, null as never), 'queryPartitions: the options object is null.'],
      [() => people.include('x', 'Person' as never, { limt: 5 } as never), 'Did you mean limit?'],
      [() => people.options(undefined as never).options({ directedReads: {} } as never), 'directedReads'],
    ]
    for (const [call, said] of wrong) {
      expect(await refused(call)).toEqual({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(said) as string,
      })
    }
  })

  it('sequence generators reject a name, options or a database of the wrong type', async () => {
    const makers: Readonly<Record<string, (name: never, options: never) => unknown>> = {
      inTransaction: (name, options) => inTransaction(name, options),
      asynchronous: (name, options) => asynchronous(db, name, options),
      batch: (name, options) => batch(db, name, options),
      asynchronousBatch: (name, options) => asynchronousBatch(db, name, options),
      native: (name, options) => native(db, name, options),
    }
    for (const [maker, make] of Object.entries(makers)) {
      const wrong = [
        [5, undefined, 'name is 5.'],
        ['a', null, 'the options object is null.'],
        ['a', { steps: 5n }, 'steps is not an option.'],
      ] as const
      for (const [name, options, said] of wrong) {
        expect(await refused(() => make(name as never, options as never))).toEqual({
          code: 'INVALID_OPTION',
          message: expect.stringContaining(`${maker}: ${said}`) as string,
        })
      }
    }
    expect(await refused(() => batch(5 as never, 'a'))).toMatchObject({ code: 'INVALID_OPTION' })
    expect(await refused(() => asynchronousBatch(db, 'a', { ranges: { sise: 5 } as never }))).toMatchObject({
      code: 'INVALID_OPTION',
    })
  })

  it('methods of a transaction reject wrong options, rows and keys', async () => {
    const txCalls: Readonly<Record<string, (tx: Transaction, options: never) => unknown>> = {
      'tx.insert': (tx, options) => tx.insert(Person, [row], options),
      'tx.update': (tx, options) => tx.update(Person, row, options),
      'tx.upsert': (tx, options) => tx.upsert(Person, [row], options),
      'tx.delete': (tx, options) => tx.delete(Person, row, options),
    }
    const work = db.transaction(async (tx) => {
      for (const [name, call] of Object.entries(txCalls)) {
        for (const options of NO_OPTIONS) {
          expect(await refused(() => call(tx, options as never))).toEqual({
            code: 'INVALID_OPTION',
            message: expect.stringContaining(`${name}: the options object is `) as string,
          })
        }
        expect(await refused(() => call(tx, { bufered: true } as never))).toMatchObject({
          message: expect.stringContaining(
            `${name}: bufered is not an option. Did you mean buffered?`,
          ) as string,
        })
      }
      for (const input of [null, 5, [row]]) {
        for (const call of [
          () => tx.insert(Person, [input] as never),
          () => tx.upsert(Person, [input] as never),
          () => tx.update(Person, [input] as never),
          () => tx.delete(Person, [input] as never),
          () => tx.get(Person, input as never),
        ])
          expect(await refused(call)).toMatchObject({ code: 'INVALID_VALUE' })
      }
    })
    const outcome = await work.then(
      () => 'committed',
      ({ code }: IsothermError) => code,
    )
    expect(outcome).toBe(transactions ? 'committed' : 'UNSUPPORTED_FEATURE')
    expect(await rows()).toBe(0)
  })
})
