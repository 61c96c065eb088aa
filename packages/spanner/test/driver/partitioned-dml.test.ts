import type { Database } from '@google-cloud/spanner'
import { googlesql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { partitionedDml } from '../../src/driver/partitioned-dml.js'

/** A client whose first statements are aborted, as often as given. */
function aborting(times: number) {
  const seen = { statements: 0, sessions: 0 }
  const transaction = {
    begin: async () => {},
    async runUpdate() {
      if (seen.statements++ < times) throw Object.assign(new Error('Transaction was aborted.'), { code: 10 })
      return [7]
    },
  }
  const session = {
    partitionedDml: () => transaction,
    delete: async () => void seen.sessions--,
  }
  const createSession = async () => {
    seen.sessions++
    return [session]
  }
  return { database: { createSession } as unknown as Database, seen }
}

const statement = { text: 'UPDATE a SET v = 1 WHERE TRUE', parameters: [] }

describe('partitionedDml()', () => {
  it('repeats an aborted statement and deletes every session', async () => {
    const { database, seen } = aborting(3)
    expect(await partitionedDml(database, statement, googlesql, 60_000, {})).toBe(7)
    expect(seen).toEqual({ statements: 4, sessions: 0 })
  })

  it('waits longer before each repetition, and throws TIMEOUT in the end', async () => {
    const { database, seen } = aborting(Infinity)
    await expect(partitionedDml(database, statement, googlesql, 100, {})).rejects.toMatchObject({
      code: 'TIMEOUT',
    })
    // The waits double, starting at 5 ms.
    expect(seen.statements).toBeLessThan(10)
  })
})
