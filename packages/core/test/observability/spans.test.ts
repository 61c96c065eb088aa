import { IsothermError, type FanOutReport, type Telemetry, type TelemetrySpan } from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import { SpanKind, SpanStatusCode, trace, TraceFlags, type Span } from '@opentelemetry/api'
import { AlwaysOffSampler, type ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openLog } from './support/log.js'
import { forget, recordMetrics, recordSpans } from './support/telemetry.js'

const unavailable = new IsothermError('UNAVAILABLE', 'Later.', { retryable: true })
const denied = new IsothermError('DATABASE', 'No.')

afterEach(() => {
  forget()
  vi.restoreAllMocks()
})

const named = (spans: readonly ReadableSpan[], name: string) => spans.filter((span) => span.name === name)

/** The span of the query, and those of its shards in their order. */
function family(spans: readonly ReadableSpan[]) {
  const [query, ...others] = named(spans, 'fan_out Log')
  expect(others).toEqual([])
  const shards = named(spans, 'read Log').toSorted(
    (a, b) => Number(a.attributes['isotherm.shard']) - Number(b.attributes['isotherm.shard']),
  )
  return { query: query!, shards }
}

const nanos = ([seconds, rest]: readonly [number, number]): bigint =>
  BigInt(seconds) * 1_000_000_000n + BigInt(rest)
const MILLISECOND = 1_000_000n

/** Makes the reads of a shard fail. */
const failing =
  (shard: number, error: Error, times = Infinity) =>
  (requestedShard: number): void => {
    if (requestedShard === shard && times-- > 0) throw error
  }

describe('the spans of a fan-out', () => {
  it('a fan-out has a span below the span of the application, with a child span for each shard', async () => {
    const recorded = recordSpans()
    const { db, table, rows } = openLog(4)
    const read = await trace.getTracer('app').startActiveSpan('GET /log', async (span) => {
      const all = await db.fanOut(table).strategy('merge-shards').all()
      span.end()
      return all
    })
    expect(read).toHaveLength(rows.length)
    const spans = recorded.spans()
    const { query, shards } = family(spans)
    const [application] = named(spans, 'GET /log')
    expect(spans).toHaveLength(6)
    expect(recorded.open).toBe(0)
    expect(query.parentSpanContext?.spanId).toBe(application!.spanContext().spanId)
    expect(query.kind).toBe(SpanKind.INTERNAL)
    expect(query.status.code).toBe(SpanStatusCode.UNSET)
    expect(query.attributes).toEqual({
      'db.system.name': 'gcp.spanner',
      'db.collection.name': 'Log',
      'db.operation.name': 'fan_out',
      'isotherm.strategy': 'merge-shards',
      'isotherm.shards': 4,
      'isotherm.rows_read': rows.length,
      'isotherm.rows_returned': rows.length,
      'isotherm.retries': 0,
      'isotherm.missing_shards': 0,
    })
    shards.forEach((span, shard) => {
      expect(span.parentSpanContext?.spanId).toBe(query.spanContext().spanId)
      expect(span.kind).toBe(SpanKind.CLIENT)
      expect(span.attributes).toEqual({
        'db.system.name': 'gcp.spanner',
        'db.collection.name': 'Log',
        'db.operation.name': 'read',
        'isotherm.shard': shard,
        'isotherm.rows_read': rows.filter(({ shardId }) => shardId === BigInt(shard)).length,
        'isotherm.calls': 1,
      })
    })
    expect(new Set(spans.map((span) => span.instrumentationScope.name))).toEqual(
      new Set(['app', '@isotherm/core']),
    )
  })

  it('a fan-out that reads all shards in one call has one child span', async () => {
    const recorded = recordSpans()
    const { db, table, rows } = openLog(4)
    await db.fanOut(table).strategy('read-ranges').limit(3).all()
    const { query, shards } = family(recorded.spans())
    expect(shards).toHaveLength(1)
    expect(shards[0]!.attributes).not.toHaveProperty('isotherm.shard')
    expect(query.attributes).toMatchObject({ 'isotherm.rows_read': rows.length, 'isotherm.rows_returned': 3 })
  })

  it('a pruned fan-out has a child span only for the shard it reads, and no child span if no row can match', async () => {
    const recorded = recordSpans()
    const { db, table } = openLog(4)
    await db.fanOut(table).where({ userId: 0n }).strategy('merge-shards').all()
    const { query, shards } = family(recorded.spans())
    expect(query.attributes).toMatchObject({ 'isotherm.shards': 1, 'isotherm.rows_returned': 1 })
    expect(shards.map(({ attributes }) => attributes['isotherm.shard'])).toEqual([shardOf(0n, 4)])
    await db
      .fanOut(table)
      .where({ userId: { in: [] } })
      .all()
    expect(recorded.open).toBe(0)
    expect(recorded.spans().at(-1)).toMatchObject({
      name: 'fan_out Log',
      attributes: { 'isotherm.shards': 0 },
    })
  })

  it('driver calls run in the span of their shard, whatever span is active when the rows are read', async () => {
    const recorded = recordSpans()
    const active = new Map<number, Set<Span | undefined>>()
    let began: Span | undefined
    const log = openLog(4, (shard) => {
      active.set(shard, (active.get(shard) ?? new Set()).add(trace.getActiveSpan()))
    })
    const { snapshot } = log.driver
    log.driver.snapshot = (options) => {
      began = trace.getActiveSpan()
      return snapshot(options)
    }
    const tracer = trace.getTracer('app')
    const stream = log.db.fanOut(log.table).strategy('merge-shards')[Symbol.asyncIterator]()
    const taken = await tracer.startActiveSpan('first', () => stream.next())
    await tracer.startActiveSpan('rest', async () => {
      for await (const row of stream) expect(row).not.toEqual(taken.value)
    })
    const { query, shards } = family(recorded.spans())
    expect(began?.spanContext()).toEqual(query.spanContext())
    shards.forEach((span, shard) => {
      expect([...active.get(shard)!].map((each) => each?.spanContext())).toEqual([span.spanContext()])
    })
  })

  it('each retry adds an event with its attempt number to the span of the fan-out or of the shard', async () => {
    const recorded = recordSpans()
    let failures = 1
    const log = openLog(4, failing(2, unavailable, 2))
    const { snapshot } = log.driver
    log.driver.snapshot = (options) => (failures-- > 0 ? Promise.reject(unavailable) : snapshot(options))
    await log.db.fanOut(log.table).strategy('merge-shards').all()
    const { query, shards } = family(recorded.spans())
    expect(query.attributes['isotherm.retries']).toBe(3)
    expect(query.events).toMatchObject([{ name: 'retry', attributes: { 'isotherm.attempt': 1 } }])
    expect(shards.map(({ events }) => events.map(({ attributes }) => attributes))).toEqual([
      [],
      [],
      [{ 'isotherm.attempt': 1 }, { 'isotherm.attempt': 2 }],
      [],
    ])
    expect(shards[2]!.status.code).toBe(SpanStatusCode.UNSET)
    expect(shards[2]!.attributes['isotherm.calls']).toBe(1)
  })

  it('a failed fan-out records the error in its own span and in the span of the failed shard', async () => {
    const recorded = recordSpans()
    const { db, table } = openLog(4, failing(2, denied))
    await expect(db.fanOut(table).strategy('merge-shards').all()).rejects.toBe(denied)
    const { query, shards } = family(recorded.spans())
    for (const span of [query, shards[2]!]) {
      expect(span.status).toEqual({ code: SpanStatusCode.ERROR, message: 'No.' })
      expect(span.attributes['error.type']).toBe('DATABASE')
      expect(span.events).toMatchObject([{ name: 'exception' }])
    }
    expect(shards[0]!.status.code).toBe(SpanStatusCode.UNSET)
    expect(recorded.open).toBe(0)
  })

  it('a partial result records the error in the span of the missing shard, and not in that of the fan-out', async () => {
    const recorded = recordSpans()
    const { db, table } = openLog(4, failing(2, unavailable))
    const { missing } = await db.fanOut(table).strategy('merge-shards').onShardError('partial').page()
    expect(missing).toMatchObject([{ shard: 2 }])
    const { query, shards } = family(recorded.spans())
    expect(query.status.code).toBe(SpanStatusCode.UNSET)
    expect(query.attributes['isotherm.missing_shards']).toBe(1)
    expect(shards.map(({ attributes }) => attributes['error.type'])).toEqual([
      undefined,
      undefined,
      'UNAVAILABLE',
      undefined,
    ])
  })

  it('all spans end when the reader stops early', async () => {
    const recorded = recordSpans()
    const { db, table } = openLog(4)
    for await (const row of db.fanOut(table).strategy('merge-shards')) {
      expect(row.userId).toBeDefined()
      break
    }
    const { query, shards } = family(recorded.spans())
    expect(recorded.open).toBe(0)
    expect(query.status.code).toBe(SpanStatusCode.UNSET)
    expect(shards).toHaveLength(4)
  })

  it('all spans end when a signal aborts the fan-out, and the span of the fan-out records CANCELLED', async () => {
    const recorded = recordSpans()
    const controller = new AbortController()
    const { db, table } = openLog(4, (shard, options) => {
      if (shard === 3) controller.abort(new Error('Enough.'))
      options?.signal?.throwIfAborted()
    })
    const query = db.fanOut(table).strategy('merge-shards').options({ signal: controller.signal })
    await expect(query.all()).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(recorded.open).toBe(0)
    expect(family(recorded.spans()).query.attributes['error.type']).toBe('CANCELLED')
  })

  it('no span stays open for shards that were not read before a failure', async () => {
    const recorded = recordSpans()
    const { db, table } = openLog(300, failing(0, denied))
    await expect(db.fanOut(table).strategy('merge-shards').all()).rejects.toBe(denied)
    // Reads that still waited for their turn are rejected by then.
    await new Promise(setImmediate)
    expect(recorded.open).toBe(0)
  })

  it('the span of a slow shard ends after those of other shards and before that of the fan-out', async () => {
    const recorded = recordSpans()
    const { db, table } = openLog(4, async (shard) => {
      if (shard === 1) await new Promise((resolve) => setTimeout(resolve, 20))
    })
    await db.fanOut(table).strategy('merge-shards').all()
    const { query, shards } = family(recorded.spans())
    const ends = shards.map(({ endTime }) => nanos(endTime))
    expect(ends[1]).toBeGreaterThan(ends[0]!)
    expect(ends[1]).toBeGreaterThan(ends[3]!)
    // The SDK sets each span's clock by a time in whole milliseconds.
    expect(nanos(query.endTime) + MILLISECOND).toBeGreaterThanOrEqual(ends[1]!)
    for (const { startTime } of shards)
      expect(nanos(startTime)).toBeGreaterThanOrEqual(nanos(query.startTime))
  })
})

describe('a database without telemetry', () => {
  it('creates no spans and no metrics, but emits the fanOut event', async () => {
    const recorded = recordSpans()
    const points = recordMetrics()
    const { db, table, rows } = openLog(4, undefined, {}, {})
    const reports: FanOutReport[] = []
    db.on('fanOut', (report) => reports.push(report))
    expect(await db.fanOut(table).strategy('merge-shards').all()).toHaveLength(rows.length)
    await new Promise(setImmediate)
    expect(recorded.spans()).toEqual([])
    expect(await points('isotherm.fan_out.rows_read')).toEqual([])
    expect(reports).toMatchObject([{ table: 'Log', shards: 4 }])
  })
})

describe('a custom Telemetry object', () => {
  it('receives spans with their parents, and metrics, without OpenTelemetry', async () => {
    const spans: { readonly name: string; readonly parent: TelemetrySpan | undefined }[] = []
    const metrics = new Map<string, number>()
    const telemetry: Telemetry = {
      startSpan(name, { parent }) {
        spans.push({ name, parent })
        return { isRecording: true, run: (work) => work(), addEvent() {}, fail() {}, end() {} }
      },
      addEvent() {},
      record: ({ name }, value) => metrics.set(name, value),
    }
    const { db, table, rows } = openLog(2, undefined, {}, { telemetry })
    await db.fanOut(table).strategy('merge-shards').all()
    expect(spans.map(({ name, parent }) => [name, parent !== undefined])).toEqual([
      ['fan_out Log', false],
      ['read Log', true],
      ['read Log', true],
    ])
    expect(metrics.get('isotherm.fan_out.rows_read')).toBe(rows.length)
  })

  it('openDatabase() rejects a telemetry object that lacks a method', () => {
    const wrong = { telemetry: {} as Telemetry }
    expect(() => openLog(1, undefined, {}, wrong)).toThrow(
      'openDatabase: telemetry is {}. Give openTelemetry() of @isotherm/core/opentelemetry.',
    )
  })
})

describe('spans that no tracer provider records', () => {
  it('a fan-out without a tracer provider gets a tracer once and creates no span for a shard', async () => {
    const getTracer = vi.spyOn(trace, 'getTracer')
    const { db, table, rows } = openLog(64, () => {
      expect(trace.getActiveSpan()).toBeUndefined()
    })
    expect(await db.fanOut(table).strategy('merge-shards').all()).toHaveLength(rows.length)
    expect(getTracer).toHaveBeenCalledTimes(1)
  })

  it('a fan-out that is not sampled starts one span, and its driver calls are not sampled', async () => {
    const recorded = recordSpans(new AlwaysOffSampler())
    const started = vi.spyOn(trace.getTracer('@isotherm/core').constructor.prototype, 'startSpan')
    const flags = new Set<number | undefined>()
    const { db, table } = openLog(64, () => {
      flags.add(trace.getActiveSpan()?.spanContext().traceFlags)
    })
    await db.fanOut(table).strategy('merge-shards').all()
    expect(recorded.spans()).toEqual([])
    expect(started).toHaveBeenCalledTimes(1)
    expect(flags).toEqual(new Set<number>([TraceFlags.NONE]))
  })
})
