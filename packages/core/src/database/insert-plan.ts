import { IsothermError } from '../errors.js'
import type { Field, PhysicalColumn, TableLayout } from '../dialects/layout.js'
import { COMMIT_TIMESTAMP, type Wire } from '../dialects/wire.js'
import type { PlainRow } from './codec.js'
import { CounterSupplies, type Supplies, type SupplyOptions } from './counter-supplies.js'
import { FieldRules } from './field-rules.js'
import { unknownProperty } from './fill.js'

/** Rows that name the same columns: one mutation, or one statement. */
export interface RowGroup {
  readonly columns: readonly PhysicalColumn[]
  readonly rows: Wire[][]
  /** For each row, its place among the rows that were given. */
  readonly places: number[]
  /** The fields whose values the database makes for these rows, which only a statement tells. */
  readonly made: readonly Field[]
  /** Their keys have UUIDs that were made just now: no row can be there. */
  readonly fresh?: true
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
  readonly rules: FieldRules
  readonly field: Field
  readonly property: string
  readonly isKey: boolean
  /** A value that is made for it is one that no other row's key has: what an engine without transactions has to know. */
  readonly isUnique: boolean
  readonly columns: readonly PhysicalColumn[]
}

type PlainInput = Readonly<Record<string, unknown>>

/** Turns rows to insert into mutations or statements; compiled once per table. */
export class InsertPlan {
  readonly #layout: TableLayout
  readonly #properties: readonly string[]
  readonly #steps: readonly Step[]
  readonly #counters: CounterSupplies

  constructor(layout: TableLayout) {
    this.#layout = layout
    this.#properties = layout.fields.map((field) => field.column.property)
    const steps = layout.fields.map((field): Step => ({
      rules: new FieldRules(layout, field),
      field,
      property: field.column.property,
      isKey: layout.key.some((part) => part.field === field),
      isUnique: layout.partition !== undefined && isUniqueKey(layout, field),
      columns: field.physical.filter((column) => column.written),
    }))
    // What is derived comes last: what it follows from must have been filled in before.
    this.#steps = [
      ...steps.filter(({ rules }) => !rules.isDerived),
      ...steps.filter(({ rules }) => rules.isDerived),
    ]
    this.#counters = new CounterSupplies(layout)
  }

  /** Numbers for the rows that need some of the application's counters; undefined, without a wait, where none do. */
  supply(given: readonly PlainInput[], options?: SupplyOptions): Promise<Supplies> | undefined {
    return this.#counters.for(given, options)
  }

  /**
   * @param partial leave out what was not given, as an upsert does: a row that exists keeps it
   * @throws {IsothermError} `INVALID_VALUE` naming the row's place and the column; nothing has been written then.
   */
  prepare(given: readonly PlainInput[], partial = false, supplies?: Supplies): PreparedInsert {
    if (!Array.isArray(given)) throw this.#invalid('takes an array of rows.', 'Write [row] for one.')
    const rows: PlainRow[] = []
    const groups = new Map<string, RowGroup>()
    const awaitsCommit: { place: number; property: string }[] = []
    // Rows of one call mostly name the same columns, so the last group is tried before the map.
    let last: { readonly omitted: string; readonly fresh: boolean; readonly group: RowGroup } | undefined

    for (let place = 0; place < given.length; place++) {
      const { row, wires, omitted, pending, fresh } = this.#row(given[place] as PlainInput, place, {
        partial,
        supplies,
      })
      rows.push(row)
      for (const property of pending) awaitsCommit.push({ place, property })
      if (last?.omitted !== omitted || last.fresh !== fresh) {
        const name = fresh ? `${omitted}fresh` : omitted
        const group = groups.get(name) ?? this.#group(omitted, partial, fresh)
        groups.set(name, group)
        last = { omitted, fresh, group }
      }
      last.group.rows.push(wires)
      last.group.places.push(place)
    }
    const made = [...groups.values()]
    return { rows, groups: made, needsReturning: made.some((group) => group.made.length > 0), awaitsCommit }
  }

  /** One row: accepted, filled in, and as it is stored. `omitted` tells which steps wrote nothing. */
  #row(
    input: PlainInput,
    place: number,
    { partial, supplies }: { readonly partial: boolean; readonly supplies: Supplies | undefined },
  ) {
    const row: PlainRow = {}
    // Shards are filled in last, but stand where they were declared.
    if (!partial) for (const property of this.#properties) row[property] = undefined
    const wires: Wire[] = []
    const pending: string[] = []
    let omitted = ''
    let fresh = false
    let named = 0
    for (let at = 0; at < this.#steps.length; at++) {
      const step = this.#steps[at]!
      const { rules, field, property } = step
      const value = input[property]
      let accepted: unknown
      if (value !== undefined) {
        named++
        // A row that was read can be upserted as it is: its generated key is not written.
        if (step.columns.length === 0 && !rules.isDerived && !(partial && step.isKey))
          throw this.#generated(property)
        if (partial && field.column.immutable && !step.isKey) throw this.#immutable(property)
        accepted = rules.accept(value, place)
        if (rules.isDerived) rules.checkDerived(row, accepted, place)
      } else if (field.fill.by === 'commit-timestamp') {
        pending.push(property)
        wires.push(COMMIT_TIMESTAMP)
        continue
      } else if (field.fill.by === 'database' || (partial && !step.isKey)) {
        omitted += `${at},`
        continue
      } else if (rules.isMade) {
        accepted = rules.make(row, place, supplies)
        fresh ||= step.isUnique
      } else {
        accepted = rules.accept(null, place)
      }
      row[property] = accepted
      for (const column of step.columns) wires.push(accepted === null ? null : column.encode(accepted))
    }
    this.#refuseUnknown(input, named)
    return { row, wires, omitted, pending, fresh }
  }

  #group(omitted: string, partial: boolean, fresh: boolean): RowGroup {
    const left = new Set(omitted.split(',').slice(0, -1).map(Number))
    return {
      columns: this.#steps.filter((_, at) => !left.has(at)).flatMap((step) => step.columns),
      rows: [],
      places: [],
      made: this.#steps.flatMap((step, at) =>
        left.has(at) && step.field.fill.by === 'database' && this.#isMade(step, partial) ? [step.field] : [],
      ),
      ...(fresh && { fresh }),
    }
  }

  /** An upsert leaves out what a row may have already, and a key that the database generates from the rest. */
  #isMade({ isKey, columns }: Step, partial: boolean): boolean {
    return partial ? isKey && columns.length > 0 : true
  }

  /** `named` is how many known properties were given: if that is all of them, there is nothing to look for. */
  #refuseUnknown(input: PlainInput, named: number): void {
    const properties = Object.keys(input)
    if (properties.length === named) return
    for (const property of properties) {
      if (!this.#layout.byProperty.has(property)) {
        throw unknownProperty(this.#layout.table.name, property, this.#layout)
      }
    }
  }

  #generated(property: string): IsothermError {
    return this.#invalid('is generated by the database.', 'Leave it out.', property)
  }

  #immutable(property: string): IsothermError {
    return this.#invalid(
      'is immutable, and an upsert could change it in a row that exists.',
      'Use insert for new rows, update for those that exist.',
      property,
    )
  }

  #invalid(what: string, fix: string, column?: string): IsothermError {
    const { name } = this.#layout.table
    const where = column === undefined ? name : `${name}.${column}`
    return new IsothermError('INVALID_VALUE', `${where} ${what}`, {
      fix,
      table: name,
      ...(column !== undefined && { column }),
    })
  }
}

/** A key part of the table's own that is a UUID of this process: that of a parent is one of a row that may be there. */
function isUniqueKey({ key }: TableLayout, field: Field): boolean {
  const { by } = field.fill
  return (
    (by === 'uuid-v4' || by === 'timeuuid') &&
    !field.column.inherited &&
    key.some((part) => part.field === field)
  )
}
