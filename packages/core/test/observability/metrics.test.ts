import { IsothermError } from '@isotherm/core'
import type { Histogram } from '@opentelemetry/sdk-metrics'
import { afterEach, describe, expect, it } from 'vitest'
import { openLog } from './support/log.js'
import { forget, recordMetrics } from './support/telemetry.js'

const unavailable = new IsothermError('UNAVAILABLE', 'Later.', { retryable: true })
const denied = new IsothermError('DATABASE', 'No.')
const attributes = {
  'db.system.name': 'gcp.spanner',
  'db.collection.name': 'Log',
  'isotherm.strategy': 'read-ranges',
}

afterEach(forget)

describe('metrics of fan-outs', () => {
  it('isotherm.fan_out.rows_read counts all rows read, and rows_returned counts the rows returned', async () => {
    const points = recordMetrics()
    const { db, table, rows } = openLog(4)
    const newest = db.fanOut(table).strategy('read-ranges').limit(2)
    await newest.all()
    await newest.all()
    expect(await points('isotherm.fan_out.rows_read')).toEqual([
      { unit: '{row}', value: 2 * rows.length, attributes },
    ])
    expect(await points('isotherm.fan_out.rows_returned')).toEqual([{ unit: '{row}', value: 4, attributes }])
    expect(await points('isotherm.fan_out.retries')).toEqual([])
    expect(await points('isotherm.fan_out.missing_shards')).toEqual([])
  })

  it('isotherm.fan_out.duration is in seconds, with buckets from 1 ms to 10 s', async () => {
    const points = recordMetrics()
    const { db, table } = openLog(4)
    await db.fanOut(table).strategy('read-ranges').limit(2).all()
    const [duration, ...others] = await points('isotherm.fan_out.duration')
    const { count, sum, buckets } = duration!.value as Histogram
    expect(others).toEqual([])
    expect(duration).toMatchObject({ unit: 's', attributes })
    expect(count).toBe(1)
    expect(sum).toBeGreaterThan(0)
    expect(sum).toBeLessThan(5)
    expect(buckets.boundaries).toEqual([0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10])
  })

  it('retries and missing shards are counted, and the duration of a failed fan-out carries its error code', async () => {
    const points = recordMetrics()
    let failures = 2
    const { db, table } = openLog(4, (shard) => {
      if (shard === 1 && failures-- > 0) throw unavailable
      if (shard === 2) throw unavailable
      if (shard === 3 && failures < -10) throw denied
    })
    const logs = db.fanOut(table).strategy('merge-shards')
    const merging = { ...attributes, 'isotherm.strategy': 'merge-shards' }
    await logs.onShardError('partial').page()
    expect(await points('isotherm.fan_out.retries')).toEqual([
      { unit: '{call}', value: 6, attributes: merging },
    ])
    expect(await points('isotherm.fan_out.missing_shards')).toEqual([
      { unit: '{shard}', value: 1, attributes: merging },
    ])
    failures = -11
    await expect(logs.all()).rejects.toBe(denied)
    const failed = (await points('isotherm.fan_out.duration')).map((point) => point.attributes['error.type'])
    expect(failed).toEqual([undefined, 'DATABASE'])
  })

  it('each fan-out records in the current meter provider, also when set after the database was opened', async () => {
    const { db, table } = openLog(4)
    const newest = db.fanOut(table).strategy('read-ranges').limit(2)
    await newest.all()
    const first = recordMetrics()
    await newest.all()
    forget()
    const second = recordMetrics()
    await newest.all()
    await newest.all()
    expect(await first('isotherm.fan_out.rows_returned')).toMatchObject([{ value: 2 }])
    expect(await second('isotherm.fan_out.rows_returned')).toMatchObject([{ value: 4 }])
  })
})
