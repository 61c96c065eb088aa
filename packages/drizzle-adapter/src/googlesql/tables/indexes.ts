import { IsothermError } from '@isotherm/core'
import { Column, SQL, StringChunk, type Table, entityKind, is } from 'drizzle-orm'
import { SpannerColumn } from '../columns/common.js'
import {
  type OptionKinds,
  checkArgument,
  checkOptions,
  required,
  text,
  wholeNumber,
} from '@isotherm/core/adapter'
import { columns as someColumns, table as aTable } from '../../arguments.js'

/** A column of a key or an index, or `asc(column)`, `desc(column)`, `column.asc()`, `column.desc()`. */
export type OrderedColumnInput = SpannerColumn | SQL

export interface OrderedColumn<Columns extends Column = SpannerColumn> {
  readonly column: Columns
  readonly order: 'asc' | 'desc'
  /** The position of NULL. Undefined: as in the dialect's order. */
  readonly nulls?: 'first' | 'last' | undefined
}

/** @throws {IsothermError} `UNSUPPORTED_MODEL` for any other expression. */
export function orderedColumn(part: OrderedColumnInput): OrderedColumn {
  if (is(part, SpannerColumn)) return { column: part, order: 'asc' }
  const { column, order } = columnInOrder(part)
  if (is(column, SpannerColumn)) return { column, order }
  throw notAColumn()
}

/**
 * The column and order of `asc(column)` or `desc(column)`. @throws {IsothermError} `UNSUPPORTED_MODEL` for any other expression.
 */
export function columnInOrder(part: unknown): OrderedColumn<Column> {
  const chunks = is(part, SQL) ? part.queryChunks : []
  const column = chunks.find((chunk) => is(chunk, Column))
  const words = chunks
    .filter((chunk) => is(chunk, StringChunk))
    .map(({ value }) => value.join(''))
    .join('')
    .trim()
    .toLowerCase()
  if (column && chunks.length <= 3 && /^(asc|desc)?$/.test(words)) {
    return { column, order: words === 'desc' ? 'desc' : 'asc' }
  }
  throw notAColumn()
}

function notAColumn(): IsothermError {
  return new IsothermError(
    'UNSUPPORTED_MODEL',
    'A key or an index on Spanner is made of columns, not of expressions.',
    {
      fix: 'Declare a column with generatedAlwaysAs(…), and index that; desc(column) turns the order.',
    },
  )
}

/** The configuration of an index. */
interface IndexConfig<Columns extends Column = SpannerColumn> {
  readonly name: string | undefined
  readonly columns: readonly OrderedColumn<Columns>[]
  readonly unique: boolean
  readonly nullFiltered: boolean
  readonly notNull: readonly Columns[]
  readonly storing: readonly Columns[]
  readonly interleaveIn: Table | undefined
  readonly shard: { readonly shards: number; readonly of: readonly Columns[] } | undefined
}

interface IndexShardOptions<Columns extends Column> {
  readonly shards: number
  readonly of: readonly Columns[]
}

const INDEX_NAME = text("'users_by_name'")
const SHARD: OptionKinds<IndexShardOptions<Column>> = {
  shards: required(wholeNumber(1, 10_000)),
  of: required(someColumns),
}

/** An index that is being declared. */
export class IndexBuilder<Columns extends Column = SpannerColumn> {
  static readonly [entityKind]: string = 'SpannerIndexBuilder'
  readonly #config: IndexConfig<Columns>

  constructor(config: IndexConfig<Columns>) {
    this.#config = config
  }

  /** Stores additional columns in the index, so that a query need not go back to the table. */
  storing(...columns: readonly [Columns, ...Columns[]]): IndexBuilder<Columns> {
    checkArgument('index', 'storing', someColumns, columns)
    return this.#with({ storing: columns })
  }

  /** Leaves rows out in which any column of the index is NULL. */
  nullFiltered(): IndexBuilder<Columns> {
    return this.#with({ nullFiltered: true })
  }

  /** Leaves rows out in which one of these columns, each of them one of the index's own, is NULL. */
  whereNotNull(...columns: readonly [Columns, ...Columns[]]): IndexBuilder<Columns> {
    checkArgument('index', 'whereNotNull', someColumns, columns)
    return this.#with({ notNull: columns })
  }

  /** Keeps the index's entries in the rows of the table's parent, or of an ancestor, whose key it starts with. */
  interleaveIn(table: Table): IndexBuilder<Columns> {
    checkArgument('index', 'interleaveIn', aTable, table)
    return this.#with({ interleaveIn: table })
  }

  /**
   * Puts a shard in front of the index: for an index over a timestamp, which would take all writes in one key range.
   *
   * @example
   * index('events_by_time').on(desc(t.at)).shard({ shards: 16, of: [t.id] })
   */
  shard(options: IndexShardOptions<Columns>): IndexBuilder<Columns> {
    checkOptions('index.shard', SHARD, options)
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
    if (name !== undefined) checkArgument(unique ? 'uniqueIndex' : 'index', 'name', INDEX_NAME, name)
    this.#name = name
    this.#unique = unique
    this.#ordered = ordered
  }

  /** @throws {IsothermError} `UNSUPPORTED_MODEL` for an expression. */
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
