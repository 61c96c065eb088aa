import { itemAt, present } from '../known.js'
import type { CallOptions, Driver } from './driver.js'

/**
 * The driver in the dialect of its database. If the caller did not name the dialect, the database is asked for it.
 *
 * @throws {IsothermError} where the database cannot be asked.
 */
export async function decided<Used extends Driver>(driver: Used, options?: CallOptions): Promise<Used> {
  return driver.undecided ? ((await driver.undecided.decide(options)) as Used) : driver
}

/**
 * An object that is made from a driver and depends on its dialect. Until the database has reported its dialect, there is
 * one for each possible dialect: a mistake in all of them is reported at once, a mistake in one of them when its dialect
 * turns out to be the database's.
 */
export class Opening<Opened> {
  readonly #driver: Driver
  readonly #outcomes: ReadonlyMap<string, () => Opened>
  readonly #likely: Opened | undefined
  #opened: Opened | undefined

  /** @throws what `open` throws for every dialect */
  constructor(driver: Driver, open: (driver: Driver) => Opened) {
    this.#driver = driver
    if (!driver.undecided) {
      this.#opened = open(driver)
      this.#outcomes = new Map()
      return
    }
    const { candidates } = driver.undecided
    this.#outcomes = new Map(candidates.map((each) => [each.dialect.name, outcomeOf(() => open(each))]))
    this.#likely = this.#firstOpened()
  }

  /** Undefined where the dialect is not known yet. */
  get known(): Opened | undefined {
    if (this.#opened === undefined && !this.#driver.undecided)
      this.#opened = present(this.#outcomes.get(this.#driver.dialect.name), 'dialect of the driver')()
    return this.#opened
  }

  /** The first candidate that opens, where the dialect is not known yet: another one may refuse what this one takes. */
  get likely(): Opened {
    return this.known ?? present(this.#likely, 'candidate')
  }

  #firstOpened(): Opened {
    const outcomes = [...this.#outcomes.values()]
    for (const outcome of outcomes) {
      try {
        return outcome()
      } catch {
        continue
      }
    }
    return itemAt(outcomes, 0)()
  }

  async decided(options?: CallOptions): Promise<Opened> {
    if (this.known === undefined) await decided(this.#driver, options)
    return present(this.known, 'dialect of the driver')
  }
}

function outcomeOf<T>(work: () => T): () => T {
  try {
    const value = work()
    return () => value
  } catch (error) {
    return () => {
      throw error
    }
  }
}
