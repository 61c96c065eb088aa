import { sqlFor } from '@isotherm/core/tools'
import { type Dialect, type Finding, IsothermError, type Schema, type SqlDialect } from '@isotherm/core'
import { excerpt } from '@isotherm/migrations'
import { CommandError } from '../../command-error.js'
import { withSql } from '../../project/needs.js'
import { declarationsOf } from '../source/declaration.js'
import type { DrizzleSyntax } from './drizzle-syntax.js'
import type { ModelFile } from '../source/source-text.js'
import { googleSqlSyntax } from './googlesql.js'
import { drizzleNames } from './naming.js'
import { postgreSqlSyntax } from './postgresql.js'
import { drizzleIndex, drizzleSchema, relationsSource } from './schema-source.js'

/**
 * Refuses declarations that models support and Drizzle's tables do not: if they were left out, the next migration would
 * drop them.
 *
 * @throws {IsothermError} `UNSUPPORTED_OBJECT` with everything that is found.
 */
function refuseUndeclarableInDrizzle(schema: Schema, words: DrizzleSyntax): void {
  const { tables, sequences } = schema
  const found = [
    ...tables.flatMap((table) => [
      ...declarationsOf(table, { schema, dialect: words.dialect }).flatMap((declaration, at) => {
        const column = table.columns[at]!
        return problemLines(`${table.name}.${column.name}`, words.undeclarable(column, declaration))
      }),
      ...(table.opaqueColumns ?? []).map(
        ({ name }) => `${table.name}.${name} has a type that Isotherm does not model`,
      ),
      ...table.foreignKeys.flatMap((key) => problemLines(table.name, words.undeclarableKey(key))),
    ]),
    ...(schema.opaqueStatements ?? []).map(
      ({ create }) =>
        `${excerpt(sqlFor(create, words.dialect.name) ?? '', words.dialect, 60)} is a statement that Isotherm does not model`,
    ),
    ...sequences.flatMap((sequence) => problemLines(sequence.name, words.undeclarableSequence(sequence))),
  ]
  if (found.length === 0) return
  throw new IsothermError(
    'UNSUPPORTED_OBJECT',
    `Drizzle's tables cannot declare all of this database: ${found.join('; ')}.`,
    {
      fix: 'Pull it with --style tables or --style decorators: toDrizzle makes Drizzle tables of most such models.',
    },
  )
}

function problemLines(what: string, problem: string | undefined): readonly string[] {
  return problem === undefined ? [] : [`${what} ${problem}`]
}

const WORDS: Readonly<Record<string, (dialect: SqlDialect) => DrizzleSyntax>> = {
  googlesql: googleSqlSyntax,
  'spanner-postgresql': postgreSqlSyntax,
  postgresql: postgreSqlSyntax,
}

/**
 * How Drizzle's tables of a dialect are written.
 *
 * @throws {CommandError} `USAGE` for a dialect that Drizzle has no tables for.
 */
export function drizzleSyntax(dialect: Dialect): DrizzleSyntax {
  const words = WORDS[dialect.name]
  const fix = 'Use --style decorators or tables.'
  if (words) return words(withSql(dialect, 'Drizzle', fix))
  throw new CommandError('USAGE', `Drizzle has no tables for ${dialect.name}.`, { fix })
}

const TABLES = 'schema'
const RELATIONS = 'relations'

interface WriteDrizzleOptions {
  readonly words: DrizzleSyntax
  readonly inCircle: (table: string, other: string) => boolean
  readonly findings: readonly Finding[]
  /** Whether each column says its name: for a project with a `casing`, which renames those without one. */
  readonly isNamed: boolean
}

/**
 * Writes a schema as Drizzle tables: all of them in `schema.ts`, in an order in which each is declared before it is used;
 * the relations in `relations.ts`; and `index.ts` with the schema that `toSchema` makes of them.
 *
 * @throws {IsothermError} `UNSUPPORTED_OBJECT` for declarations that models support and Drizzle's tables do not.
 */
export function writeDrizzle(
  schema: Schema,
  { words, ...options }: WriteDrizzleOptions,
): readonly ModelFile[] {
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
