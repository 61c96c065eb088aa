import { entityKind, type Column, type Table } from 'drizzle-orm'
import type { SpannerColumn } from './columns/common.js'
import { orderedColumn, type OrderedColumn, type OrderedColumnInput } from './ordered-column.js'

/** What an index is made of. */
export interface IndexConfig<Columns extends Column = SpannerColumn> {
  readonly name: string | undefined
  readonly columns: readonly OrderedColumn<Columns>[]
  readonly unique: boolean
  readonly nullFiltered: boolean
  readonly notNull: readonly Columns[]
  readonly storing: readonly Columns[]
  readonly interleaveIn: Table | undefined
  readonly shard: { readonly shards: number; readonly of: readonly Columns[] } | undefined
}

/** An index that is being declared. */
export class IndexBuilder<Columns extends Column = SpannerColumn> {
  static readonly [entityKind]: string = 'SpannerIndexBuilder'
  readonly #config: IndexConfig<Columns>

  constructor(config: IndexConfig<Columns>) {
    this.#config = config
  }

  /** Keeps columns in the index beside its own, so that a query need not go back to the table. */
  storing(...columns: readonly [Columns, ...Columns[]]): IndexBuilder<Columns> {
    return this.#with({ storing: columns })
  }

  /** Leaves rows out in which any column of the index is NULL. */
  nullFiltered(): IndexBuilder<Columns> {
    return this.#with({ nullFiltered: true })
  }

  /** Leaves rows out in which one of these columns, each of them one of the index's own, is NULL. */
  whereNotNull(...columns: readonly [Columns, ...Columns[]]): IndexBuilder<Columns> {
    return this.#with({ notNull: columns })
  }

  /** Keeps the index's entries in the rows of the table's parent, or of an ancestor, whose key it starts with. */
  interleaveIn(table: Table): IndexBuilder<Columns> {
    return this.#with({ interleaveIn: table })
  }

  /**
   * Puts a shard in front of the index: for an index over a timestamp, which would take all writes in one place.
   *
   * @example
   * index('events_by_time').on(desc(t.at)).shard({ shards: 16, of: [t.id] })
   */
  shard(options: { readonly shards: number; readonly of: readonly Columns[] }): IndexBuilder<Columns> {
    return this.#with({ shard: options })
  }

  build(table: Table): Index<Columns> {
    return new Index(this.#config, table)
  }

  #with(patch: Partial<IndexConfig<Columns>>): IndexBuilder<Columns> {
    return new IndexBuilder({ ...this.#config, ...patch })
  }
}

/** An index of a table, as `getTableConfig` has it. */
export class Index<Columns extends Column = SpannerColumn> {
  static readonly [entityKind]: string = 'SpannerIndex'
  readonly config: IndexConfig<Columns> & { readonly table: Table }

  constructor(config: IndexConfig<Columns>, table: Table) {
    this.config = { ...config, table }
  }
}

/** The first half of an index: its name is known, its columns are not. */
export class IndexBuilderOn<Columns extends Column = SpannerColumn, Part = OrderedColumnInput> {
  static readonly [entityKind]: string = 'SpannerIndexBuilderOn'
  readonly #name: string | undefined
  readonly #unique: boolean
  readonly #ordered: (part: Part) => OrderedColumn<Columns>

  constructor(name: string | undefined, unique: boolean, ordered: (part: Part) => OrderedColumn<Columns>) {
    this.#name = name
    this.#unique = unique
    this.#ordered = ordered
  }

  /** @throws {IsothermError} `UNSUPPORTED` for an expression. */
  on(...columns: readonly [Part, ...Part[]]): IndexBuilder<Columns> {
    return new IndexBuilder({
      name: this.#name,
      columns: columns.map(this.#ordered),
      unique: this.#unique,
      nullFiltered: false,
      notNull: [],
      storing: [],
      interleaveIn: undefined,
      shard: undefined,
    })
  }
}

/**
 * An index.
 *
 * @param name default: the table's and the columns' names, joined by `_`
 * @example
 * index('users_by_name').on(t.lastName, desc(t.createdAt)).storing(t.email)
 */
export function index(name?: string): IndexBuilderOn {
  return new IndexBuilderOn(name, false, orderedColumn)
}

/** An index in which no two rows have the same values. */
export function uniqueIndex(name?: string): IndexBuilderOn {
  return new IndexBuilderOn(name, true, orderedColumn)
}
