import { createRow } from './create.js'
import { Numbering } from './numbering.js'
import type { Pace } from './pace.js'
import { driverAt, tableIn, type SequenceOptions, type SequencePlace } from './place.js'
import { PooledSequence } from './pooled-sequence.js'
import { RowSource } from './row-source.js'

/** A sequence of the table, whose numbers are taken outside of the transactions that use them. */
export class TableSequence extends PooledSequence {
  readonly #source: RowSource
  readonly #numbering: Numbering

  /** @internal */
  constructor(place: SequencePlace, name: string, options: SequenceOptions, pace: Pace) {
    const numbering = new Numbering(name, options)
    const source = new RowSource(() => driverAt(place), tableIn(options), name, numbering)
    super(source, pace, numbering.bitReversed)
    this.#source = source
    this.#numbering = numbering
  }

  /** Makes the sequence, beginning at `start`, where there is none; whether it did. */
  create(): Promise<boolean> {
    return createRow(this.#source.driver, this.#source.row, this.#numbering.start)
  }
}
