/** A call of the transport (grpc-js), as its interceptors see it. */
export interface TransportCall {
  startRead(): void
  cancelWithStatus(status: number, details: string): void
}

export type NextCall = (options: unknown) => TransportCall

const CANCELLED = 1

const pass = (options: unknown, next: NextCall): TransportCall => next(options)

/**
 * A call that can be ended. The client leaves a call open whose stream is destroyed, and has no way at all to end one that
 * answers once: the database goes on working for nobody, in a session that is lent to the next one. The transport can
 * cancel it.
 *
 * Source: https://github.com/grpc/proposal/blob/master/L5-node-client-interceptors.md
 */
export class CallHandle {
  /** For the call's options. From 8.13 on the client puts an interceptor of its own in the first place. */
  readonly interceptors: readonly unknown[] = [
    pass,
    (options: unknown, next: NextCall) => this.#begun(next(options)),
  ]
  #call: TransportCall | undefined
  #isCancelled = false

  /** Ends the call, if it has not ended, and those that the client would make in its place. */
  cancel(): void {
    this.#isCancelled = true
    this.#call?.cancelWithStatus(CANCELLED, 'The reader has gone.')
  }

  /** A stream that is resumed has several calls, one after the other. */
  protected guarded(call: TransportCall): TransportCall {
    return call
  }

  #begun(call: TransportCall): TransportCall {
    this.#call = call
    if (this.#isCancelled) this.cancel()
    return this.guarded(call)
  }
}
