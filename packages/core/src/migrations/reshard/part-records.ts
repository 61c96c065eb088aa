import type { CompiledTable } from '../../database/compiled-table.js'
import type { Mutation, Reader } from '../../database/driver.js'
import { ReshardCopy, reshardControlTables } from '../../database/dual-writes-phases.js'
import { deletedKeys, insertMutations } from '../../database/writes.js'
import type { DialectName } from '../../dialects/dialect.js'
import type { Wire } from '../../dialects/wire.js'
import type { TablePair } from './command.js'
import { rangeAfter, scannedKey } from './scan.js'

/** How far one part of a table has been copied. */
export interface PartRecord {
  readonly part: bigint
  /** The key of the last row that was; undefined before the first. */
  readonly position: readonly Wire[] | undefined
  readonly rows: bigint
  readonly isDone: boolean
}

/** Where the copying writes down how far it has come. */
export class PartRecords {
  readonly #table: CompiledTable
  readonly #root: TablePair

  constructor(dialect: DialectName, root: TablePair) {
    this.#table = reshardControlTables(dialect).of(ReshardCopy)
    this.#root = root
  }

  /** The records of a table, by the part. */
  async of(reader: Reader, table: string): Promise<ReadonlyMap<bigint, PartRecord>> {
    const { layout, codec } = this.#table
    const ranges = [rangeAfter({ number: 0n, prefix: [this.#root.from, table] }, undefined)]
    const rows = await reader.read({ layout, columns: codec.columns, ranges })
    return new Map(
      rows.map((cells) => {
        const {
          part,
          position,
          rows: copied,
          isDone,
        } = codec.decode(cells) as {
          part: bigint
          position: string | null
          rows: bigint
          isDone: boolean
        }
        const key = position === null ? undefined : (JSON.parse(position) as Wire[])
        return [part, { part, position: key, rows: copied, isDone }]
      }),
    )
  }

  mutation(table: string, { part, position, rows, isDone }: PartRecord): Mutation[] {
    const text = position === undefined ? null : JSON.stringify(position)
    const row = { table: this.#root.from, copied: table, part, position: text, rows, isDone }
    return insertMutations(this.#table, this.#table.insertPlan.prepare([row]), 'upsert')
  }

  /** Deletes all records of the root table. */
  async forgotten(reader: Reader): Promise<Mutation[]> {
    const { layout } = this.#table
    const columns = layout.key.map(({ column }) => column)
    const ranges = [rangeAfter({ number: 0n, prefix: [this.#root.from] }, undefined)]
    const rows = await reader.read({ layout, columns, ranges })
    const keys = rows.map((cells) => scannedKey(this.#table, columns, cells))
    return keys.length === 0 ? [] : [deletedKeys(layout, keys)]
  }
}
