import {
  type Context,
  type Counter,
  type Histogram,
  type MeterProvider,
  type Span,
  SpanKind,
  SpanStatusCode,
  context,
  metrics,
  trace,
} from '@opentelemetry/api'
import type {
  Telemetry,
  TelemetryAttributes,
  TelemetryMetric,
  TelemetrySpan,
  TelemetrySpanStart,
} from './observability/telemetry.js'

/** The instrumentation scope of all spans and metrics. */
const SCOPE = '@isotherm/core'

const KINDS = { client: SpanKind.CLIENT, internal: SpanKind.INTERNAL }

class OpenTelemetrySpan implements TelemetrySpan {
  readonly context: Context
  readonly #span: Span

  constructor(name: string, { kind, attributes, parent }: TelemetrySpanStart) {
    const above = parent instanceof OpenTelemetrySpan ? parent.context : context.active()
    this.#span = trace.getTracer(SCOPE).startSpan(name, { kind: KINDS[kind], attributes }, above)
    this.context = trace.setSpan(above, this.#span)
  }

  get isRecording(): boolean {
    return this.#span.isRecording()
  }

  /** Also below a span that is not recorded: a trace that was not sampled stays so. */
  run<T>(work: () => T): T {
    return context.with(this.context, work)
  }

  addEvent(name: string, attributes: TelemetryAttributes): void {
    this.#span.addEvent(name, attributes)
  }

  fail(error: unknown, type: string): void {
    const message = error instanceof Error ? error.message : String(error)
    this.#span.recordException(error instanceof Error ? error : message)
    this.#span.setAttribute('error.type', type)
    this.#span.setStatus({ code: SpanStatusCode.ERROR, message })
  }

  end(attributes: TelemetryAttributes, endedAt?: number): void {
    this.#span.setAttributes(attributes)
    this.#span.end(endedAt)
  }
}

type Record = (value: number, attributes: TelemetryAttributes) => void

/** The instruments of each meter provider: an application may set one up later, or another one. */
const instruments = new WeakMap<MeterProvider, Map<TelemetryMetric, Record>>()

function recorderOf(metric: TelemetryMetric): Record {
  const provider = metrics.getMeterProvider()
  let known = instruments.get(provider)
  if (!known) instruments.set(provider, (known = new Map()))
  let record = known.get(metric)
  if (!record) known.set(metric, (record = createInstrument(provider, metric)))
  return record
}

function createInstrument(provider: MeterProvider, metric: TelemetryMetric): Record {
  const { name, unit, description } = metric
  const meter = provider.getMeter(SCOPE)
  if (metric.kind === 'counter') {
    const counter: Counter = meter.createCounter(name, { unit, description })
    return (value, attributes) => counter.add(value, attributes)
  }
  const histogram: Histogram = meter.createHistogram(name, {
    unit,
    description,
    advice: { explicitBucketBoundaries: [...metric.bounds] },
  })
  return (value, attributes) => histogram.record(value, attributes)
}

const TELEMETRY: Telemetry = {
  startSpan: (name, start) => new OpenTelemetrySpan(name, start),
  addEvent: (name, attributes) => trace.getActiveSpan()?.addEvent(name, attributes),
  record: (metric, value, attributes) => recorderOf(metric)(value, attributes),
}

/**
 * Sends the spans and metrics of a database to the providers that the application registers with `@opentelemetry/api`,
 * before or after this call. Without a provider, nothing is recorded. Needs the package `@opentelemetry/api`; the
 * application and Isotherm must share one copy of it.
 *
 * @example
 * import { openTelemetry } from '@isotherm/core/opentelemetry'
 * const db = openDatabase({ driver: spanner(database), schema, telemetry: openTelemetry() })
 */
export function openTelemetry(): Telemetry {
  return TELEMETRY
}
