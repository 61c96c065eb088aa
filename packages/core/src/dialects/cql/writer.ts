import type { PhysicalColumn } from '../layout.js'
import type { Parameter } from '../statement.js'
import type { Wire, WireType } from '../wire.js'
import { quote } from './identifier.js'

// A text is made once for each shape of statement, and values are put to its parameters at each call: whoever prepares it
// finds it again. Nothing that a user gave ever enters a text.

/** What one `?` stands for, and which of the values at a call it takes. */
interface Slot {
  readonly name: string
  readonly type: WireType
  readonly place: number
}

/** A statement but for its values. */
export interface Template {
  readonly text: string
  readonly slots: readonly Slot[]
  /** Places of the slots that make the partition key. */
  readonly routing: readonly number[]
  /** Places of the slots that take no value: see `CqlWriter.unset`. Absent: none. */
  readonly unset?: readonly number[]
}

/** In place of the place of a value. */
const NO_VALUE = -1

/** Notes what each `?` of one text stands for, in order. */
export class CqlWriter {
  readonly #slots: Slot[] = []

  /** @param place of the value that it takes at a call; where the text has places in order, leave it out */
  parameter(name: string, type: WireType, place: number = this.#slots.length): string {
    this.#slots.push({ name, type, place })
    return '?'
  }

  /** A parameter for a value of a column. */
  valueOf({ name, type }: PhysicalColumn, place?: number): string {
    return this.parameter(name, type, place)
  }

  /** A parameter of a column that is to stay as it is: CQL asks for more in a text than there is to be written. */
  unset({ name, type }: PhysicalColumn): string {
    return this.parameter(name, type, NO_VALUE)
  }

  /** @param partition names of the columns that make the partition key */
  template(text: string, partition: ReadonlySet<string>): Template {
    // The first of a name: a condition may name a column again.
    const routing = [...partition].map((name) => this.#slots.findIndex((slot) => slot.name === name))
    const unset = this.#slots.flatMap(({ place }, at) => (place === NO_VALUE ? [at] : []))
    return {
      text,
      slots: this.#slots,
      routing: routing.filter((place) => place >= 0),
      ...(unset.length > 0 && { unset }),
    }
  }
}

export function columnList(columns: readonly PhysicalColumn[]): string {
  return columns.map(({ name }) => quote(name)).join(', ')
}

/** The parameters of one call. */
export function parametersOf({ slots }: Template, values: readonly Wire[]): Parameter[] {
  const parameters = new Array<Parameter>(slots.length)
  for (let at = 0; at < slots.length; at++) {
    const { name, type, place } = slots[at]!
    parameters[at] = { name, type, value: place === NO_VALUE ? null : values[place]! }
  }
  return parameters
}
