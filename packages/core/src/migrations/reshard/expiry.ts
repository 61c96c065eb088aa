import { keyWires, rowCodec, type PlainRow, type RowCodec } from '../../database/codec.js'
import type { CompiledTable, CompiledTables } from '../../database/compiled-table.js'
import type { Reader } from '../../database/driver.js'
import { keyFields } from '../../dialects/layout.js'
import type { Wire } from '../../dialects/wire.js'

const DAY = 86_400_000

/** Which rows of a table its row deletion takes, at a moment of its own choosing. */
export class Expiry {
  readonly #table: CompiledTable
  readonly #property: string
  readonly #before: Date
  /** The key, and the time. */
  readonly #codec: RowCodec

  private constructor(table: CompiledTable, property: string, before: Date) {
    this.#table = table
    this.#property = property
    this.#before = before
    const { layout } = table
    this.#codec = rowCodec([...new Set([...keyFields(layout), layout.byProperty.get(property)!])])
  }

  /** Undefined for a table without row deletion. */
  static of(table: CompiledTable, at: Date): Expiry | undefined {
    const { rowDeletion } = table.layout.table
    if (!rowDeletion) return undefined
    return new Expiry(table, rowDeletion.property, new Date(at.getTime() - rowDeletion.days * DAY))
  }

  /** The tables of the tree whose rows take rows of this one with them. */
  static above(
    { layout: { table } }: CompiledTable,
    tables: CompiledTables,
    tree: ReadonlySet<string>,
    at: Date,
  ): Expiry[] {
    const { parent } = table
    if (parent?.onDelete !== 'cascade' || !tree.has(parent.table)) return []
    const above = tables.of(parent.table)
    const own = Expiry.of(above, at)
    return [...(own ? [own] : []), ...Expiry.above(above, tables, tree, at)]
  }

  has(row: PlainRow): boolean {
    const time = row[this.#property] as Date | null
    return time !== null && time.getTime() <= this.#before.getTime()
  }

  /** Of rows below this table, by their keys: those that lie below an expired row. */
  async below(reader: Reader, keys: readonly (readonly Wire[])[]): Promise<ReadonlySet<readonly Wire[]>> {
    const { layout } = this.#table
    const parents = new Map<string, readonly Wire[]>()
    const nameOf = (key: readonly Wire[]): string => JSON.stringify(key.slice(0, layout.key.length))
    for (const key of keys) parents.set(nameOf(key), key.slice(0, layout.key.length))
    if (parents.size === 0) return new Set()
    const expired = new Set<string>()
    const request = { layout, columns: this.#codec.columns, keys: [...parents.values()] }
    for (const cells of await reader.read(request)) {
      const row = this.#codec.decode(cells)
      if (this.has(row)) expired.add(nameOf(keyWires(layout, row)))
    }
    return new Set(keys.filter((key) => expired.has(nameOf(key))))
  }
}
