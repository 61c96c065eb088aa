import type { MissingShard } from '../../observability/events.js'

/** What one run of a plan has done so far. */
export class RunReport {
  calls = 0
  retries = 0
  /** Rows that came from the database. */
  rowsRead = 0
  rowsReturned = 0
  /** The most rows that were held at once, read ahead or waiting to be merged. */
  mostHeld = 0
  readonly missing: MissingShard[] = []
  readonly #onMissing: ((missing: MissingShard) => void) | undefined
  #held = 0

  constructor(onMissing?: (missing: MissingShard) => void) {
    this.#onMissing = onMissing
  }

  lose(missing: MissingShard): void {
    this.missing.push(missing)
    this.#onMissing?.(missing)
  }

  read(rows: number): void {
    this.calls++
    this.rowsRead += rows
    this.hold(rows)
  }

  hold(rows: number): void {
    this.#held += rows
    if (this.#held > this.mostHeld) this.mostHeld = this.#held
  }
}
