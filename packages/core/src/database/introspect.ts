import { readSchema } from '../dialects/introspect.js'
import type { Schema } from '../model/schema.js'
import type { CallOptions, Driver } from './driver.js'

export interface IntrospectOptions extends CallOptions {
  readonly driver: Driver
}

/**
 * Reads a live database into a `Schema`, as `defineSchema` makes one of models: to lint it, to compile its DDL, to open it.
 * Properties have the names of their columns.
 *
 * @throws {IsothermError} `UNSUPPORTED` naming the table and the column, for what no schema holds.
 * @example
 * const schema = await introspect({ driver: spanner(database) })
 * console.log(lint(schema, { dialect: 'googlesql' }))
 */
export async function introspect({ driver, ...call }: IntrospectOptions): Promise<Schema> {
  // The catalogue takes several queries: they see one moment of it.
  const snapshot = await driver.snapshot(call)
  try {
    return await readSchema(
      {
        query: (statement, types) => snapshot.query(statement, types, call),
        ddl: () => driver.readDdl(call),
      },
      driver.dialect,
    )
  } finally {
    snapshot.close()
  }
}
