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
  const { dialect, keyspace } = driver
  const ddl = (): Promise<string[]> => driver.readDdl(call)
  if (!driver.snapshot) {
    return readSchema(
      {
        query: (statement, types) => driver.query(statement, types, call),
        ddl,
        ...(keyspace !== undefined && { keyspace }),
      },
      dialect,
    )
  }
  // The catalogue takes several queries: they see one moment of it.
  const snapshot = await driver.snapshot(call)
  try {
    return await readSchema(
      {
        query: (statement, types) => snapshot.query(statement, types, call),
        ddl,
      },
      dialect,
    )
  } finally {
    snapshot.close()
  }
}
