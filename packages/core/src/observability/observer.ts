import { EventEmitter } from 'node:events'
import { inspect } from 'node:util'
import type { TableLayout } from '../layout/layout.js'
import type { DatabaseEvents, FanOutReport, SkewEvent } from './events.js'
import { TableSkew } from './skew.js'
import { errorType } from './spans.js'
import { NO_TELEMETRY, type Telemetry, type TelemetryMetric } from './telemetry.js'

// Names and units follow https://opentelemetry.io/docs/specs/semconv/db/database-metrics/.

function counter(name: string, unit: string, description: string): TelemetryMetric {
  return { kind: 'counter', name: `isotherm.${name}`, unit: `{${unit}}`, description }
}

const METRICS = {
  rowsRead: /* @__PURE__ */ counter('fan_out.rows_read', 'row', 'Rows that came from the database.'),
  rowsReturned: /* @__PURE__ */ counter('fan_out.rows_returned', 'row', 'Rows that were handed on.'),
  retries: /* @__PURE__ */ counter('fan_out.retries', 'call', 'Calls that were made again.'),
  missing: /* @__PURE__ */ counter(
    'fan_out.missing_shards',
    'shard',
    'Shards whose rows are not in a result.',
  ),
  duration: {
    kind: 'histogram',
    name: 'isotherm.fan_out.duration',
    unit: 's',
    description: 'From the first call of a fan-out to its end.',
    // The bounds of the conventions for databases; an SDK's own are made for milliseconds.
    bounds: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
  },
  skew: /* @__PURE__ */ counter(
    'skew',
    'finding',
    'Shards and keys that were found to take far more than their share.',
  ),
} as const

/** What a database observes of its own work, for event listeners. */
export class Observer {
  readonly events = new EventEmitter<DatabaseEvents>()
  readonly #system: string
  readonly #telemetry: Telemetry
  readonly #skew = new Map<TableLayout, TableSkew>()

  /** @param system the database as OpenTelemetry names it */
  constructor(system: string, telemetry: Telemetry = NO_TELEMETRY) {
    this.#system = system
    this.#telemetry = telemetry
  }

  skewOf(layout: TableLayout): TableSkew {
    let skew = this.#skew.get(layout)
    if (!skew) {
      skew = new TableSkew(layout, (event) => {
        this.#recordSkew(event)
        this.#tell('skew', event)
      })
      this.#skew.set(layout, skew)
    }
    return skew
  }

  fanOut(report: FanOutReport): void {
    this.#recordFanOut(report)
    this.#tell('fanOut', report)
  }

  #recordSkew({ table, of, by, shard, keyHash, share }: SkewEvent): void {
    const attributes = {
      'db.system.name': this.#system,
      'db.collection.name': table,
      'isotherm.skew.of': of,
      'isotherm.skew.by': by,
    }
    this.#telemetry.record(METRICS.skew, 1, attributes)
    // Which one it is does not belong in a metric: there may be many.
    this.#telemetry.addEvent('skew', {
      ...attributes,
      'isotherm.skew.share': share,
      ...(shard !== undefined && { 'isotherm.shard': shard }),
      ...(keyHash !== undefined && { 'isotherm.key_hash': keyHash }),
    })
  }

  #recordFanOut(report: FanOutReport): void {
    const attributes = {
      'db.system.name': this.#system,
      'db.collection.name': report.table,
      'isotherm.strategy': report.strategy,
      ...(report.error !== undefined && { 'error.type': errorType(report.error) }),
    }
    const record = (metric: TelemetryMetric, value: number): void =>
      this.#telemetry.record(metric, value, attributes)
    record(METRICS.rowsRead, report.rowsRead)
    record(METRICS.rowsReturned, report.rowsReturned)
    if (report.retries > 0) record(METRICS.retries, report.retries)
    if (report.missing.length > 0) record(METRICS.missing, report.missing.length)
    record(METRICS.duration, report.milliseconds / 1000)
  }

  #tell<Name extends keyof DatabaseEvents>(name: Name, ...args: DatabaseEvents[Name]): void {
    const listeners = (this.events as EventEmitter).listeners(name) as Listener[]
    for (const listener of listeners) void hear(listener, args)
  }
}

type Listener = (...args: readonly unknown[]) => unknown

/**
 * Listeners are called later, and each by itself: a listener that throws ends neither the query nor the process, and does
 * not affect the others.
 */
async function hear(listener: Listener, args: readonly unknown[]): Promise<void> {
  try {
    await Promise.resolve()
    await listener(...args)
  } catch (error) {
    // An Error as the warning itself would lose the type and the detail.
    process.emitWarning(`A listener of a Database failed: ${String(error)}`, {
      type: 'IsothermListenerWarning',
      detail: inspect(error),
    })
  }
}
