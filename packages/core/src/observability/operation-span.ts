import {
  context,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
} from '@opentelemetry/api'
import { errorType } from './error-type.js'

// Spans through OpenTelemetry's interface, which does nothing where an application has not set it up.
// Names follow https://opentelemetry.io/docs/specs/semconv/db/database-spans/.

/** What spans and metrics are made by. */
export const SCOPE = '@isotherm/core'

/** What an operation is done to. */
export interface SpanTarget {
  /** As OpenTelemetry names the database: `gcp.spanner`. */
  readonly system: string
  readonly table: string
}

export interface SpanStart {
  readonly operation: string
  /** Of one that only leads to calls of the database: internal. Default: client. */
  readonly kind?: SpanKind
  readonly attributes?: Attributes
  /** Default: that of the application, now. */
  readonly parent?: Context
}

/** The span of one operation. */
export class OperationSpan {
  /** For what is to be below it. */
  readonly context: Context
  readonly #span: Span

  constructor(
    { system, table }: SpanTarget,
    { operation, kind = SpanKind.CLIENT, attributes = {}, parent = context.active() }: SpanStart,
  ) {
    this.#span = trace.getTracer(SCOPE).startSpan(
      `${operation} ${table}`,
      {
        kind,
        attributes: {
          'db.system.name': system,
          'db.collection.name': table,
          'db.operation.name': operation,
          ...attributes,
        },
      },
      parent,
    )
    this.context = trace.setSpan(parent, this.#span)
  }

  /** Whether anybody will see it. Nobody does once it has ended. */
  get isRecording(): boolean {
    return this.#span.isRecording()
  }

  /**
   * Does a part of it, so that spans of the client and its transport come below this one. It matters for one that is not
   * recorded as well: a trace that was not sampled stays so.
   */
  within<T>(work: () => T): T {
    return context.with(this.context, work)
  }

  retry(attempt: number): void {
    this.#span.addEvent('retry', { 'isotherm.attempt': attempt })
  }

  fail(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error)
    this.#span.recordException(error instanceof Error ? error : message)
    this.#span.setAttribute('error.type', errorType(error))
    this.#span.setStatus({ code: SpanStatusCode.ERROR, message })
  }

  /** @param at when it ended, by `performance.now()`; by default now */
  end(attributes: Attributes, at?: number): void {
    this.#span.setAttributes(attributes)
    this.#span.end(at)
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
