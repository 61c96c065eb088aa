import { IsothermError } from '../errors.js'
import {
  COMMIT_TIMESTAMP,
  type Field,
  type PhysicalColumn,
  type TableLayout,
  type Wire,
  keyFields,
} from '../layout/layout.js'
import type { Table } from '../model/table.js'
import { type Derived, derivedFill, derivedFrom, derivedValue } from '../rows/fill.js'
import { type PlainRow, wireOfCell, wiresOf } from '../engine/codec.js'
import type { CompiledTable } from '../rows/compiled-table.js'
import type { Cells, RowWrite } from '../engine/driver.js'

// Maps rows between two tables with the same columns and different keys, and checks that a row of either determines the row
// of the other.

/** Why two tables cannot hold the same rows. */
interface PairObstacle {
  readonly column?: string
  readonly message: string
  readonly fix: string
}

/**
 * How to get a field's value if the row comes from the other table: it is the same there (`copied`), it follows from others
 * (`derived`), or the database computes it (`generated`).
 */
type FieldRole = 'copied' | 'derived' | 'generated'

/** @returns the role, or the reason why it does not have one */
export function fieldRole(field: Field, other: TableLayout): FieldRole | PairObstacle {
  const { column } = field
  const same = other.byProperty.get(column.property)
  if (derivedFill(field)) return 'derived'
  if (column.generated && field.physical.every(({ written }) => !written)) return 'generated'
  if (column.source?.kind === 'shard' || column.source?.kind === 'hash') {
    if (same && JSON.stringify(same.column.source) === JSON.stringify(column.source)) return 'copied'
    return obstacle(
      column.property,
      'cannot be computed from the other row.',
      'Let it be the hash of columns that the table has: a row has to be found by what is in it.',
    )
  }
  if (!same || derivedFill(same)) {
    return obstacle(
      column.property,
      `has no counterpart in ${other.table.name}.`,
      'Change columns in a migration of their own: only the key may differ.',
    )
  }
  if (
    JSON.stringify(same.column.type) !== JSON.stringify(column.type) ||
    same.column.nullable !== column.nullable
  ) {
    return obstacle(
      column.property,
      `is of another type, or NULL has another say, than in ${other.table.name}.`,
      'Change columns in a migration of their own: only the key may differ.',
    )
  }
  return counterObstacle(field, same) ?? 'copied'
}

/** Ids that two tables count by themselves meet sooner or later. */
function counterObstacle({ column }: Field, same: Field): PairObstacle | undefined {
  const { source, inherited } = column
  const other = same.column.source
  if (inherited || (source?.kind !== 'bit-reversed' && other?.kind !== 'bit-reversed')) return undefined
  if (JSON.stringify(source) === JSON.stringify(other)) {
    if (source?.kind === 'bit-reversed' && source.from !== 'identity') return undefined
  }
  return obstacle(
    column.property,
    'is counted by each of the two tables for itself, so both would give out the same ids.',
    "Draw it from one sequence in both tables: @BitReversedId({ from: 'sequence', sequence: … }).",
  )
}

/** All that keeps rows of `from` from being kept in `to` as well; empty where nothing does. */
export function pairObstacles(from: TableLayout, to: TableLayout): readonly PairObstacle[] {
  return [
    ...roleObstacles(from, to),
    ...roleObstacles(to, from),
    ...keyObstacles(from, to),
    ...ruleObstacles(from, to),
  ]
}

function roleObstacles(layout: TableLayout, other: TableLayout): PairObstacle[] {
  return layout.fields.flatMap((field) => {
    const role = fieldRole(field, other)
    if (typeof role !== 'string') return [role]
    const inKey = keyFields(layout).includes(field)
    if (role === 'generated' && inKey) {
      return [
        obstacle(
          field.column.property,
          'is a key part that only the database can compute.',
          'Use @HashKey or @ShardKey, which the client computes too, instead.',
        ),
      ]
    }
    return []
  })
}

/** The key's properties that are not hashes of others. */
export function plainKey(layout: TableLayout): readonly string[] {
  return keyFields(layout)
    .filter((field) => !derivedFill(field))
    .map((field) => field.column.property)
}

/** Rows that the old key tells apart must not fall together under the new one. */
function keyObstacles(from: TableLayout, to: TableLayout): PairObstacle[] {
  const kept = plainKey(to)
  return plainKey(from)
    .filter((property) => !kept.includes(property))
    .map((property) =>
      obstacle(
        property,
        `is in the key of ${from.table.name} and not in that of ${to.table.name}: rows could fall together and be lost.`,
        'Keep it in the new key, at its end if need be.',
      ),
    )
}

/** Actions of the database on rows (such as row deletion) have to happen to both tables. */
function ruleObstacles({ table: from }: TableLayout, { table: to }: TableLayout): PairObstacle[] {
  const obstacles: PairObstacle[] = []
  if (JSON.stringify(from.rowDeletion) !== JSON.stringify(to.rowDeletion)) {
    obstacles.push(
      obstacle(
        undefined,
        'deletes old rows in another way.',
        'Give both tables the same row deletion policy.',
      ),
    )
  }
  if (cascades(from) !== cascades(to)) {
    obstacles.push(
      obstacle(
        undefined,
        'has other foreign keys that delete its rows.',
        'Give both tables the same foreign keys with onDelete: cascade.',
      ),
    )
  }
  return obstacles
}

function cascades({ foreignKeys }: Table): string {
  return foreignKeys
    .filter(({ onDelete }) => onDelete === 'cascade')
    .map(({ columns, table, references }) => JSON.stringify([columns, table, references]))
    .sort()
    .join()
}

function obstacle(column: string | undefined, message: string, fix: string): PairObstacle {
  return { ...(column !== undefined && { column }), message, fix }
}

/** @throws {IsothermError} `RESHARD_REFUSED` with the first reason why two tables cannot hold the same rows. */
export function refuseObstacles(from: TableLayout, to: TableLayout): void {
  const [first] = pairObstacles(from, to)
  if (!first) return
  const { column, message, fix } = first
  const where = column === undefined ? from.table.name : `${from.table.name}.${column}`
  throw new IsothermError(
    'RESHARD_REFUSED',
    `${where} cannot be kept in ${to.table.name} too: it ${message}`,
    {
      fix,
      table: from.table.name,
      ...(column !== undefined && { column }),
    },
  )
}

/** A row as it is stored, and the values from which keys are made. Unknown values are absent. */
export interface StoredRow {
  /** By property. */
  readonly wires: ReadonlyMap<string, readonly Wire[]>
  readonly values: PlainRow
}

type MappedColumn =
  | { readonly column: PhysicalColumn; readonly property: string; readonly at: number }
  | { readonly column: PhysicalColumn; readonly derived: string }

/** How a row of one table becomes the row of another one with the same columns and another key. */
export class RowMapping {
  readonly from: CompiledTable
  readonly to: CompiledTable
  /** Whether the key of `from` alone tells the key in `to`. */
  readonly keyIsEnough: boolean
  /** Whether rows with different keys always have different keys in `to`. */
  readonly keepsApart: boolean
  readonly #mapped: readonly MappedColumn[]
  readonly #derived: readonly { readonly property: string; readonly fill: Derived }[]
  readonly #copiedKey: readonly string[]
  /** The columns from which the key in `to` is made. */
  readonly #needed: ReadonlySet<string>
  /** These and the own key: their values are needed, of other columns only the stored form. */
  readonly #valued: ReadonlySet<string>
  readonly #starts: ReadonlyMap<Field, number>

  constructor(from: CompiledTable, to: CompiledTable) {
    this.from = from
    this.to = to
    const inKey = keyFields(to.layout)
    this.#derived = inKey.flatMap((field) => {
      const fill = derivedFill(field)
      return fill ? [{ property: field.column.property, fill }] : []
    })
    this.#copiedKey = inKey.filter((field) => !derivedFill(field)).map((field) => field.column.property)
    this.#needed = new Set([...this.#copiedKey, ...this.#derived.flatMap(({ fill }) => derivedFrom(fill))])
    const own = new Set(keyFields(from.layout).map((field) => field.column.property))
    this.#valued = new Set([...this.#needed, ...own])
    this.keyIsEnough = [...this.#needed].every((property) => own.has(property))
    const apart = plainKey(to.layout)
    this.keepsApart = plainKey(from.layout).every((property) => apart.includes(property))
    this.#mapped = mappedColumns(from, to)
    let next = 0
    this.#starts = new Map(
      from.layout.fields.map((field) => {
        const start = next
        next += field.physical.length
        return [field, start]
      }),
    )
  }

  /** A row as read by the columns of the codec. @param unknown properties whose cells say nothing yet */
  fromCells(cells: Cells, unknown: ReadonlySet<string> = new Set()): StoredRow {
    const wires = new Map<string, readonly Wire[]>()
    const values: PlainRow = {}
    for (const field of this.from.layout.fields) {
      const { property } = field.column
      if (unknown.has(property)) continue
      const start = this.#starts.get(field)!
      wires.set(
        property,
        field.physical.map(({ type }, at) => wireOfCell(type, cells[start + at])),
      )
      if (this.#valued.has(property)) values[property] = field.join ? field.join(cells, start) : cells[start]
    }
    return { wires, values }
  }

  /** A row that an insert has accepted and completed. @param pending properties that wait for the commit's timestamp */
  fromRow(row: PlainRow, pending: ReadonlySet<string> = new Set()): StoredRow {
    const wires = new Map<string, readonly Wire[]>()
    const values: PlainRow = {}
    for (const field of this.from.layout.fields) {
      const { property } = field.column
      if (pending.has(property)) {
        wires.set(property, [COMMIT_TIMESTAMP])
        values[property] = COMMIT_TIMESTAMP
      } else if (row[property] !== undefined) {
        wires.set(property, wiresOf(field, row[property]))
        values[property] = row[property]
      }
    }
    return { wires, values }
  }

  /** Whether all that `to` holds of a row is known. */
  isWhole({ wires }: StoredRow): boolean {
    return this.#mapped.every((mapped) => 'derived' in mapped || wires.has(mapped.property))
  }

  /** The key in `to`. @throws {IsothermError} `UNSUPPORTED_WRITE` where a value of it is not known. */
  key(values: PlainRow): Wire[] {
    const complete = this.#complete(values)
    return this.to.layout.key.map(({ field, column }) => {
      const value = complete[field.column.property]
      return value === null ? null : value === COMMIT_TIMESTAMP ? COMMIT_TIMESTAMP : column.encode(value)
    })
  }

  /**
   * The mutations that write these rows into `to`. Unknown columns of a row keep their values.
   *
   * @param positions indexes of the rows in their call, if they are a part of it
   */
  mutations(
    op: 'insert' | 'upsert' | 'update',
    rows: readonly StoredRow[],
    positions?: readonly number[],
  ): RowWrite[] {
    const groups = new Map<string, { columns: string[]; rows: Wire[][]; positions?: number[] }>()
    for (const [at, row] of rows.entries()) {
      const complete = this.#complete(row.values)
      const columns: string[] = []
      const wires: Wire[] = []
      for (const mapped of this.#mapped) {
        let wire: Wire | undefined
        if ('derived' in mapped) wire = mapped.column.encode(complete[mapped.derived])
        else wire = row.wires.get(mapped.property)?.[mapped.at]
        if (wire === undefined) continue
        columns.push(mapped.column.name)
        wires.push(wire)
      }
      const name = columns.length === this.#mapped.length ? '' : columns.join()
      let group = groups.get(name)
      if (!group) groups.set(name, (group = { columns, rows: [], ...(positions && { positions: [] }) }))
      group.rows.push(wires)
      if (positions) group.positions!.push(positions[at]!)
    }
    const { layout } = this.to
    return [...groups.values()].map((group) => ({ op, table: layout.table.name, layout, ...group }))
  }

  #complete(values: PlainRow): PlainRow {
    const complete: PlainRow = {}
    for (const property of this.#needed) {
      if (values[property] === undefined) throw this.#unknown(property)
      complete[property] = values[property]
    }
    for (const { property, fill } of this.#derived) complete[property] = derivedValue(fill, values)
    return complete
  }

  #unknown(property: string): IsothermError {
    const { name } = this.from.layout.table
    return new IsothermError(
      'UNSUPPORTED_WRITE',
      `${name}.${property} makes the key in ${this.to.layout.table.name}, and is not known before the commit.`,
      { fix: 'Change the row in a transaction of its own.', table: name, column: property },
    )
  }
}

function mappedColumns(from: CompiledTable, to: CompiledTable): MappedColumn[] {
  return to.layout.fields.flatMap((field): MappedColumn[] => {
    const role = fieldRole(field, from.layout)
    const { property } = field.column
    return field.physical.flatMap((column, at): MappedColumn[] => {
      if (!column.written) return []
      return [role === 'derived' ? { column, derived: property } : { column, property, at }]
    })
  })
}
