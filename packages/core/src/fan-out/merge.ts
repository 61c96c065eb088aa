/** Sorted rows of one source, read up to `at`. */
export interface Run<Row> {
  rows: readonly Row[]
  at: number
  readonly source: number
}

/**
 * Merges sorted runs into one order: a binary heap of the runs by their next row, so that a row costs one walk down the
 * heap and no allocation.
 */
export class Merge<Row> {
  readonly #compare: (a: Row, b: Row) => number
  readonly #heap: Run<Row>[] = []

  constructor(compare: (a: Row, b: Row) => number) {
    this.#compare = compare
  }

  /** A run that has at least one row left. */
  add(run: Run<Row>): void {
    const heap = this.#heap
    let at = heap.length
    heap.push(run)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#before(run, heap[parent]!)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = run
  }

  /**
   * Moves rows to `out` until it holds `max`, or until a run is drained: that run is returned, out of the heap, since
   * nothing may be taken before its source has been asked for more.
   */
  take(out: Row[], max: number): Run<Row> | undefined {
    const heap = this.#heap
    while (out.length < max && heap.length > 0) {
      const run = heap[0]!
      out.push(run.rows[run.at++]!)
      if (run.at === run.rows.length) {
        const last = heap.pop()!
        if (last !== run) this.#sink(last)
        return run
      }
      this.#sink(run)
    }
    return undefined
  }

  /** Puts a run at the top and lets it down to its place. */
  #sink(run: Run<Row>): void {
    const heap = this.#heap
    const size = heap.length
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= size) break
      if (child + 1 < size && this.#before(heap[child + 1]!, heap[child]!)) child++
      if (!this.#before(heap[child]!, run)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = run
  }

  #before(a: Run<Row>, b: Run<Row>): boolean {
    return this.#compare(a.rows[a.at]!, b.rows[b.at]!) < 0
  }
}
