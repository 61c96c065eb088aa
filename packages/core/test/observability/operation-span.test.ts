import { IsothermError, type Driver } from '@isotherm/core'
import { SpanStatusCode, trace, type Span } from '@opentelemetry/api'
import { afterEach, describe, expect, it } from 'vitest'
import { errorType } from '../../src/observability/spans.js'
import { openLog } from './support/log.js'
import { forget, recordSpans } from './support/telemetry.js'

const unavailable = new IsothermError('UNAVAILABLE', 'Later.', { retryable: true })
const denied = new IsothermError('DATABASE', 'No.')

afterEach(forget)

describe('the span of an aggregate', () => {
  it('covers all attempts of the aggregate, with an event for each retry', async () => {
    const recorded = recordSpans()
    const active: (Span | undefined)[] = []
    const { db, table } = openLog(4, undefined, {
      query: async () => {
        active.push(trace.getActiveSpan())
        if (active.length === 1) throw unavailable
        return [[7n]]
      },
    })
    expect(await db.fanOut(table).count()).toBe(7)
    const [span, ...others] = recorded.spans()
    expect(others).toEqual([])
    expect(span).toMatchObject({
      name: 'aggregate Log',
      attributes: {
        'db.system.name': 'gcp.spanner',
        'db.collection.name': 'Log',
        'db.operation.name': 'aggregate',
      },
      events: [{ name: 'retry', attributes: { 'isotherm.attempt': 1 } }],
    })
    expect(active.map((each) => each?.spanContext())).toEqual([span!.spanContext(), span!.spanContext()])
  })

  it('records the error code of a failed aggregate', async () => {
    const recorded = recordSpans()
    const { db, table } = openLog(4, undefined, { query: () => Promise.reject(denied) })
    await expect(db.fanOut(table).groupBy('userId').count()).rejects.toBe(denied)
    expect(recorded.spans()).toMatchObject([
      { status: { code: SpanStatusCode.ERROR }, attributes: { 'error.type': 'DATABASE' } },
    ])
  })
})

describe('the spans of a query partition', () => {
  const cells = (userId: bigint) => [0n, new Date(0), userId]
  const reads = (failure?: Error): Driver['queryPartitions'] => ({
    partition: async () => ({ readTimestamp: new Date(0), tokens: ['token'] }),
    async *readQueryPartition() {
      yield [cells(1n), cells(2n)]
      expect(trace.getActiveSpan()).toBeDefined()
      if (failure) throw failure
      yield [cells(3n)]
    },
    closeQueryPartitions: async () => {},
  })

  async function part(failure?: Error) {
    const log = openLog(4, undefined, { queryPartitions: reads(failure) })
    const { partitions } = await log.db.fanOut(log.table).queryPartitions(1)
    return { read: () => log.db.readQueryPartition(log.table, partitions[0]!) }
  }

  it('creating a query partition has one span, and reading its rows has another span', async () => {
    const recorded = recordSpans()
    const { read } = await part()
    const users: bigint[] = []
    for await (const { userId } of read()) users.push(userId)
    expect(users).toEqual([1n, 2n, 3n])
    expect(recorded.spans()).toMatchObject([
      { name: 'partition Log' },
      {
        name: 'read_part Log',
        status: { code: SpanStatusCode.UNSET },
        attributes: { 'isotherm.rows_read': 3, 'isotherm.rows_returned': 3 },
      },
    ])
  })

  it('the span of reading a query partition ends when the reader stops early', async () => {
    const recorded = recordSpans()
    const { read } = await part()
    for await (const { userId } of read()) {
      expect(userId).toBe(1n)
      break
    }
    expect(recorded.open).toBe(0)
    expect(recorded.spans().at(-1)).toMatchObject({ attributes: { 'isotherm.rows_read': 2 } })
  })

  it('the span of reading a query partition records the error and the rows read before it', async () => {
    const recorded = recordSpans()
    const { read } = await part(unavailable)
    const reading = read()
    await reading.next()
    await reading.next()
    await expect(reading.next()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(recorded.spans().at(-1)).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'UNAVAILABLE', 'isotherm.rows_read': 2 },
    })
  })
})

describe('errorType()', () => {
  it.each([
    [denied, 'DATABASE'],
    [new TypeError('x'), 'TypeError'],
    [Object.assign(new Error('x'), { code: 14 }), 'Error'],
    ['text', '_OTHER'],
    [null, '_OTHER'],
  ])('maps the error %s to the type %s', (error, type) => {
    expect(errorType(error)).toBe(type)
  })
})
