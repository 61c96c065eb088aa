import { IsothermError } from '../errors.js'
import type { Field, TableLayout } from '../dialects/layout.js'
import { bitReverse } from '../keys/bit-reverse.js'
import type { AnyCounter } from '../model/bindings.js'

/** Numbers that were taken from the application's counters for the rows of one insert. */
export class Supplies {
  readonly #numbers: ReadonlyMap<Field, readonly bigint[]>
  readonly #used = new Map<Field, number>()

  constructor(numbers: ReadonlyMap<Field, readonly bigint[]>) {
    this.#numbers = numbers
  }

  /** The next number for a field, as it is stored. */
  next(field: Field): bigint | undefined {
    const at = this.#used.get(field) ?? 0
    this.#used.set(field, at + 1)
    return this.#numbers.get(field)?.[at]
  }
}

interface CountedField {
  readonly field: Field
  readonly counter: AnyCounter
  /** The numbers are stored with their bits reversed. */
  readonly reversed: boolean
  readonly isKey: boolean
}

export interface SupplyOptions {
  /** The transaction that writes the rows, if there is one. */
  readonly transaction?: object | undefined
  /** For keys only: what else is left out stays as it is in the database. */
  readonly partial?: boolean
}

/** Takes numbers for all rows of an insert at once, so that none of them waits for its own. */
export class CounterSupplies {
  readonly #counted: readonly CountedField[]

  constructor({ fields, key }: TableLayout) {
    this.#counted = fields.flatMap((field) => {
      if (field.fill.by !== 'counter') return []
      const { counter, reversed } = field.fill
      return [{ field, counter, reversed, isKey: key.some((part) => part.field === field) }]
    })
  }

  /**
   * @throws {IsothermError} `UNSUPPORTED` for a counter whose numbers belong to a transaction, where there is none.
   */
  for(
    rows: readonly Readonly<Record<string, unknown>>[],
    { transaction, partial = false }: SupplyOptions = {},
  ): Promise<Supplies> | undefined {
    const counted = partial ? this.#counted.filter(({ isKey }) => isKey) : this.#counted
    if (counted.length === 0 || !Array.isArray(rows)) return undefined
    return supplied(counted, rows as readonly Readonly<Record<string, unknown>>[], transaction)
  }
}

async function supplied(
  counted: readonly CountedField[],
  rows: readonly Readonly<Record<string, unknown>>[],
  transaction: object | undefined,
): Promise<Supplies> {
  const numbers = new Map<Field, readonly bigint[]>()
  for (const { field, counter, reversed } of counted) {
    const { property } = field.column
    const missing = rows.filter((row) => row?.[property] === undefined).length
    const taken = missing === 0 ? [] : await take(counter, missing, property, transaction)
    if (taken.length < missing) {
      throw new IsothermError(
        'INVALID_VALUE',
        `The counter of ${property} gave ${taken.length} numbers of the ${missing} that it was asked for.`,
        { fix: 'Let take give as many as that, or throw.', column: property },
      )
    }
    numbers.set(
      field,
      taken.map((number) => stored(number, property, reversed)),
    )
  }
  return new Supplies(numbers)
}

async function take(
  counter: AnyCounter,
  count: number,
  property: string,
  transaction: object | undefined,
): Promise<readonly bigint[]> {
  if ('takeIn' in counter) {
    if (transaction) return counter.takeIn(transaction, count)
    throw new IsothermError(
      'UNSUPPORTED',
      `${property} is a number that is taken in the transaction of its insert, and this insert is in none.`,
      { fix: 'Insert in a transaction: db.transaction((tx) => tx.insert(…)).', column: property },
    )
  }
  if (counter.take) return counter.take(count)
  const numbers: bigint[] = []
  while (numbers.length < count) numbers.push(await counter.next())
  return numbers
}

function stored(number: unknown, property: string, reversed: boolean): bigint {
  if (typeof number === 'bigint' && number >= 0n && number < 2n ** 63n)
    return reversed ? bitReverse(number) : number
  throw new IsothermError('INVALID_VALUE', `The counter of ${property} gave ${String(number)}.`, {
    fix: 'A counter gives bigints from 0 to 2^63 - 1: a negative one would keep its sign and lie beside the others.',
    column: property,
  })
}
