import { context, metrics, trace, type Attributes } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { MeterProvider, MetricReader, type DataPoint, type Histogram } from '@opentelemetry/sdk-metrics'
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
  type Sampler,
} from '@opentelemetry/sdk-trace-base'

/** What an application that watches itself sees. */
export interface Recorded {
  /** Spans that have ended, the query's last. */
  spans(): ReadableSpan[]
  /** How many spans were begun, and not ended. */
  readonly open: number
}

/** Sets up spans as an application does; `forget` takes it down again. */
export function recordSpans(sampler: Sampler = new AlwaysOnSampler()): Recorded {
  const exporter = new InMemorySpanExporter()
  let open = 0
  const count = {
    onStart: () => void open++,
    onEnd: () => void open--,
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  }
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ sampler, spanProcessors: [count, new SimpleSpanProcessor(exporter)] }),
  )
  return {
    spans: () => exporter.getFinishedSpans(),
    get open() {
      return open
    },
  }
}

class PulledReader extends MetricReader {
  protected override onForceFlush(): Promise<void> {
    return Promise.resolve()
  }
  protected override onShutdown(): Promise<void> {
    return Promise.resolve()
  }
}

export interface Point {
  readonly unit: string
  readonly value: number | Histogram
  readonly attributes: Attributes
}

/** Sets up metrics as an application does, and reads them. */
export function recordMetrics(): (name: string) => Promise<Point[]> {
  const reader = new PulledReader()
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
  return async (name) => {
    const { resourceMetrics } = await reader.collect()
    return resourceMetrics.scopeMetrics
      .flatMap((scope) => scope.metrics)
      .filter(({ descriptor }) => descriptor.name === name)
      .flatMap(({ descriptor, dataPoints }) =>
        (dataPoints as DataPoint<number | Histogram>[]).map(({ value, attributes }) => ({
          unit: descriptor.unit,
          value,
          attributes,
        })),
      )
  }
}

export function forget(): void {
  trace.disable()
  metrics.disable()
  context.disable()
}
