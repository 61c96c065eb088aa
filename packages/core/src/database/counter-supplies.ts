import { IsothermError } from '../errors.js'
import type { Field } from '../dialects/layout.js'
import { bitReverse } from '../keys/bit-reverse.js'
import type { Counter } from '../model/bindings.js'

/** Numbers that were taken from the application's counters for the rows of one insert. */
export class Supplies {
  readonly #numbers: ReadonlyMap<Field, readonly bigint[]>
  readonly #used = new Map<Field, number>()

  constructor(numbers: ReadonlyMap<Field, readonly bigint[]>) {
    this.#numbers = numbers
  }

  /** The next number for a field, its bits reversed. */
  next(field: Field): bigint | undefined {
    const at = this.#used.get(field) ?? 0
    this.#used.set(field, at + 1)
    return this.#numbers.get(field)?.[at]
  }
}

/** Takes numbers for all rows of an insert at once, so that none of them waits for its own. */
export class CounterSupplies {
  readonly #counters: readonly { readonly field: Field; readonly counter: Counter }[]

  constructor(fields: readonly Field[]) {
    this.#counters = fields.flatMap((field) =>
      field.fill.by === 'counter' ? [{ field, counter: field.fill.counter }] : [],
    )
  }

  for(rows: readonly Readonly<Record<string, unknown>>[]): Promise<Supplies> | undefined {
    if (this.#counters.length === 0 || !Array.isArray(rows)) return undefined
    return this.#take(rows as readonly Readonly<Record<string, unknown>>[])
  }

  async #take(rows: readonly Readonly<Record<string, unknown>>[]): Promise<Supplies> {
    const numbers = new Map<Field, readonly bigint[]>()
    for (const { field, counter } of this.#counters) {
      const { property } = field.column
      const missing = rows.filter((row) => row?.[property] === undefined).length
      const taken = await take(counter, missing)
      if (taken.length < missing) {
        throw new IsothermError(
          'INVALID_VALUE',
          `The counter of ${property} gave ${taken.length} numbers of the ${missing} that it was asked for.`,
          { fix: 'Let take give as many as that, or throw.', column: property },
        )
      }
      numbers.set(
        field,
        taken.map((number) => reversed(number, property)),
      )
    }
    return new Supplies(numbers)
  }
}

async function take(counter: Counter, count: number): Promise<readonly bigint[]> {
  if (count === 0) return []
  if (counter.take) return counter.take(count)
  const numbers: bigint[] = []
  while (numbers.length < count) numbers.push(await counter.next())
  return numbers
}

function reversed(number: unknown, property: string): bigint {
  if (typeof number === 'bigint' && number >= 0n && number < 2n ** 63n) return bitReverse(number)
  throw new IsothermError('INVALID_VALUE', `The counter of ${property} gave ${String(number)}.`, {
    fix: 'A counter gives bigints from 0 to 2^63 - 1: a negative one would keep its sign and lie beside the others.',
    column: property,
  })
}
