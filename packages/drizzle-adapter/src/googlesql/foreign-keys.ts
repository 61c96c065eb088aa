import { constraintName } from '@isotherm/core/adapter'
import { entityKind, type Column, type Table } from 'drizzle-orm'
import { nameOf, schemaOf } from '../drizzle-internals.js'
import type { ReferenceActions, SpannerColumn } from './columns/common.js'

export interface Reference {
  readonly name: string | undefined
  readonly columns: readonly SpannerColumn[]
  readonly foreignTable: Table
  readonly foreignColumns: readonly Column[]
}

type OnDelete = NonNullable<ReferenceActions['onDelete']>

interface ForeignKeyState {
  readonly reference: () => Reference
  readonly onDelete: OnDelete
  readonly enforced: boolean
}

export class ForeignKeyBuilder {
  static readonly [entityKind]: string = 'SpannerForeignKeyBuilder'
  readonly #state: ForeignKeyState

  constructor(state: ForeignKeyState) {
    this.#state = state
  }

  /** What becomes of a row when the one that it refers to is deleted. Default: `no action`, which refuses the deletion. */
  onDelete(action: OnDelete): ForeignKeyBuilder {
    return new ForeignKeyBuilder({ ...this.#state, onDelete: action })
  }

  /** The database believes it without a check. */
  notEnforced(): ForeignKeyBuilder {
    return new ForeignKeyBuilder({ ...this.#state, enforced: false })
  }

  build(table: Table): ForeignKey {
    return new ForeignKey(table, this.#state)
  }
}

/** A foreign key of a table, as `getTableConfig` has it. */
export class ForeignKey {
  static readonly [entityKind]: string = 'SpannerForeignKey'
  readonly table: Table
  readonly reference: () => Reference
  readonly onDelete: OnDelete
  readonly enforced: boolean

  constructor(table: Table, { reference, onDelete, enforced }: ForeignKeyState) {
    this.table = table
    this.reference = reference
    this.onDelete = onDelete
    this.enforced = enforced
  }

  getName(): string {
    const { name, columns } = this.reference()
    const schema = schemaOf(this.table)
    const table = schema === undefined ? nameOf(this.table) : `${schema}.${nameOf(this.table)}`
    return name ?? constraintName(table, ...columns.map((column) => column.name), 'fk')
  }
}

/** What `references` of a column was given, as a foreign key. */
export function inlineForeignKeys(column: SpannerColumn, table: Table): ForeignKey[] {
  return column.references.map(({ to, actions: { name, onDelete = 'no action', enforced = true } }) => {
    const reference = (): Reference => {
      const foreign = to()
      return { name, columns: [column], foreignTable: foreign.table, foreignColumns: [foreign] }
    }
    return new ForeignKey(table, { reference, onDelete, enforced })
  })
}

/**
 * A foreign key of one column or more.
 *
 * @example
 * foreignKey({ columns: [t.country, t.city], foreignColumns: [cities.country, cities.name] }).onDelete('cascade')
 */
export function foreignKey(config: {
  /** Default: the table's name, the columns' and `fk`, joined by `_`. */
  readonly name?: string
  readonly columns: readonly [SpannerColumn, ...SpannerColumn[]]
  readonly foreignColumns: readonly [Column, ...Column[]]
}): ForeignKeyBuilder {
  const { name, columns, foreignColumns } = config
  return new ForeignKeyBuilder({
    reference: () => ({ name, columns, foreignTable: foreignColumns[0].table, foreignColumns }),
    onDelete: 'no action',
    enforced: true,
  })
}
