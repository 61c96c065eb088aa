import { NO_TELEMETRY, type Telemetry, type TelemetryAttributes, type TelemetrySpan } from './telemetry.js'

/** The class of an error, with few values: the code of an `IsothermError`, otherwise the name of its class. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER'
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : error.name
}

// Names follow https://opentelemetry.io/docs/specs/semconv/db/database-spans/.

/** The target of an operation, and where its telemetry is sent. */
export interface SpanTarget {
  /** Default: no telemetry is recorded. */
  readonly telemetry?: Telemetry | undefined
  /** As OpenTelemetry names the database: `gcp.spanner`. */
  readonly system: string
  readonly table: string
}

interface SpanStart {
  readonly operation: string
  /** `internal` for an operation that only leads to calls of the database. Default: `client`. */
  readonly kind?: 'client' | 'internal'
  readonly attributes?: TelemetryAttributes
  /** Default: that of the application, now. */
  readonly parent?: OperationSpan
}

/** The span of one operation. */
export class OperationSpan {
  readonly #span: TelemetrySpan

  constructor(
    { telemetry = NO_TELEMETRY, system, table }: SpanTarget,
    { operation, kind = 'client', attributes = {}, parent }: SpanStart,
  ) {
    this.#span = telemetry.startSpan(`${operation} ${table}`, {
      kind,
      attributes: {
        'db.system.name': system,
        'db.collection.name': table,
        'db.operation.name': operation,
        ...attributes,
      },
      ...(parent && { parent: parent.#span }),
    })
  }

  /** Whether the span is recorded. An ended span is not. */
  get isRecording(): boolean {
    return this.#span.isRecording
  }

  /** Does a part of it, so that spans of the client and its transport come below this one. */
  within<T>(work: () => T): T {
    return this.#span.run(work)
  }

  retry(attempt: number): void {
    this.#span.addEvent('retry', { 'isotherm.attempt': attempt })
  }

  fail(error: unknown): void {
    this.#span.fail(error, errorType(error))
  }

  /** @param at when it ended, by `performance.now()`; by default now */
  end(attributes: TelemetryAttributes, at?: number): void {
    this.#span.end(attributes, at)
  }
}

/** Does an operation below a span of its own. */
export async function spanned<T>(
  target: SpanTarget,
  operation: string,
  work: (span: OperationSpan) => Promise<T>,
): Promise<T> {
  const span = new OperationSpan(target, { operation })
  try {
    return await span.within(() => work(span))
  } catch (error) {
    span.fail(error)
    throw error
  } finally {
    span.end({})
  }
}

interface ShardSpan {
  readonly span: OperationSpan
  rows: number
  calls: number
  /** Calls that are waited for. */
  pending: number
  /** When the last one was answered. */
  answeredAt: number | undefined
}

/** The span of one fan-out, and below it one for each shard; one for all where they are read together. */
export class FanOutSpans {
  readonly #target: SpanTarget
  readonly #whole: OperationSpan
  readonly #shards = new Map<number | undefined, ShardSpan>()

  constructor(target: SpanTarget, attributes: TelemetryAttributes) {
    this.#target = target
    this.#whole = new OperationSpan(target, { operation: 'fan_out', kind: 'internal', attributes })
  }

  /** A call that does not belong to a shard. */
  within<T>(call: () => T): T {
    return this.#whole.within(call)
  }

  /** Another attempt at such a call. */
  retry(attempt: number): void {
    this.#whole.retry(attempt)
  }

  /** An attempt at a call, below the span of its shard. */
  async withinShard<T>(shard: number | undefined, attempt: number, call: () => Promise<T>): Promise<T> {
    const known = this.#shard(shard)
    if (!known) return this.#whole.within(call)
    if (attempt > 0) known.span.retry(attempt)
    known.pending++
    try {
      return await known.span.within(call)
    } finally {
      known.pending--
      known.answeredAt = performance.now()
    }
  }

  /** A call has brought rows. */
  rows(shard: number | undefined, rows: number): void {
    const known = this.#shard(shard)
    if (!known) return
    known.rows += rows
    known.calls++
  }

  /** A call has come to nothing. */
  failShard(shard: number | undefined, error: unknown): void {
    this.#shard(shard)?.span.fail(error)
  }

  end(attributes: TelemetryAttributes, error: unknown): void {
    for (const { span, rows, calls, pending, answeredAt } of this.#shards.values()) {
      // Each ends with its last answer: so it shows which shard was waited for.
      const at = pending === 0 ? answeredAt : undefined
      span.end({ 'isotherm.rows_read': rows, 'isotherm.calls': calls }, at)
    }
    if (error !== undefined) this.#whole.fail(error)
    this.#whole.end(attributes)
  }

  /** Undefined where the span is not recorded: nothing is made for a shard then. */
  #shard(shard: number | undefined): ShardSpan | undefined {
    if (!this.#whole.isRecording) return undefined
    let known = this.#shards.get(shard)
    if (!known) {
      const span = new OperationSpan(this.#target, {
        operation: 'read',
        parent: this.#whole,
        ...(shard !== undefined && { attributes: { 'isotherm.shard': shard } }),
      })
      known = { span, rows: 0, calls: 0, pending: 0, answeredAt: undefined }
      this.#shards.set(shard, known)
    }
    return known
  }
}
