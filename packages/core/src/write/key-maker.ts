import type { DialectRuntime } from '../engine/dialect.js'
import { COMMIT_TIMESTAMP, type TableLayout } from '../layout/layout.js'
import { IsothermError } from '../errors.js'
import type { Table } from '../model/table.js'
import type { PlainRow } from '../engine/codec.js'
import { CounterSupplies, FieldRules, type Supplies, type SupplyOptions } from '../rows/insert-plan.js'
import { refuseUnstableUpsert } from './write.js'

/** Instead of a value: an expression, whose value the database alone will know. */
export const EXPRESSION = Symbol('an expression')

type PlainInput = Readonly<Record<string, unknown>>

interface Step {
  readonly rules: FieldRules
  readonly property: string
  readonly isKey: boolean
  /** False: the database computes the column, and an insert may not name it. */
  readonly isWritten: boolean
  readonly isCommitTimestamp: boolean
  /** A left-out column that may be NULL is NULL, and can be hashed. */
  readonly isNullWhenLeftOut: boolean
}

/**
 * The keys of a table's rows, for a query builder that writes rows by its own statements: fills in what an insert leaves
 * out, and refuses what would cause a hotspot or would not be found by its key. The rules are those of `Database.insert`.
 */
export class KeyMaker {
  readonly #layout: TableLayout
  readonly #steps: readonly Step[]
  readonly #counters: CounterSupplies
  /** The properties that it looks at, or makes. */
  readonly properties: readonly string[]
  /** Properties that the database computes: a row is written without them, even where it has been given one. */
  readonly computed: readonly string[]
  readonly #counted: readonly string[]

  constructor(layout: TableLayout) {
    this.#layout = layout
    this.#counters = new CounterSupplies(layout)
    const all = layout.fields.map((field): Step => ({
      rules: new FieldRules(layout, field),
      property: field.column.property,
      isKey: layout.key.some((part) => part.field === field),
      isWritten: field.physical.some((column) => column.written),
      isCommitTimestamp: field.fill.by === 'commit-timestamp',
      isNullWhenLeftOut: field.fill.by === 'caller' && field.column.nullable,
    }))
    const hashed = new Set(all.flatMap(({ rules }) => rules.sources))
    const steps = all.filter(
      ({ rules, property, isCommitTimestamp }) =>
        rules.isMade ||
        rules.isDerived ||
        rules.refusesClockUuids ||
        isCommitTimestamp ||
        hashed.has(property),
    )
    // Derived values come last: the values that they follow from must have been filled in before.
    this.#steps = [
      ...steps.filter(({ rules }) => !rules.isDerived),
      ...steps.filter(({ rules }) => rules.isDerived),
    ]
    this.properties = this.#steps.map(({ property }) => property)
    this.computed = steps.flatMap(({ property, isWritten }) => (isWritten ? [] : [property]))
    this.#counted = layout.fields.flatMap(({ fill, column }) =>
      fill.by === 'counter' ? [column.property] : [],
    )
  }

  /** Numbers for the rows that need some of the application's counters; undefined, without a wait, where none do. */
  supply(rows: readonly PlainInput[], options?: SupplyOptions): Promise<Supplies> | undefined {
    return this.#counters.for(rows, options)
  }

  /** Whether a row leaves out what a counter of the application's gives: `missing` has to be handed `supplies` then. */
  needsCounter(values: PlainInput): boolean {
    return this.#counted.some((property) => values[property] === undefined)
  }

  /** The properties that `missing` would make. */
  leftOut(values: PlainInput, partial = false): string[] {
    return this.#steps.flatMap((step) =>
      values[step.property] === undefined && makes(step, partial) ? [step.property] : [],
    )
  }

  /**
   * The values that a row leaves out, by property; a commit timestamp is `COMMIT_TIMESTAMP`.
   *
   * @param values the values of `properties`, as Isotherm has them; `EXPRESSION` for those that only the database will know
   * @param position the row's index, for messages
   * @param partial fill in parts of the key only: other left-out columns keep their values in the database
   * @throws {IsothermError} `INVALID_VALUE` for a UUID that contains a clock, and for a shard or a hash that differs from
   * the one that reads will look in, or that the client cannot compute.
   */
  missing(
    values: PlainInput,
    position: number,
    {
      partial = false,
      supplies,
    }: { readonly partial?: boolean; readonly supplies?: Supplies | undefined } = {},
  ): PlainRow {
    const made: PlainRow = {}
    const row: PlainRow = {}
    for (let at = 0; at < this.#steps.length; at++) {
      const step = this.#steps[at]!
      const { rules, property } = step
      const value = values[property]
      if (value === EXPRESSION) {
        if (rules.isDerived) throw this.#unknown(property, 'Leave it out.')
        row[property] = EXPRESSION
      } else if (value !== undefined) {
        row[property] = rules.accept(value, position)
        if (!rules.isDerived) continue
        this.#refuseExpressions(rules, row)
        rules.checkDerived(row, row[property], position)
      } else if (step.isCommitTimestamp) {
        made[property] = COMMIT_TIMESTAMP
      } else if (makes(step, partial)) {
        this.#refuseExpressions(rules, row)
        row[property] = made[property] = rules.make(row, position, supplies)
      } else if (step.isNullWhenLeftOut && (step.isKey || !partial)) {
        row[property] = null
      }
    }
    return made
  }

  /**
   * @param properties those that a query gives for each row: the client does not see their values
   * @throws {IsothermError} `UNSUPPORTED_WRITE` where rows need values that only the client can make.
   */
  refuseQuery(properties: readonly string[]): void {
    for (const { rules, property, isWritten } of this.#steps) {
      const { physical } = rules.field
      const hasDefault = physical.every(({ made }) => made !== undefined && made.by !== 'commit-timestamp')
      const isProvided = properties.includes(property)
      if (!rules.isMade || !isWritten || (isProvided ? !rules.isDerived : hasDefault)) continue
      const { name } = this.#layout.table
      throw new IsothermError(
        'UNSUPPORTED_WRITE',
        `${name}.${property} is computed by the client for each row, but these rows come from a query in the database.`,
        {
          fix: rules.isDerived
            ? 'Read the rows first and insert their values.'
            : `Select it too, or read the rows first and insert their values.`,
          table: name,
          column: property,
        },
      )
    }
  }

  /** @throws {IsothermError} `UNSUPPORTED_WRITE` where the same key could be two rows. */
  refuseUpsert(): void {
    refuseUnstableUpsert({ layout: this.#layout })
  }

  #refuseExpressions(rules: FieldRules, row: PlainRow): void {
    const unknown = rules.sources.find((property) => row[property] === EXPRESSION)
    if (unknown !== undefined)
      throw this.#unknown(unknown, `Give it a value: ${rules.property} is computed from it by the client.`)
  }

  #unknown(property: string, fix: string): IsothermError {
    const { name } = this.#layout.table
    return new IsothermError(
      'INVALID_VALUE',
      `${name}.${property} is an expression, but the key is computed by the client before the database evaluates it.`,
      { fix, table: name, column: property },
    )
  }
}

function makes({ rules, isKey, isWritten, isCommitTimestamp }: Step, partial: boolean): boolean {
  return isCommitTimestamp || (rules.isMade && isWritten && (isKey || !partial))
}

/** The maker of a table's keys; undefined if no key part of the table is made, computed or checked. */
export function keyMaker(table: Table, dialect: DialectRuntime): KeyMaker | undefined {
  const maker = new KeyMaker(dialect.layout(table))
  return maker.properties.length > 0 ? maker : undefined
}
