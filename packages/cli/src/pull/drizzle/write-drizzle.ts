import type { SqlDialect, Finding, Schema } from '@isotherm/core'
import type { ModelFile } from '../model-file.js'
import { googleSqlWords } from './googlesql.js'
import { drizzleNames } from './naming.js'
import { postgreSqlWords } from './postgresql.js'
import { relationsSource } from './relations-source.js'
import { drizzleIndex, drizzleSchema } from './schema-source.js'
import { refuseUndeclarableInDrizzle } from './undeclarable.js'

const TABLES = 'schema'
const RELATIONS = 'relations'

export interface WriteDrizzleOptions {
  readonly dialect: SqlDialect
  readonly inCircle: (table: string, other: string) => boolean
  readonly findings: readonly Finding[]
  /** Whether each column says its name: for a project with a `casing`, which renames those without one. */
  readonly isNamed: boolean
}

/**
 * Writes a schema as Drizzle tables: all of them in `schema.ts`, so that none is needed before it is there; what queries can
 * follow in `relations.ts`; and `index.ts` with the schema that `toSchema` makes of them.
 *
 * @throws {IsothermError} `UNSUPPORTED` for what models can say and Drizzle's tables cannot.
 */
export function writeDrizzle(
  schema: Schema,
  { dialect, ...options }: WriteDrizzleOptions,
): readonly ModelFile[] {
  const words = dialect === 'googlesql' ? googleSqlWords : postgreSqlWords
  refuseUndeclarableInDrizzle(schema, words)
  const names = drizzleNames(schema)
  const context = { ...options, schema, words, names }
  const relations = relationsSource(schema, names, `./${TABLES}.js`)
  const files = [...(relations === undefined ? [] : [RELATIONS]), TABLES]
  return [
    { path: `${TABLES}.ts`, text: drizzleSchema(context) },
    ...(relations === undefined ? [] : [{ path: `${RELATIONS}.ts`, text: relations }]),
    { path: 'index.ts', text: drizzleIndex(context, files) },
  ]
}
