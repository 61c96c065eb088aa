import { metrics, trace, type Counter, type Histogram, type MeterProvider } from '@opentelemetry/api'
import { errorType } from './error-type.js'
import type { FanOutReport, SkewEvent } from './events.js'
import { SCOPE } from './operation-span.js'

// Names and units follow https://opentelemetry.io/docs/specs/semconv/db/database-metrics/.

/** Seconds, as the conventions have them for databases; an SDK's own are made for milliseconds. */
const DURATIONS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]

interface Instruments {
  readonly rowsRead: Counter
  readonly rowsReturned: Counter
  readonly retries: Counter
  readonly missing: Counter
  readonly duration: Histogram
  readonly skew: Counter
}

const instrumentsByProvider = new WeakMap<MeterProvider, Instruments>()

/** Those of the provider that is set up now: one that comes later would otherwise never hear of anything. */
function instruments(): Instruments {
  const provider = metrics.getMeterProvider()
  let known = instrumentsByProvider.get(provider)
  if (!known) {
    const meter = provider.getMeter(SCOPE)
    const counter = (name: string, unit: string, description: string): Counter =>
      meter.createCounter(`isotherm.${name}`, { unit: `{${unit}}`, description })
    known = {
      rowsRead: counter('fan_out.rows_read', 'row', 'Rows that came from the database.'),
      rowsReturned: counter('fan_out.rows_returned', 'row', 'Rows that were handed on.'),
      retries: counter('fan_out.retries', 'call', 'Calls that were made again.'),
      missing: counter('fan_out.missing_shards', 'shard', 'Shards whose rows are not in a result.'),
      duration: meter.createHistogram('isotherm.fan_out.duration', {
        description: 'From the first call of a fan-out to its end.',
        unit: 's',
        advice: { explicitBucketBoundaries: DURATIONS },
      }),
      skew: counter('skew', 'finding', 'Shards and keys that were found to take far more than their share.'),
    }
    instrumentsByProvider.set(provider, known)
  }
  return known
}

export function recordSkew(system: string, { table, of, by, shard, keyHash, share }: SkewEvent): void {
  const attributes = {
    'db.system.name': system,
    'db.collection.name': table,
    'isotherm.skew.of': of,
    'isotherm.skew.by': by,
  }
  instruments().skew.add(1, attributes)
  // Which one it is has no place in a metric: there may be many.
  trace.getActiveSpan()?.addEvent('skew', {
    ...attributes,
    'isotherm.skew.share': share,
    ...(shard !== undefined && { 'isotherm.shard': shard }),
    ...(keyHash !== undefined && { 'isotherm.key_hash': keyHash }),
  })
}

export function recordFanOut(system: string, report: FanOutReport): void {
  const { rowsRead, rowsReturned, retries, missing, duration } = instruments()
  const attributes = {
    'db.system.name': system,
    'db.collection.name': report.table,
    'isotherm.strategy': report.strategy,
    ...(report.error !== undefined && { 'error.type': errorType(report.error) }),
  }
  rowsRead.add(report.rowsRead, attributes)
  rowsReturned.add(report.rowsReturned, attributes)
  if (report.retries > 0) retries.add(report.retries, attributes)
  if (report.missing.length > 0) missing.add(report.missing.length, attributes)
  duration.record(report.milliseconds / 1000, attributes)
}
