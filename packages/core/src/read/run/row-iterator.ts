import { onAbort } from '../../engine/calls.js'

/**
 * Rows as they arrive, for `for await`.
 *
 * `AsyncIterableIterator` takes one type before TypeScript 5.6, which makes a row `any` where three are given.
 */
export interface AsyncRows<Row> extends AsyncIterator<Row, void, undefined> {
  [Symbol.asyncIterator](): AsyncRows<Row>
}

/**
 * The rows of batches, one by one. An async generator would make several promises for each of them; this makes one, and asks
 * for a batch only when a row of it is wanted.
 */
export class RowIterator<Row> implements AsyncRows<Row> {
  readonly #batches: AsyncGenerator<readonly Row[], void, undefined>
  #rows: readonly Row[] = []
  #at = 0
  /** Calls of `next` that do not wait for one another still get their rows in turn. */
  #pending: Promise<unknown> | undefined
  readonly #signal: AbortSignal | undefined
  #forget: (() => void) | undefined
  readonly #drop = (): void => {
    this.#rows = []
    this.#at = 0
  }

  /**
   * @param signal when it is aborted, rows that the caller has not taken are dropped: the batches have to end with it as
   * well
   */
  constructor(batches: AsyncGenerator<readonly Row[], void, undefined>, signal?: AbortSignal) {
    this.#batches = batches
    this.#signal = signal
  }

  next(): Promise<IteratorResult<Row, void>> {
    if (this.#pending === undefined && this.#at < this.#rows.length)
      return Promise.resolve({ done: false, value: this.#rows[this.#at++]! })
    const before = this.#pending ?? Promise.resolve()
    const result = before.then(() => this.#fetch())
    const settled = result.then(
      () => {},
      () => {},
    )
    this.#pending = settled
    void settled.then(() => {
      if (this.#pending === settled) this.#pending = undefined
    })
    return result
  }

  async return(): Promise<IteratorResult<Row, void>> {
    this.#end()
    await this.#batches.return()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }

  async #fetch(): Promise<IteratorResult<Row, void>> {
    // Heard of once, however often it is asked for.
    this.#forget ??= onAbort(this.#signal, this.#drop)
    try {
      while (this.#at >= this.#rows.length) {
        const { done, value } = await this.#batches.next()
        if (done) {
          this.#end()
          return { done: true, value: undefined }
        }
        this.#rows = value
        this.#at = 0
      }
      return { done: false, value: this.#rows[this.#at++]! }
    } catch (error) {
      this.#end()
      throw error
    }
  }

  #end(): void {
    this.#forget?.()
    this.#drop()
  }
}
