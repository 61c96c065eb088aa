import { lint, type DialectName, type Schema } from '@isotherm/core'
import { circlesOf } from './circles.js'
import { withoutForeignShards } from './foreign-shards.js'
import { modelNames, propertyNames } from './naming.js'
import { renamedSchema } from './renamed-schema.js'
import { INDEX, schemaSource } from './schema-source.js'
import { tableSource, type ModelStyle } from './table-source.js'
import { refuseUndeclarable } from './undeclarable.js'

export interface WriteModelsOptions {
  /** The dialect that the schema was read in: its SQL is for that one. */
  readonly dialect: DialectName
  /** Decorated classes, or `defineTable`. */
  readonly style: ModelStyle
}

export interface ModelFile {
  /** From the folder of the models, with slashes: `sales/order.ts`. */
  readonly path: string
  readonly text: string
}

/**
 * What a database has, as its models will have it: in their properties.
 *
 * @throws {IsothermError} `UNSUPPORTED` naming each table and column, for what a database has and models cannot declare.
 */
export function modelSchema(found: Schema, dialect: DialectName): Schema {
  const whole = withoutForeignShards(found, dialect)
  refuseUndeclarable(whole, dialect)
  return renamedSchema(whole, propertyNames(whole))
}

/**
 * Writes a schema as models: a file for each table, and `index.ts` with the schema of all of them. Properties are in camel
 * case and keep the names of their columns; what the lint calls an error stands in a comment above its table, and is left to
 * whoever reads it to mend or to except.
 *
 * @throws {IsothermError} `UNSUPPORTED` naming each table and column, for what a database has and models cannot declare.
 * @example
 * for (const { path, text } of writeModels(await introspect({ driver }), { dialect: 'googlesql', style: 'decorators' }))
 *   await writeFile(join('src/models', path), text)
 */
export function writeModels(found: Schema, options: WriteModelsOptions): readonly ModelFile[] {
  const schema = modelSchema(found, options.dialect)
  const models = modelNames(schema)
  const findings = lint(schema, { dialect: options.dialect }).filter(({ severity }) => severity === 'error')
  const context = { ...options, schema, models, inCircle: circlesOf(schema), findings }
  const files = schema.tables.map((table) => ({
    path: `${models.get(table.name)!.path}.ts`,
    text: tableSource(table, context),
  }))
  return [...files, { path: `${INDEX}.ts`, text: schemaSource(schema, models) }]
}
