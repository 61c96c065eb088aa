import { known } from '@isotherm/core/adapter'
import type { Dialect, Finding, Schema, TableSchema } from '@isotherm/core'
import type { DrizzleConfig, LintConfig } from '../config/config.js'
import type { ModelStyle } from '../project/first-project.js'
import { adoptFindings, lintErrors } from './adopted-findings.js'
import { drizzleSyntax, writeDrizzle } from './drizzle/write-drizzle.js'
import { refuseUndeclarable, withoutForeignShards } from './source/undeclarable.js'
import { withImmutableHashed } from './source/hashing.js'
import type { ModelFile } from './source/source-text.js'
import { modelNames, propertyNames, renamedSchema, userTypeNames } from './source/naming.js'
import { INDEX, schemaSource, userTypeSource } from './source/schema-source.js'
import { tableSource } from './source/table-source.js'

/** Tells whether two tables refer to each other, directly or through other tables. */
function circlesOf({ tables }: Schema): (table: string, other: string) => boolean {
  const direct = new Map(tables.map((table) => [table.name, referredBy(table)]))
  const reached = new Map<string, ReadonlySet<string>>()
  const reachedFrom = (start: string): ReadonlySet<string> => {
    const known = reached.get(start)
    if (known) return known
    const seen = new Set(direct.get(start))
    // The set grows while it is iterated; the loop also visits the added tables.
    for (const next of seen) for (const each of direct.get(next) ?? []) seen.add(each)
    reached.set(start, seen)
    return seen
  }
  return (table, other) => reachedFrom(table).has(other) && reachedFrom(other).has(table)
}

function referredBy({ name, parent, foreignKeys, indexes }: TableSchema): readonly string[] {
  const named = [
    ...(parent ? [parent.table] : []),
    ...foreignKeys.map(({ table }) => table),
    ...indexes.flatMap(({ interleaveIn }) => interleaveIn ?? []),
  ]
  return named.filter((table) => table !== name)
}

interface WriteModelsOptions {
  /** The dialect that the schema was read in: its SQL is for that one. */
  readonly dialect: Dialect
  /** Decorated classes, `defineTable`, or Drizzle tables. */
  readonly style: ModelStyle
  /** The severities of the project. */
  readonly severity?: LintConfig['severity']
  /** Whether each lint error is suppressed, with the reason that it was there before: see `adoptFindings`. */
  readonly adopts?: boolean
  /** The `casing` of a project with Drizzle, which would rename columns that do not say their name. */
  readonly casing?: DrizzleConfig['casing']
}

/**
 * The schema of a database with the properties of its models.
 *
 * @throws {IsothermError} `UNSUPPORTED_OBJECT` naming each table and column that models cannot declare.
 */
export function modelSchema(found: Schema, dialect: Dialect): Schema {
  return withImmutableHashed(schemaToWrite(found, dialect), dialect)
}

/** The same without the promises that are new: each of them is remarked on. */
function schemaToWrite(found: Schema, dialect: Dialect): Schema {
  const whole = withoutForeignShards(found, dialect)
  refuseUndeclarable(whole, dialect)
  return renamedSchema(whole, propertyNames(whole))
}

interface WrittenModels {
  readonly files: readonly ModelFile[]
  /** The lint errors of these models: with `adopts`, those that the models list as suppressions. */
  readonly errors: readonly Finding[]
}

/**
 * Writes a schema as models: a file for each table (one file for all Drizzle tables), and `index.ts` with the schema of all
 * of them. Properties are in camel case and keep the names of their columns; lint errors are written as a comment above
 * their table.
 *
 * @throws {IsothermError} `UNSUPPORTED_OBJECT` naming each table and column that models cannot declare.
 * @example
 * const { files } = writeModels(await introspect({ driver }), { dialect: googlesql, style: 'decorators' })
 * for (const { path, text } of files) await writeFile(join('src/models', path), text)
 */
export function writeModels(live: Schema, options: WriteModelsOptions): WrittenModels {
  const found = schemaToWrite(live, options.dialect)
  const errors = lintErrors(found, options)
  const schema = options.adopts === true ? adoptFindings(found, errors) : found
  return { files: filesOf(schema, errors, options), errors }
}

function filesOf(
  schema: Schema,
  findings: readonly Finding[],
  { dialect, style, casing }: WriteModelsOptions,
): readonly ModelFile[] {
  const inCircle = circlesOf(schema)
  if (style === 'drizzle')
    return writeDrizzle(schema, {
      words: drizzleSyntax(dialect),
      inCircle,
      findings,
      isNamed: casing !== undefined,
    })
  const models = modelNames(schema)
  const types = userTypeNames(schema, models)
  const context = { dialect, style, schema, models, types, inCircle, findings }
  const files = schema.tables.map((table) => ({
    path: `${known(models, table.name).path}.ts`,
    text: tableSource(table, context),
  }))
  const typeFiles = (schema.userTypes ?? []).map((type) => ({
    path: `${known(types, type.name).path}.ts`,
    text: userTypeSource(type, style, types),
  }))
  return [...files, ...typeFiles, { path: `${INDEX}.ts`, text: schemaSource(schema, models, types) }]
}
