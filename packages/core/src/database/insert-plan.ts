import { IsothermError } from '../errors.js'
import type { Field, PhysicalColumn, TableLayout } from '../dialects/layout.js'
import { COMMIT_TIMESTAMP, type Wire } from '../dialects/wire.js'
import type { PlainRow } from './codec.js'
import { fillerOf, unknownProperty, type Filler } from './fill.js'

/** Rows that name the same columns: one mutation, or one statement. */
export interface RowGroup {
  readonly columns: readonly PhysicalColumn[]
  readonly rows: Wire[][]
  /** For each row, its place among the rows that were given. */
  readonly places: number[]
}

export interface PreparedInsert {
  /** The rows to hand back: accepted, and filled in with what the client makes. */
  readonly rows: PlainRow[]
  readonly groups: RowGroup[]
  /** Whether the database makes a value that only a returning statement tells. */
  readonly needsReturning: boolean
  /** Commit timestamps to fill in once they are known: the row's place and the property. */
  readonly awaitsCommit: readonly { readonly place: number; readonly property: string }[]
}

interface Step {
  readonly field: Field
  readonly property: string
  readonly filler: Filler | undefined
  readonly isKey: boolean
  readonly isShard: boolean
  readonly columns: readonly PhysicalColumn[]
}

/** Turns rows to insert into mutations or statements; compiled once per table. */
export class InsertPlan {
  readonly #layout: TableLayout
  readonly #properties: readonly string[]
  readonly #steps: readonly Step[]

  constructor(layout: TableLayout) {
    this.#layout = layout
    this.#properties = layout.fields.map((field) => field.column.property)
    const steps = layout.fields.map((field): Step => ({
      field,
      property: field.column.property,
      filler: fillerOf(field),
      isKey: layout.key.some((part) => part.field === field),
      isShard: field.fill.by === 'shard',
      columns: field.physical.filter((column) => column.written),
    }))
    // Shards come last: what they hash must have been filled in before.
    this.#steps = [...steps.filter((step) => !step.isShard), ...steps.filter((step) => step.isShard)]
  }

  /**
   * @param partial leave out what was not given, as an upsert does: a row that exists keeps it
   * @throws {IsothermError} `INVALID_VALUE` naming the row's place and the column; nothing has been written then.
   */
  prepare(given: readonly Readonly<Record<string, unknown>>[], partial = false): PreparedInsert {
    const rows: PlainRow[] = []
    const groups = new Map<string, RowGroup>()
    const awaitsCommit: { place: number; property: string }[] = []
    let needsReturning = false
    // Rows of one call mostly name the same columns, so the last group is tried before the map.
    let lastOmitted = '-'
    let lastGroup: RowGroup | undefined

    for (let place = 0; place < given.length; place++) {
      const input = given[place]!
      const row: PlainRow = {}
      for (const property of this.#properties) row[property] = undefined
      const wires: Wire[] = []
      let omitted = ''
      let named = 0
      for (let at = 0; at < this.#steps.length; at++) {
        const step = this.#steps[at]!
        const { field, property } = step
        let value = input[property]
        if (value !== undefined) named++
        else if (step.filler) value = step.filler(row)
        else if (field.fill.by === 'commit-timestamp') {
          awaitsCommit.push({ place, property })
          wires.push(COMMIT_TIMESTAMP)
          continue
        } else if (field.fill.by === 'database' || (partial && !step.isKey)) {
          needsReturning ||= field.fill.by === 'database'
          omitted += `${at},`
          continue
        }
        const accepted = this.#accept(field, value ?? null, place)
        if (step.isShard && input[property] !== undefined)
          this.#checkShard(field, row, accepted as bigint, place)
        row[property] = accepted
        for (const column of step.columns) wires.push(accepted === null ? null : column.encode(accepted))
      }
      this.#refuseUnknown(input, named)
      rows.push(row)
      if (!lastGroup || omitted !== lastOmitted) {
        lastGroup = groups.get(omitted)
        if (!lastGroup) {
          const left = new Set(omitted.split(',').slice(0, -1).map(Number))
          const columns = this.#steps.filter((_, at) => !left.has(at)).flatMap((step) => step.columns)
          groups.set(omitted, (lastGroup = { columns, rows: [], places: [] }))
        }
        lastOmitted = omitted
      }
      lastGroup.rows.push(wires)
      lastGroup.places.push(place)
    }
    return { rows, groups: [...groups.values()], needsReturning, awaitsCommit }
  }

  #accept(field: Field, value: unknown, place: number): unknown {
    const { table } = this.#layout
    if (value === null) {
      if (field.column.nullable) return null
      throw new IsothermError(
        'INVALID_VALUE',
        `${table.name}.${field.column.property} of row ${place} has no value, and takes no NULL.`,
        { fix: 'Give it a value.', table: table.name, column: field.column.property },
      )
    }
    return field.accept(value)
  }

  /** A shard that was given must be the one that reads will look in. */
  #checkShard(field: Field, row: PlainRow, shard: bigint, place: number): void {
    if (field.fill.by !== 'shard') return
    const { source } = field.fill
    const expected = source.strategy === 'hash' ? (fillerOf(field)!(row) as bigint) : undefined
    const fits = expected === undefined ? shard >= 0n && shard < BigInt(source.shards) : shard === expected
    if (fits) return
    const { table } = this.#layout
    const looks = expected === undefined ? `0 to ${source.shards - 1}` : `${expected}`
    throw new IsothermError(
      'INVALID_VALUE',
      `${table.name}.${field.column.property} of row ${place} is ${shard}, where reads would look in ${looks}.`,
      { fix: 'Leave it out.', table: table.name, column: field.column.property },
    )
  }

  /** `named` is how many known properties were given: if that is all of them, there is nothing to look for. */
  #refuseUnknown(input: PlainRow, named: number): void {
    const properties = Object.keys(input)
    if (properties.length === named) return
    for (const property of properties) {
      if (!this.#layout.byProperty.has(property)) {
        throw unknownProperty(this.#layout.table.name, property, this.#layout)
      }
    }
  }
}
