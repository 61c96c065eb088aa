import { defineSchema } from '@isotherm/core'
import { inTransaction, native } from '@isotherm/core/sequences'
import { beforeAll, describe, expect, it } from 'vitest'
import { dialects, testDatabase, type TestDatabase } from '../support/spanner.js'
import { ascending, standsAt, upTo } from '@isotherm/testing/data/used-sequences'
import { Used, used, usedNumbers } from './support/used.js'

// Numbers in the transaction of the caller, and numbers of database sequences.

const CALLERS = 16
/** The engine runs one transaction at a time: the last transaction waits for all others. */
const timeoutMs = 600_000

describe.each(dialects)('sequences in $name', (dialect) => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await testDatabase(used, dialect)
  })

  const refused = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)

  it('inTransaction() gives numbers in the order of commits, and without gaps after rollbacks', async () => {
    const { db } = test
    const invoices = inTransaction('invoice')
    expect(await invoices.create(db)).toBe(true)
    expect(await invoices.create(db)).toBe(false)
    const outcomes = await Promise.allSettled(
      Array.from({ length: CALLERS }, (_, caller) =>
        db.transaction(
          async (tx) => {
            const numbers = caller % 2 === 0 ? [await invoices.next(tx)] : await invoices.take(tx, 2)
            if (caller % 10 === 0) numbers.push(await invoices.next(tx), ...(await invoices.take(tx, 2)))
            await tx.insert(
              Used,
              numbers.map((number) => ({ sequence: 'invoice', number })),
            )
            if (caller % 5 === 3) throw new RangeError('rolled back')
          },
          { timeoutMs },
        ),
      ),
    )
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(3)
    const numbers = await usedNumbers(db, 'invoice')
    expect(numbers).toEqual(upTo(numbers.length))
    expect(numbers).toHaveLength(25)
    expect(await standsAt(db, 'invoice')).toBe(26n)
  })

  it.each(['ids', 'MixedIds'])(
    'native() gives unique numbers of the database sequence %s, which are far apart',
    async (name) => {
      await using ids = native(test.db, name, { ranges: { size: 30, lowWater: 5 } })
      const numbers = (await Promise.all(Array.from({ length: CALLERS }, () => ids.take(4)))).flat()
      expect(new Set(numbers).size).toBe(CALLERS * 4)
      expect(numbers.every((number) => number > 0n)).toBe(true)
      expect(ascending(numbers).at(-1)! - ascending(numbers)[0]! > 2n ** 60n).toBe(true)
      // A single number is reserved already, and does not wait.
      const { waits } = ids.statistics
      expect(new Set([...numbers, await ids.next()]).size).toBe(CALLERS * 4 + 1)
      expect(ids.statistics.waits - waits).toBeLessThan(2)
    },
  )

  it('native() throws SEQUENCE_EXHAUSTED at the end of a database sequence', async () => {
    const tiny = defineSchema([], { sequences: [{ name: 'tiny', startCounter: 2n ** 63n - 3n }] })
    const own = await testDatabase(tiny, dialect)
    await using ids = native(own.db, 'tiny', { ranges: { size: 1 } })
    expect(new Set([await ids.next(), await ids.next()]).size).toBe(2)
    expect(await refused(ids.next())).toMatchObject({ code: 'SEQUENCE_EXHAUSTED' })
  })

  it('native() throws SEQUENCE_MISSING for a sequence that the database does not have', async () => {
    const error = await refused(native(test.db, 'nowhere').next())
    expect(error).toMatchObject({ code: 'SEQUENCE_MISSING' })
    expect(error).toHaveProperty('message', expect.stringContaining('no sequence nowhere'))
  })
})
