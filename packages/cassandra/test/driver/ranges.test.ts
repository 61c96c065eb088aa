import type { KeyRange, ReadRequest, Wire } from '@isotherm/core/engine'
import type { types } from 'cassandra-driver'
import { describe, expect, it } from 'vitest'
import { cqlStatements, type CqlStatement } from '../../src/cql/statements.js'
import type { Session } from '../../src/driver/execute.js'
import { readRows } from '../../src/driver/ranges.js'
import { keyPart, layoutByHand } from '../cql/support/key.js'

// Which requests are sent, and when. Tests with a node check the answers.

const log = layoutByHand(
  'log',
  [keyPart('day'), keyPart('at', 'desc'), keyPart('id'), keyPart('part', 'desc')],
  1,
)
const statements = cqlStatements({ tupleRelations: false })

interface PendingRequest {
  readonly text: string
  readonly values: readonly Wire[]
  readonly fetchSize: number
  answer(rows: readonly Readonly<Record<string, unknown>>[]): Promise<void>
}

/** A session whose calls wait until the test answers them. */
function scripted() {
  const requests: PendingRequest[] = []
  const call = {
    ended: false,
    page({ text, parameters }: CqlStatement, fetchSize: number): Promise<types.ResultSet> {
      return new Promise((resolve) => {
        requests.push({
          text,
          values: parameters.map(({ value }) => value),
          fetchSize,
          async answer(rows) {
            resolve({ rows, pageState: null } as never)
            // All requests that follow from the answer have been sent by then.
            await new Promise((done) => setImmediate(done))
          },
        })
      })
    },
  }
  const session = { call: (_: string, __: object, work: (each: typeof call) => unknown) => work(call) }
  const read = (request: Partial<ReadRequest>) =>
    readRows(
      session as unknown as Session,
      statements,
      { layout: log, columns: log.columns.slice(1, 2), ...request },
      {},
      'read',
    )
  return { requests, read, call }
}

function behind(...start: string[]): KeyRange {
  return { start, startOpen: start.length > 1, end: ['1'], endOpen: false }
}

const days = (count: number): KeyRange[] =>
  Array.from({ length: count }, (_, at) => ({ ...behind(), start: [`${at}`], end: [`${at}`] }))

describe('readRows() with a range in several slices', () => {
  it('requests both of two slices at once, and returns rows in the order of the slices', async () => {
    const { requests, read } = scripted()
    const rows = read({ ranges: [behind('1', '5', '7')], limit: 3 })
    expect(requests.map(({ values }) => values)).toEqual([
      ['1', '5', '7', 3],
      ['1', '5', 3],
    ])
    await requests[1]!.answer([{ at: 4n }, { at: 3n }, { at: 2n }])
    await requests[0]!.answer([{ at: 5n }])
    expect(await rows).toEqual([[5n], [4n], [3n]])
  })

  it('requests more than two slices one after another, and stops when the limit is reached', async () => {
    const { requests, read } = scripted()
    const rows = read({ ranges: [behind('1', '5', '7', '9')], limit: 3 })
    expect(requests).toHaveLength(1)
    await requests[0]!.answer([{ at: 5n }])
    expect(requests.map(({ fetchSize }) => fetchSize)).toEqual([3, 2])
    await requests[1]!.answer([{ at: 5n }, { at: 5n }])
    expect(await rows).toEqual([[5n], [5n], [5n]])
    expect(requests).toHaveLength(2)
  })

  it('requests no more slices after the call has ended', async () => {
    const { requests, read, call } = scripted()
    const rows = read({ ranges: [behind('1', '5', '7', '9')] })
    call.ended = true
    await requests[0]!.answer([])
    await rows
    expect(requests).toHaveLength(1)
  })
})

describe('readRows() with many ranges', () => {
  it('requests at most 128 ranges at once, and returns rows in the order of the ranges', async () => {
    const { requests, read } = scripted()
    const rows = read({ ranges: days(300) })
    expect(requests).toHaveLength(128)
    for (const at of [2, 1]) await requests[at]!.answer([{ at: BigInt(at) }])
    expect(requests).toHaveLength(130)
    for (let at = 0; at < requests.length; at++) await requests[at]!.answer([{ at: BigInt(at) }])
    expect(requests).toHaveLength(300)
    expect(await rows).toEqual(Array.from({ length: 300 }, (_, at) => [BigInt(at)]))
  })

  it('starts no more ranges after the limit is reached, and returns the rows of the first ranges', async () => {
    const { requests, read } = scripted()
    const rows = read({ ranges: days(300), limit: 2 })
    await requests[5]!.answer([{ at: 50n }, { at: 51n }])
    for (let at = 0; at < requests.length; at++) await requests[at]!.answer(at === 3 ? [{ at: 30n }] : [])
    expect(requests).toHaveLength(128)
    expect(await rows).toEqual([[30n], [50n]])
  })
})
