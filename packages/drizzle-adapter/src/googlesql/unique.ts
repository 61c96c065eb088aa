import { entityKind, type Table } from 'drizzle-orm'
import { nameOf } from '../drizzle-internals.js'
import type { SpannerColumn } from './columns/common.js'

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

/** What is kept unique by an index: Spanner has no other way. */
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
    return new UniqueConstraintBuilder(this.#name, columns)
  }
}

/** Columns in whose values no two rows agree: a unique index. */
export function unique(name?: string): UniqueOnConstraintBuilder {
  return new UniqueOnConstraintBuilder(name)
}
