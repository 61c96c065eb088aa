import { lint, type CqlTarget, type DialectName, type Schema } from '@isotherm/core'
import { spannerOnly } from '../project/spanner-only.js'
import type { DrizzleConfig } from '../config/config.js'
import type { ModelStyle } from '../first-project.js'
import { circlesOf } from './circles.js'
import { writeDrizzle } from './drizzle/write-drizzle.js'
import { withoutForeignShards } from './foreign-shards.js'
import { withImmutableHashed } from './hashing.js'
import type { ModelFile } from './model-file.js'
import { modelNames, propertyNames, userTypeNames } from './naming.js'
import { renamedSchema } from './renamed-schema.js'
import { INDEX, schemaSource } from './schema-source.js'
import { tableSource } from './table-source.js'
import { refuseUndeclarable } from './undeclarable.js'
import { userTypeSource } from './user-type-source.js'

export interface WriteModelsOptions {
  /** The dialect that the schema was read in: its SQL is for that one. */
  readonly dialect: DialectName
  /** Whose CQL; of `cql` alone. */
  readonly target?: CqlTarget | undefined
  /** Decorated classes, `defineTable`, or Drizzle tables. */
  readonly style: ModelStyle
  /** The `casing` of a project with Drizzle, which would rename columns that do not say their name. */
  readonly casing?: DrizzleConfig['casing']
}

/**
 * What a database has, as its models will have it: in their properties.
 *
 * @throws {IsothermError} `UNSUPPORTED` naming each table and column, for what a database has and models cannot declare.
 */
export function modelSchema(found: Schema, dialect: DialectName): Schema {
  return withImmutableHashed(schemaToWrite(found, dialect), dialect)
}

/** The same without the promises that are new: each of them is remarked on. */
function schemaToWrite(found: Schema, dialect: DialectName): Schema {
  const whole = withoutForeignShards(found, dialect)
  refuseUndeclarable(whole, dialect)
  return renamedSchema(whole, propertyNames(whole))
}

/**
 * Writes a schema as models: a file for each table (Drizzle tables have one for all), and `index.ts` with the schema of all of
 * them. Properties are in camel
 * case and keep the names of their columns; what the lint calls an error stands in a comment above its table, and is left to
 * whoever reads it to mend or to except.
 *
 * @throws {IsothermError} `UNSUPPORTED` naming each table and column, for what a database has and models cannot declare.
 * @example
 * for (const { path, text } of writeModels(await introspect({ driver }), { dialect: 'googlesql', style: 'decorators' }))
 *   await writeFile(join('src/models', path), text)
 */
export function writeModels(found: Schema, options: WriteModelsOptions): readonly ModelFile[] {
  const schema = schemaToWrite(found, options.dialect)
  const { dialect, target, style, casing } = options
  const findings = lint(schema, { dialect, target }).filter(({ severity }) => severity === 'error')
  const inCircle = circlesOf(schema)
  if (style === 'drizzle')
    return writeDrizzle(schema, {
      dialect: spannerOnly(dialect, 'Drizzle', 'Use --style decorators or tables.'),
      inCircle,
      findings,
      isNamed: casing !== undefined,
    })
  const models = modelNames(schema)
  const types = userTypeNames(schema, models)
  const context = { dialect, style, schema, models, types, inCircle, findings }
  const files = schema.tables.map((table) => ({
    path: `${models.get(table.name)!.path}.ts`,
    text: tableSource(table, context),
  }))
  const typeFiles = (schema.userTypes ?? []).map((type) => ({
    path: `${types.get(type.name)!.path}.ts`,
    text: userTypeSource(type, style, types),
  }))
  return [...files, ...typeFiles, { path: `${INDEX}.ts`, text: schemaSource(schema, models, types) }]
}
