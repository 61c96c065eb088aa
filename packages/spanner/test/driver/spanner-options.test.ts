import { spanner } from '@isotherm/spanner'
import { expect, it } from 'vitest'
import { refusal } from '../../../core/test/support/refusal.js'

const privateKey = '-----BEGIN PRIVATE KEY-----'
const database = { runTransactionAsync: () => {} } as never

it.each([
  [
    'spanner: was given an object, not a database.',
    () => spanner({ credentials: { private_key: privateKey } } as never),
  ],
  ["spanner: was given 'projects/a', not a database.", () => spanner('projects/a' as never)],
  ['spanner: was given undefined, not a database.', () => spanner(undefined as never)],
  [
    'spanner: was given a client, or an instance, not a database.',
    () => spanner({ database: () => {} } as never),
  ],
  [
    'spanner: costs.rows is not an option. Did you mean row?',
    () => spanner(database, { costs: { rows: 1 } as never }),
  ],
  ["spanner: costs.row is '1'. Give a number.", () => spanner(database, { costs: { row: '1' as never } })],
  [
    'spanner: costs.concurrency is 0. Give a whole number from 1.',
    () => spanner(database, { costs: { concurrency: 0 } }),
  ],
])('spanner() rejects an invalid database or option, and prints no private key: %s', (message, work) => {
  const error = refusal(work)
  const code = message.includes('was given') ? 'INVALID_CLIENT' : 'INVALID_OPTION'
  expect(error).toMatchObject({ code, message: expect.stringContaining(message) })
  expect(error.message).not.toContain(privateKey)
})
