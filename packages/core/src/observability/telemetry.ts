import { type Kind, objectWith } from '../options.js'

/** The data of a span, an event or a measurement besides its name. */
export type TelemetryAttributes = Readonly<Record<string, string | number | boolean>>

/** A metric: a counter, or a histogram whose values are distributed over buckets. */
export type TelemetryMetric = {
  readonly name: string
  /** As OpenTelemetry writes units: `s`, `{row}`. */
  readonly unit: string
  readonly description: string
} & (
  | { readonly kind: 'counter' }
  | {
      readonly kind: 'histogram'
      /** The upper bounds of the buckets, in the metric's unit. */
      readonly bounds: readonly number[]
    }
)

/** How a span begins. */
export interface TelemetrySpanStart {
  /** `client` for an operation that is one call of the database, `internal` for one that leads to several. */
  readonly kind: 'client' | 'internal'
  readonly attributes: TelemetryAttributes
  /** Default: the span that is active in the application. */
  readonly parent?: TelemetrySpan | undefined
}

/** One operation, from its start to its end. */
export interface TelemetrySpan {
  /** Whether the span is recorded. False once it has ended, and for a trace that is not sampled. */
  readonly isRecording: boolean
  /** Does work while the span is active, so that spans which the work starts are below this one. */
  run<T>(work: () => T): T
  addEvent(name: string, attributes: TelemetryAttributes): void
  /** Marks the operation as failed. @param type the class of the error, with few values */
  fail(error: unknown, type: string): void
  /** @param endedAt by `performance.now()`; default: now */
  end(attributes: TelemetryAttributes, endedAt?: number): void
}

/**
 * The target of the spans and metrics of a database. `openTelemetry()` of `@isotherm/core/opentelemetry` makes one; any
 * object with these methods works. Methods must not throw.
 */
export interface Telemetry {
  startSpan(name: string, start: TelemetrySpanStart): TelemetrySpan
  /** Adds an event to the span that is active in the application, if there is one. */
  addEvent(name: string, attributes: TelemetryAttributes): void
  /** Adds to a counter, or records a value of a histogram. */
  record(metric: TelemetryMetric, value: number, attributes: TelemetryAttributes): void
}

/** The kind of an option that takes one. */
export const TELEMETRY: Kind = /* @__PURE__ */ objectWith(
  'openTelemetry() of @isotherm/core/opentelemetry',
  'startSpan',
  'addEvent',
  'record',
)

const NO_SPAN: TelemetrySpan = {
  isRecording: false,
  run: (work) => work(),
  addEvent() {},
  fail() {},
  end() {},
}

/** Without an application that wants to know. */
export const NO_TELEMETRY: Telemetry = {
  startSpan: () => NO_SPAN,
  addEvent() {},
  record() {},
}
