import { IsothermError } from '@isotherm/core'
import { Column, is, Name, SQL, type Casing, type SQLChunk } from 'drizzle-orm'
import { CasingCache } from 'drizzle-orm/casing'
import { withChunks } from '../drizzle-internals.js'
import type { DdlWords } from '../schema/table-kind.js'
import { codecOf } from './columns/codec.js'
import { literal } from './literals.js'
import { render } from './sql/render.js'

/** What tables are called, and what their SQL says, in DDL. */
export class PostgreSqlWords implements DdlWords {
  readonly #casing: CasingCache

  constructor(casing: Casing | undefined) {
    this.#casing = new CasingCache(casing)
  }

  columnName(column: Column): string {
    return this.#casing.getColumnCasing(column)
  }

  /** @throws {IsothermError} `UNSUPPORTED` for a placeholder. */
  expression(sql: SQL): string {
    const bare = (this.#bare(sql) as SQL).inlineParams()
    const { sql: text, params } = render(bare, (column) => this.columnName(column))
    if (params.length === 0) return text
    throw new IsothermError('UNSUPPORTED', 'A placeholder stands where a schema needs a value.', {
      fix: 'Write the value itself.',
    })
  }

  valueOf(column: Column, value: unknown): string {
    if (is(value, SQL)) return this.expression(value)
    const codec = codecOf(column)
    const wire = codec.encode(value)
    return is(wire, SQL) ? this.expression(wire) : literal(wire, codec.type)
  }

  /** Columns stand without their table. */
  #bare(chunk: SQLChunk): SQLChunk {
    if (is(chunk, Column)) return new Name(this.columnName(chunk))
    if (Array.isArray(chunk)) return chunk.map((each) => this.#bare(each))
    if (!is(chunk, SQL)) return chunk
    return withChunks(
      chunk,
      chunk.queryChunks.map((each) => this.#bare(each)),
    )
  }
}
