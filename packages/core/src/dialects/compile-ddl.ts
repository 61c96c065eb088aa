import type { Severity } from '../lint/rule.js'
import { refuseHotspots } from '../lint/run.js'
import { checkSchema } from '../model/checked.js'
import type { Schema } from '../model/schema.js'
import type { CqlTarget } from './cql/capabilities.js'
import type { DialectName } from './dialect.js'
import { dialectNamed } from './registry.js'

export interface CompileDdlOptions {
  readonly dialect: DialectName
  /** Whose CQL; of `cql` alone. Default: `cassandra`. */
  readonly target?: CqlTarget
  /** Another severity for lint rules, by their names: for a schema that was read from a database and is as it is. */
  readonly severity?: Readonly<Record<string, Severity>>
}

/**
 * The statements that make a schema, in the order in which they must run.
 *
 * @throws {HotspotError} where the schema would run hot and carries no exception.
 * @throws {IsothermError} `UNSUPPORTED` for what the dialect does not have.
 * @example
 * for (const statement of compileDdl(schema, { dialect: 'googlesql' })) console.log(statement)
 */
export function compileDdl(schema: Schema, options: CompileDdlOptions): string[] {
  const dialect = dialectNamed(options.dialect, options.target)
  checkSchema(schema)
  refuseHotspots(schema, { ...options, dialect: dialect.name })
  return dialect.ddl(
    schema,
    schema.tables.map((table) => dialect.layout(table, schema)),
  )
}
