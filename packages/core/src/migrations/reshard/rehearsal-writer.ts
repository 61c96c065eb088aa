import { randomInt } from 'node:crypto'
import { IsothermError } from '../../errors.js'
import type { Database } from '../../database/database.js'
import { plainKey } from '../../database/dual-writes-pair.js'
import type { Field, TableLayout } from '../../dialects/layout.js'
import { dialectNamed } from '../../dialects/registry.js'
import { findTable } from '../../model/schema.js'
import { madeUpRow, madeUpValue } from './made-up-row.js'
import type { ReshardPlan } from './plan.js'

type PlainRow = Readonly<Record<string, unknown>>

interface WrittenTable {
  readonly from: TableLayout
  readonly to: TableLayout
  readonly parent: WrittenTable | undefined
  /** Whether rows of other tables need this one's. */
  isParent: boolean
  /** What is there, by the old key. */
  readonly rows: Map<string, PlainRow>
}

/** What a database and a transaction have in common. */
interface Writes {
  insert(table: string, rows: readonly PlainRow[]): Promise<PlainRow[]>
  update(table: string, change: PlainRow): Promise<unknown>
  delete(table: string, key: PlainRow): Promise<unknown>
}

/** An application that writes at random into the tables of a plan, and remembers what has to be there. */
export class RehearsalWriter {
  readonly #tables: readonly WrittenTable[]
  #writes = 0

  constructor(plan: ReshardPlan) {
    const dialect = dialectNamed(plan.dialect)
    const tables: WrittenTable[] = []
    for (const pair of plan.tables) {
      const from = dialect.layout(findTable(plan.schema, pair.from)!)
      const to = dialect.layout(findTable(plan.schema, pair.to)!)
      const parent = tables.find((table) => table.from.table.name === from.table.parent?.table)
      if (parent) parent.isParent = true
      tables.push({ from, to, parent, isParent: false, rows: new Map() })
    }
    this.#tables = tables
  }

  /** How many writes there were. */
  get writes(): number {
    return this.#writes
  }

  async fill(db: Database, count: number): Promise<void> {
    for (const table of this.#tables) {
      const rows = Array.from({ length: count }, () => freshRow(table))
      for (const row of await db.insert(table.from.table.name, rows, { split: true })) remember(table, row)
    }
  }

  /** One write of some kind to some table; every fourth in a transaction. */
  async write(db: Database): Promise<void> {
    const table = oneOf(this.#tables)!
    const work = writeTo(table)
    try {
      const after = randomInt(4) > 0 ? await work(db) : await db.transaction((tx) => work(tx))
      after()
      this.#writes++
    } catch (error) {
      // A phase has changed meanwhile, or two made-up rows are one in a unique index: nothing was written.
      if (!(error instanceof IsothermError) || !['ABORTED', 'ALREADY_EXISTS'].includes(error.code))
        throw error
    }
  }

  /** Whether the new tables hold what was written. @returns how many rows each has. @throws {IsothermError} */
  async compare(db: Database): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {}
    for (const table of this.#tables) {
      const { name } = table.to.table
      const found = await db.fanOut(name).all()
      counts[name] = found.length
      const there = new Map(found.map((row) => [nameOf(table, row), row]))
      const wrong = [...table.rows].find(([key, row]) => !holds(table, there.get(key), row))
      if (!wrong && found.length === table.rows.size) continue
      throw new IsothermError(
        'CONSTRAINT',
        `${name} does not hold what was written: ${wrong ? `the row ${wrong[0]} is missing, or is another` : `${found.length} rows in place of ${table.rows.size}`}.`,
        { fix: 'Do not run this plan: tell its makers.', table: name },
      )
    }
    return counts
  }
}

/** What to write, and what to remember once it is committed. It may be run again. */
function writeTo(table: WrittenTable): (db: Writes) => Promise<() => void> {
  const { name } = table.from.table
  const [key, row] = oneOf([...table.rows]) ?? []
  const kind = randomInt(10)
  const fresh = freshRow(table)
  if (key === undefined || row === undefined || kind < 5) {
    return async (db) => {
      const [inserted] = await db.insert(name, [fresh])
      return () => remember(table, inserted!)
    }
  }
  const changes = changesOf(table)
  if (changes && (kind < 8 || table.isParent)) {
    return async (db) => {
      await byEitherKey(table, row, (found) => db.update(name, { ...found, ...changes }))
      return () => void table.rows.set(key, { ...row, ...changes })
    }
  }
  return async (db) => {
    if (table.isParent) return () => {}
    await byEitherKey(table, row, (found) => db.delete(name, found))
    return () => void table.rows.delete(key)
  }
}

/** As an application is to do it that gives what the new key needs as soon as it is asked for it. */
async function byEitherKey(
  { from, to }: WrittenTable,
  row: PlainRow,
  write: (key: PlainRow) => Promise<unknown>,
): Promise<void> {
  try {
    await write(picked(row, plainKey(from)))
  } catch (error) {
    if (!(error instanceof IsothermError) || error.code !== 'KEY_INCOMPLETE') throw error
    await write(picked(row, plainKey(to)))
  }
}

function freshRow(table: WrittenTable): PlainRow {
  const { from, parent } = table
  const of = parent && oneOf([...parent.rows.values()])
  const inherited = from.fields.filter(({ column }) => column.inherited).map(({ column }) => column.property)
  const own = parent ? plainKey(parent.from).filter((property) => inherited.includes(property)) : []
  return { ...madeUpRow(from), ...(of && picked(of, own)) }
}

function changesOf({ from, to }: WrittenTable): PlainRow | undefined {
  const keys = new Set([...plainKey(from), ...plainKey(to)])
  const canChange = ({ column, physical, fill }: Field): boolean =>
    !keys.has(column.property) &&
    !column.immutable &&
    physical.every(({ written }) => written) &&
    (fill.by === 'caller' || fill.by === 'database')
  const field = oneOf(from.fields.filter(canChange))
  return field && { [field.column.property]: madeUpValue(field) }
}

function remember(table: WrittenTable, row: PlainRow): void {
  table.rows.set(nameOf(table, row), row)
}

function nameOf({ from }: WrittenTable, row: PlainRow): string {
  return plainKey(from)
    .map((property) => textOf(row[property]))
    .join()
}

/** Whether a row holds what was written, so far as that is known. */
function holds({ to }: WrittenTable, found: PlainRow | undefined, written: PlainRow): boolean {
  return (
    found !== undefined &&
    to.fields.every((field) => {
      const { property } = field.column
      const value = written[property]
      if (value === undefined || isHash(field) || field.column.generated) return true
      return textOf(value) === textOf(found[property])
    })
  )
}

function isHash({ fill }: Field): boolean {
  return fill.by === 'shard' || fill.by === 'hash'
}

/** Dates by their milliseconds: one was given, the other read. Documents with their names in order. */
function textOf(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, name, each: unknown) {
    const own = this[name]
    if (own instanceof Date) return own.getTime()
    if (typeof each === 'bigint') return `${each}n`
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each
    return Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}

function picked(row: PlainRow, properties: readonly string[]): PlainRow {
  return Object.fromEntries(properties.map((property) => [property, row[property]]))
}

function oneOf<T>(list: readonly T[]): T | undefined {
  return list.length === 0 ? undefined : list[randomInt(list.length)]
}
