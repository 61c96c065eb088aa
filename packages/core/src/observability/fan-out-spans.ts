import { SpanKind, type Attributes } from '@opentelemetry/api'
import { OperationSpan, type SpanTarget } from './operation-span.js'

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

  constructor(target: SpanTarget, attributes: Attributes) {
    this.#target = target
    this.#whole = new OperationSpan(target, { operation: 'fan_out', kind: SpanKind.INTERNAL, attributes })
  }

  /** A call that is no shard's. */
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

  end(attributes: Attributes, error: unknown): void {
    for (const { span, rows, calls, pending, answeredAt } of this.#shards.values()) {
      // Each ends with its last answer: so it shows which shard was waited for.
      const at = pending === 0 ? answeredAt : undefined
      span.end({ 'isotherm.rows_read': rows, 'isotherm.calls': calls }, at)
    }
    if (error !== undefined) this.#whole.fail(error)
    this.#whole.end(attributes)
  }

  /** Undefined where nobody will see it: nothing is made for a shard then. */
  #shard(shard: number | undefined): ShardSpan | undefined {
    if (!this.#whole.isRecording) return undefined
    let known = this.#shards.get(shard)
    if (!known) {
      const span = new OperationSpan(this.#target, {
        operation: 'read',
        parent: this.#whole.context,
        ...(shard !== undefined && { attributes: { 'isotherm.shard': shard } }),
      })
      known = { span, rows: 0, calls: 0, pending: 0, answeredAt: undefined }
      this.#shards.set(shard, known)
    }
    return known
  }
}
