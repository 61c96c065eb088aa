import {
  type OptionKinds,
  anything,
  checkArgument,
  checkOptions,
  constraintName,
  listOf,
  required,
  text,
} from '@isotherm/core/adapter'
import { type Column, type SQL, type Table, entityKind } from 'drizzle-orm'
import { columns as someColumns, condition, onDelete as anOnDelete } from '../../arguments.js'
import { nameOf, schemaOf } from '../../drizzle-internals.js'
import type { ReferenceActions, SpannerColumn } from '../columns/common.js'
import { type OrderedColumn, type OrderedColumnInput, orderedColumn } from './indexes.js'

/** A condition that every row meets. */
export class Check {
  static readonly [entityKind]: string = 'SpannerCheck'
  readonly name: string
  readonly value: SQL

  constructor(name: string, value: SQL) {
    this.name = name
    this.value = value
  }
}

const CHECK_NAME = text("'quantity_is_positive'")

/**
 * A condition that every row meets.
 *
 * @example
 * check('quantity_is_positive', gt(t.quantity, 0n))
 */
export function check(name: string, value: SQL): Check {
  checkArgument('check', 'name', CHECK_NAME, name)
  checkArgument('check', 'value', condition, value)
  return new Check(name, value)
}

interface Reference {
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

  /** What happens to a row when the row that it refers to is deleted. Default: `no action`, which refuses the deletion. */
  onDelete(action: OnDelete): ForeignKeyBuilder {
    checkArgument('foreignKey', 'onDelete', anOnDelete, action)
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

/** The argument of a column's `references`, as a foreign key. */
export function inlineForeignKeys(column: SpannerColumn, table: Table): ForeignKey[] {
  return column.references.map(({ to, actions: { name, onDelete = 'no action', enforced = true } }) => {
    const reference = (): Reference => {
      const foreign = to()
      return { name, columns: [column], foreignTable: foreign.table, foreignColumns: [foreign] }
    }
    return new ForeignKey(table, { reference, onDelete, enforced })
  })
}

interface ForeignKeyConfig {
  /** Default: the table's name, the columns' and `fk`, joined by `_`. */
  readonly name?: string
  readonly columns: readonly [SpannerColumn, ...SpannerColumn[]]
  readonly foreignColumns: readonly [Column, ...Column[]]
}

const FOREIGN_KEY_CONFIG: OptionKinds<ForeignKeyConfig> = {
  name: text("'order_customer_fk'"),
  columns: required(someColumns),
  foreignColumns: required(someColumns),
}

/**
 * A foreign key of one column or more.
 *
 * @example
 * foreignKey({ columns: [t.country, t.city], foreignColumns: [cities.country, cities.name] }).onDelete('cascade')
 */
export function foreignKey(config: ForeignKeyConfig): ForeignKeyBuilder {
  checkOptions('foreignKey', FOREIGN_KEY_CONFIG, config)
  const { name, columns, foreignColumns } = config
  return new ForeignKeyBuilder({
    reference: () => ({ name, columns, foreignTable: foreignColumns[0].table, foreignColumns }),
    onDelete: 'no action',
    enforced: true,
  })
}

export class PrimaryKeyBuilder {
  static readonly [entityKind]: string = 'SpannerPrimaryKeyBuilder'
  readonly #parts: readonly OrderedColumn[]

  constructor(parts: readonly OrderedColumn[]) {
    this.#parts = parts
  }

  build(table: Table): PrimaryKey {
    return new PrimaryKey(table, this.#parts)
  }
}

/** The primary key of a table, as `getTableConfig` has it. */
export class PrimaryKey {
  static readonly [entityKind]: string = 'SpannerPrimaryKey'
  readonly table: Table
  /** In the order of the key. */
  readonly parts: readonly OrderedColumn[]

  constructor(table: Table, parts: readonly OrderedColumn[]) {
    this.table = table
    this.parts = parts
  }

  get columns(): SpannerColumn[] {
    return this.parts.map(({ column }) => column)
  }
}

interface PrimaryKeyConfig {
  readonly columns: readonly [OrderedColumnInput, ...OrderedColumnInput[]]
}

// Each of these functions reports a value that is not a column.
const PRIMARY_KEY_CONFIG: OptionKinds<PrimaryKeyConfig> = {
  columns: required(listOf(anything, 'a list of columns, such as [t.userId, desc(t.createdAt)]')),
}

/**
 * The primary key, where the order of its columns is not that of their declaration, or one of them descends.
 *
 * @example
 * primaryKey({ columns: [t.userId, desc(t.createdAt)] })
 */
export function primaryKey(config: PrimaryKeyConfig): PrimaryKeyBuilder {
  checkOptions('primaryKey', PRIMARY_KEY_CONFIG, config)
  return new PrimaryKeyBuilder(config.columns.map(orderedColumn))
}

export class UniqueConstraintBuilder {
  static readonly [entityKind]: string = 'SpannerUniqueConstraintBuilder'
  readonly #name: string | undefined
  readonly #columns: readonly SpannerColumn[]

  constructor(name: string | undefined, columns: readonly SpannerColumn[]) {
    this.#name = name
    this.#columns = columns
  }

  build(table: Table): UniqueConstraint {
    return new UniqueConstraint(table, this.#columns, this.#name)
  }
}

/** A unique constraint, which is an index: Spanner has no other kind. */
export class UniqueConstraint {
  static readonly [entityKind]: string = 'SpannerUniqueConstraint'
  readonly table: Table
  readonly columns: readonly SpannerColumn[]
  readonly name: string

  constructor(table: Table, columns: readonly SpannerColumn[], name?: string) {
    this.table = table
    this.columns = columns
    this.name = name ?? uniqueKeyName(table, columns)
  }

  getName(): string {
    return this.name
  }
}

function uniqueKeyName(table: Table, columns: readonly SpannerColumn[]): string {
  return [nameOf(table), ...columns.map(({ name }) => name), 'unique'].join('_')
}

export class UniqueOnConstraintBuilder {
  static readonly [entityKind]: string = 'SpannerUniqueOnConstraintBuilder'
  readonly #name: string | undefined

  constructor(name: string | undefined) {
    this.#name = name
  }

  on(...columns: readonly [SpannerColumn, ...SpannerColumn[]]): UniqueConstraintBuilder {
    checkArgument('unique', 'columns', someColumns, columns)
    return new UniqueConstraintBuilder(this.#name, columns)
  }
}

const UNIQUE_NAME = text("'users_by_email'")

/** Columns in whose values no two rows agree: a unique index. */
export function unique(name?: string): UniqueOnConstraintBuilder {
  if (name !== undefined) checkArgument('unique', 'name', UNIQUE_NAME, name)
  return new UniqueOnConstraintBuilder(name)
}
