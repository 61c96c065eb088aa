import { conditionalOf } from '../../database/capabilities.js'
import { rowCodec, type PlainRow, type RowCodec } from '../../database/codec.js'
import type {
  CallOptions,
  Cells,
  ConditionalWrites,
  Driver,
  KeyRange,
  Mutation,
} from '../../database/driver.js'
import { Limits, withRetries } from '../../database/retries.js'
import { SWITCHED_ON } from '../../dialects/cql/ddl-syntax.js'
import type { Field, TableLayout } from '../../dialects/layout.js'
import { dialectNamed } from '../../dialects/registry.js'
import type { Wire } from '../../dialects/wire.js'
import { IsothermError } from '../../errors.js'
import { defineSchema } from '../../model/define-schema.js'
import { defineTable } from '../../model/define-table.js'
import type { RecordKey } from './history-change.js'
import type { LeaseHolder } from './lease-options.js'
import { HISTORY_TABLE, type MigrationRecord } from './tables.js'

/** The partition in which everything lies: one history for a keyspace. */
const SCOPE = 'migrations'

/** How often a write is made whose answer is lost. */
const ATTEMPTS = 5

/**
 * The history of an engine that has conditional writes in place of transactions. It is one partition, and who may migrate
 * stands in static columns of it, beside all of its rows: a write of any row can ask for that, and is done only then.
 */
const table = defineTable(
  HISTORY_TABLE,
  (t) => ({
    scope: t.string().key(),
    migration: t.string().key(),
    statement: t.int32().key(),
    holder: t.uuid({ nullable: true, static: true }),
    description: t.string({ name: 'holder_description', nullable: true, static: true }),
    since: t.timestamp({ name: 'holder_since', nullable: true, static: true }),
    until: t.timestamp({ name: 'holder_until', nullable: true, static: true }),
    hash: t.string({ nullable: true }),
    kind: t.string({ nullable: true }),
    state: t.string({ nullable: true }),
    operation: t.string({ nullable: true }),
    attempt: t.int32({ nullable: true }),
    rows: t.int64({ name: 'row_count', as: 'number', nullable: true }),
    error: t.string({ nullable: true }),
    started: t.timestamp({ nullable: true }),
    finished: t.timestamp({ nullable: true }),
    runner: t.string({ nullable: true }),
  }),
  { partitionKey: ['scope'] },
)

const LEASE = ['holder', 'description', 'since', 'until'] as const

const schema = defineSchema([table])

/** Who holds the lease, by the id of its holder. */
export interface Holder extends LeaseHolder {
  readonly holder: string
}

/** Fields of the table, by their names; what is left out stays as it is. */
export type Values = Partial<MigrationRecord> & { readonly [Field in keyof Holder]?: Holder[Field] | null }

/** The one partition, read and written in turns that all see one another. */
export class ConditionalTable {
  /** What makes it. */
  readonly ddl: string
  readonly #writes: ConditionalWrites
  readonly #layout: TableLayout
  readonly #fields: ReadonlyMap<string, Field>
  readonly #lease: RowCodec
  readonly #records: RowCodec

  constructor(driver: Driver) {
    this.#writes = conditionalOf(driver)
    const dialect = dialectNamed(driver.dialect, driver.target)
    this.#layout = dialect.layout(schema.tables[0]!, schema)
    const [create] = dialect.ddl(schema, [this.#layout])
    // The lease ends by itself, and nothing else of the table does.
    this.ddl = dialect.cql?.has.timeToLiveIsSwitched ? `${create!}\n  AND ${SWITCHED_ON}` : create!
    this.#fields = new Map(this.#layout.fields.map((field) => [field.column.property, field]))
    const isLease = new Set<string>(LEASE)
    this.#lease = rowCodec(LEASE.map((property) => this.#fields.get(property)!))
    this.#records = rowCodec(
      this.#layout.fields.filter(
        ({ column: { property } }) => property !== 'scope' && !isLease.has(property),
      ),
    )
  }

  /** Undefined where nobody may migrate but who asks for it. */
  async holder(call: CallOptions = {}): Promise<Holder | undefined> {
    const [cells] = await this.#read(this.#lease, call, 1)
    if (!cells) return undefined
    const { holder, ...rest } = this.#lease.decode(cells)
    return holder === null ? undefined : ({ holder, ...rest } as Holder)
  }

  async records(call: CallOptions = {}): Promise<readonly MigrationRecord[]> {
    const rows = (await this.#read(this.#records, call)).map((cells) => this.#records.decode(cells))
    // A partition without rows reads as one row, of what is static.
    return rows.filter(({ migration }) => migration !== null) as unknown as MigrationRecord[]
  }

  /** Writes fields of one row, or with no key those of the lease. */
  write(key: RecordKey | undefined, values: Values): Mutation {
    const given: PlainRow = { scope: SCOPE, ...key, ...values }
    const fields = this.#layout.fields.filter(({ column }) => given[column.property] !== undefined)
    return {
      op: 'update',
      table: HISTORY_TABLE,
      layout: this.#layout,
      columns: fields.map(({ column }) => column.name),
      rows: [fields.map((field) => wireOf(field, given[field.column.property]))],
    }
  }

  delete(key: RecordKey): Mutation {
    const wires = [SCOPE, key.migration, key.statement].map((value, at) =>
      wireOf(this.#layout.fields[at]!, value)!,
    )
    return { op: 'delete', table: HISTORY_TABLE, layout: this.#layout, keys: [wires] }
  }

  /**
   * Makes a change if this one holds the lease; null: if nobody does. A change whose answer is lost is made again, which does
   * no harm: one that took place has left its holder where the next one finds it.
   *
   * @returns undefined once the change is made; else the id of who holds the lease, if anybody does
   */
  async exchange(
    mutation: Mutation,
    holder: string | null,
    options: CallOptions & { readonly ttl?: number } = {},
  ): Promise<{ readonly holder: string | null } | undefined> {
    const field = this.#fields.get('holder')!
    const condition = { [field.physical[0]!.name]: wireOf(field, holder) }
    const { ttl, ...call } = options
    for (let attempt = 1; ; attempt++) {
      try {
        const limits = new Limits(call)
        const { applied, found } = await withRetries(
          () =>
            this.#writes.writeIf({ mutation, condition }, field.physical, {
              ...limits.options,
              ...(ttl !== undefined && { ttl }),
            }),
          limits,
        )
        return applied ? undefined : { holder: (found?.[0] as string | null | undefined) ?? null }
      } catch (error) {
        const isLost = error instanceof IsothermError && error.code === 'OUTCOME_UNKNOWN'
        if (!isLost || attempt === ATTEMPTS || call.signal?.aborted) throw error
      }
    }
  }

  async #read({ columns }: RowCodec, call: CallOptions, limit?: number): Promise<Cells[]> {
    const limits = new Limits(call)
    const scope = [wireOf(this.#fields.get('scope')!, SCOPE)]
    const range: KeyRange = { start: scope, startOpen: false, end: scope, endOpen: false }
    const request = {
      layout: this.#layout,
      columns,
      ranges: [range],
      ...(limit !== undefined && { limit }),
    }
    return withRetries(() => this.#writes.read(request, limits.options), limits)
  }
}

function wireOf(field: Field, value: unknown): Wire {
  return value === null ? null : field.physical[0]!.encode(field.accept(value))
}
