import { IsothermError } from '../errors.js'
import { keyFields, type Field, type PhysicalColumn } from '../dialects/layout.js'
import { COMMIT_TIMESTAMP, type Wire, type WireType } from '../dialects/wire.js'
import { wiresOf, type PlainRow } from './codec.js'
import type { CompiledTable } from './compiled-table.js'
import { derivedFill, derivedFrom, derivedValue, type Derived } from './derived.js'
import type { Cells, Mutation } from './driver.js'
import { fieldRole, plainKey } from './dual-writes-pair.js'

/** A row as it is stored, and the values from which keys are made. What is not known of it is absent. */
export interface StoredRow {
  /** By property. */
  readonly wires: ReadonlyMap<string, readonly Wire[]>
  readonly values: PlainRow
}

type Place =
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
  readonly #places: readonly Place[]
  readonly #derived: readonly { readonly property: string; readonly fill: Derived }[]
  readonly #copiedKey: readonly string[]
  /** What the key in `to` is made of. */
  readonly #needed: ReadonlySet<string>
  /** The same and the own key: their values are needed, of the others only what is stored. */
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
    this.#places = placesOf(from, to)
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
    return this.#places.every((place) => 'derived' in place || wires.has(place.property))
  }

  /** The key in `to`. @throws {IsothermError} `UNSUPPORTED` where a value of it is not known. */
  key(values: PlainRow): Wire[] {
    const complete = this.#complete(values)
    return this.to.layout.key.map(({ field, column }) => {
      const value = complete[field.column.property]
      return value === null ? null : value === COMMIT_TIMESTAMP ? COMMIT_TIMESTAMP : column.encode(value)
    })
  }

  /** Mutations that write these rows into `to`. What is not known of a row is left as it is. */
  mutations(op: 'insert' | 'upsert' | 'update', rows: readonly StoredRow[]): Mutation[] {
    const groups = new Map<string, { columns: string[]; rows: Wire[][] }>()
    for (const row of rows) {
      const complete = this.#complete(row.values)
      const columns: string[] = []
      const wires: Wire[] = []
      for (const place of this.#places) {
        let wire: Wire | undefined
        if ('derived' in place) wire = place.column.encode(complete[place.derived])
        else wire = row.wires.get(place.property)?.[place.at]
        if (wire === undefined) continue
        columns.push(place.column.name)
        wires.push(wire)
      }
      const name = columns.length === this.#places.length ? '' : columns.join()
      const group = groups.get(name)
      if (group) group.rows.push(wires)
      else groups.set(name, { columns, rows: [wires] })
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
      'UNSUPPORTED',
      `${name}.${property} makes the key in ${this.to.layout.table.name}, and is not known before the commit.`,
      { fix: 'Change the row in a transaction of its own.', table: name, column: property },
    )
  }
}

function placesOf(from: CompiledTable, to: CompiledTable): Place[] {
  return to.layout.fields.flatMap((field): Place[] => {
    const role = fieldRole(field, from.layout)
    const { property } = field.column
    return field.physical.flatMap((column, at): Place[] => {
      if (!column.written) return []
      return [role === 'derived' ? { column, derived: property } : { column, property, at }]
    })
  })
}

/** A cell as it is stored, without a look at what it means: documents keep their text, numbers all their digits. */
export function wireOfCell(type: WireType, cell: unknown): Wire {
  if (cell === null || cell === undefined) return null
  switch (type.kind) {
    case 'int64':
      return (cell as bigint).toString()
    case 'float32':
    case 'float64':
      return Number.isFinite(cell) ? (cell as number) : (cell as number).toString()
    case 'bytes':
      return (cell as Buffer).toString('base64')
    case 'timestamp':
      return (cell as Date).toISOString()
    case 'array':
      return (cell as readonly unknown[]).map((each) => wireOfCell(type.of, each))
    default:
      return cell as Wire
  }
}
