import { Database, IsothermError } from '@isotherm/core'
import { randomOf } from '../support/random.js'
import type { Case } from './reshard-models.js'

type PlainRow = Record<string, unknown>

/** The values that were written to a row. A commit timestamp is known after the commit. */
type Layers = readonly PlainRow[]

/** The methods that a database and a transaction have in common. */
interface Writes {
  insert(table: string, rows: readonly PlainRow[]): Promise<PlainRow[]>
  upsert(table: string, rows: readonly PlainRow[]): Promise<PlainRow[]>
  update(table: string, change: PlainRow): Promise<unknown>
  delete(table: string, key: PlainRow): Promise<unknown>
}

/** An application with random writes that records the expected rows. Several write at the same time, with different ids. */
export class Writer {
  readonly #case: Case
  readonly #random: (below: number) => number
  readonly #worker: number
  #layers = new Map<bigint, Layers>()
  #next = 0n
  #adopt: Writer | undefined

  constructor(of: Case, seed: number, worker = 0) {
    this.#case = of
    this.#random = randomOf(seed * 31 + worker)
    this.#worker = worker
  }

  get rows(): readonly PlainRow[] {
    return [...this.#layers.values()].map(merged)
  }

  /** Inserts the first rows. */
  async fill(db: Database, count: number): Promise<void> {
    const rows = Array.from({ length: count }, () => this.#fresh())
    for (const row of await db.insert(this.#case.table, rows)) {
      this.#layers.set(row[this.#case.key[0]] as bigint, [row])
    }
  }

  /** One write, or several in one transaction. @param joined whether the new key is what rows are found by */
  async write(db: Database, joined = false): Promise<void> {
    const seed = this.#random(1e9)
    try {
      if (this.#random(4) > 0) await this.#fork(seed, (own) => own.#one(db, joined))
      else {
        await db.transaction((tx) =>
          this.#fork(seed, async (own) => {
            for (let times = 0; times < 3; times++) await own.#one(tx, joined)
          }),
        )
      }
    } catch (error) {
      // Nothing was written, because the phase has changed.
      if (!(error instanceof IsothermError) || error.code !== 'ABORTED') throw error
      return
    }
    this.#adopted()
  }

  /** Work that is run again makes the same writes, and is counted once. */
  async #fork(seed: number, work: (own: Writer) => Promise<void>): Promise<void> {
    this.#adopt = undefined
    const own = new Writer(this.#case, seed, this.#worker)
    own.#next = this.#next
    own.#layers = new Map(this.#layers)
    await work(own)
    this.#adopt = own
  }

  #adopted(): void {
    if (!this.#adopt) return
    this.#layers = this.#adopt.#layers
    this.#next = this.#adopt.#next
    this.#adopt = undefined
  }

  async #one(db: Writes, joined: boolean): Promise<void> {
    const { table, key } = this.#case
    const ids = [...this.#layers.keys()]
    // A later upsert in the transaction cannot read a column that waits for its commit timestamp.
    const kinds = table === 'Reading' && !(db instanceof Database) ? [0, 1, 2, 4] : [0, 1, 2, 3, 4]
    const kind = ids.length < 5 ? 0 : kinds[this.#random(kinds.length)]!
    if (kind < 2) {
      const [row] = await db.insert(table, [this.#fresh()])
      this.#layers.set(row![key[0]] as bigint, [row!])
      return
    }
    const id = ids[this.#random(ids.length)]!
    const layers = this.#layers.get(id)!
    const found = this.#keyOf(merged(layers), joined)
    if (kind === 2) {
      const changes = this.#changes(joined)
      await db.update(table, { ...found, ...changes })
      this.#layers.set(id, [...layers, changes])
    } else if (kind === 3) {
      // All columns with a default: the emulator sets the default again when an upsert by mutation omits the column.
      const { startedAt, token } = merged(layers)
      const defaults = table === 'Session' ? { startedAt, token } : {}
      const [upserted] = await db.upsert(table, [{ ...defaults, ...found, ...this.#changes(joined) }])
      this.#layers.set(id, [...layers, upserted!])
    } else {
      await db.delete(table, found)
      this.#layers.delete(id)
    }
  }

  #fresh(): PlainRow {
    const id = this.#next++ * 16n + BigInt(this.#worker)
    const time = new Date(Date.UTC(2026, 0, 1) + this.#random(1e9))
    switch (this.#case.table) {
      case 'UserAccessLog':
        return { userId: id, page: `/${this.#random(100)}`, lastAccess: time }
      case 'Session':
        return { id, startedAt: time, body: { big: 2n ** 60n + id, n: this.#random(9) } }
      default:
        return { id, device: deviceOf(id), token: '1.5' }
    }
  }

  #changes(joined: boolean): PlainRow {
    const { changing, joining } = this.#case
    const possible = changing.filter((property) => !joined || !joining.includes(property))
    const property = possible[this.#random(possible.length)]!
    const number = this.#random(1000)
    switch (property) {
      case 'startedAt':
        return { startedAt: new Date(Date.UTC(2026, 1, 1) + number) }
      case 'token':
        return { token: String(number) }
      case 'body':
        return { body: { changed: number } }
      default:
        return { [property]: `changed ${number}` }
    }
  }

  /** The properties that identify a row; the database object computes hashes. */
  #keyOf(row: PlainRow, joined: boolean): PlainRow {
    const { key, joining } = this.#case
    const names = [...key, ...(joined ? joining : [])]
    return Object.fromEntries(names.map((name) => [name, row[name]]))
  }
}

export function deviceOf(id: bigint): string {
  return `00000000-0000-4000-8000-${id.toString(16).padStart(12, '0')}`
}

function merged(layers: Layers): PlainRow {
  const row: PlainRow = {}
  for (const layer of layers) {
    for (const [property, value] of Object.entries(layer)) if (value !== undefined) row[property] = value
  }
  return row
}

/** Rows as sorted texts, without their hashes, which differ from table to table. */
export function contentOf(rows: readonly PlainRow[], hashes: readonly string[]): string[] {
  return rows
    .map((row) => {
      const known = Object.entries(row).filter(([property]) => !hashes.includes(property))
      return JSON.stringify(Object.fromEntries(known), canonical).replaceAll(/(\.\d{3})0{6}Z/g, '$1Z')
    })
    .toSorted()
}

/** The names of a JSON document are in the order of the database. */
function canonical(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
