import { openDatabase } from '@isotherm/core'
import type { Transaction } from '@google-cloud/spanner'
import { spanner } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { spannerCapabilities } from '../support/engines.js'
import { sampledDialects, testDatabase, type TestDatabase } from '../support/spanner.js'
import { Note, notes, readWhileWriting } from '@isotherm/testing/data/writing'

/** A client whose third commit is aborted, as happens to the service's now and then. */
function abortingThird(client: TestDatabase['client']): TestDatabase['client'] {
  let commits = 0
  return Object.create(client, {
    runTransactionAsync: {
      value: (options: object, work: (transaction: Transaction) => Promise<unknown>) =>
        client.runTransactionAsync(options, (transaction) => {
          const commit = transaction.commit.bind(transaction) as (options: object) => Promise<never>
          transaction.commit = async (request: object) => {
            if (++commits !== 3) return commit(request)
            await transaction.rollback()
            throw Object.assign(new Error('Transaction was aborted.'), {
              code: 10,
              metadata: { get: () => [], set: () => {} },
            })
          }
          return work(transaction)
        }),
    },
  }) as typeof client
}

describe.each(sampledDialects)('a fan-out in $name while a commit is aborted', (dialect) => {
  it('returns all rows that were committed before its start, each once and in order', async () => {
    const { client } = await testDatabase(notes, dialect)
    const db = openDatabase({ driver: spanner(abortingThird(client), { dialect }), schema: notes })
    let attempts = 0
    let commits = 0
    const { written, found } = await readWhileWriting({
      db,
      strategies: spannerCapabilities(dialect).strategies,
      async insert(rows) {
        await db.transaction(async (tx) => {
          attempts++
          await tx.insert(Note, rows)
        })
        commits++
      },
    })
    expect(found).toBe(written)
    expect(attempts).toBeGreaterThan(commits)
  })
})
