import type { Schema } from '@isotherm/core'
import { CommandError } from '../command-error.js'
import type { DrizzleConfig } from '../config/config.js'
import type { Settings } from '../config/settings.js'
import { installation, missingPackage } from '../engines.js'

// Everything that the command knows about Drizzle, except what `pull` writes.

/** The parts of `@isotherm/drizzle-adapter` that the command needs. */
interface DrizzleAdapter {
  toSchema(declarations: readonly unknown[], options: DrizzleConfig): Schema
  /** A decorated model as a table. */
  toDrizzle(model: object): object
}

/** The Drizzle support of a dialect. */
interface DrizzleDialect {
  /** The entry of the adapter. Not imported by a name that TypeScript sees: only the project's own copy is used. */
  readonly entry: string
  /** The functions that declare tables. */
  readonly declaredWith: string
  /** Drizzle's names for the kinds of declarations. */
  readonly kinds: readonly string[]
  /** A first model. */
  readonly model: string
}

/** Of Spanner's PostgreSQL dialect, and of PostgreSQL itself. */
const PG_TABLES: DrizzleDialect = {
  entry: '@isotherm/drizzle-adapter/postgresql',
  declaredWith: 'pgTable',
  kinds: ['PgTable', 'PgView', 'PgMaterializedView', 'PgSequence', 'PgSchema'],
  model: `import { descTimestamp, shardKey } from '@isotherm/drizzle-adapter/postgresql'
import { bigint, pgTable, varchar } from 'drizzle-orm/pg-core'

export const userAccessLog = pgTable('user_access_log', {
  shardId: shardKey('shard_id', { shards: 64, of: ['userId'] }),
  lastAccess: descTimestamp('last_access', { default: 'now' }),
  userId: bigint('user_id', { mode: 'bigint' }).primaryKey(),
  page: varchar({ length: 1024 }),
})
`,
}

const DIALECTS: Readonly<Record<string, DrizzleDialect>> = {
  googlesql: {
    entry: '@isotherm/drizzle-adapter',
    declaredWith: 'spannerTable',
    kinds: ['SpannerTable', 'SpannerView', 'SpannerSequence', 'SpannerSchema'],
    model: `import { descTimestamp, int64, shardKey, spannerTable, string } from '@isotherm/drizzle-adapter'

export const userAccessLog = spannerTable('UserAccessLog', {
  shardId: shardKey({ shards: 64, of: ['userId'] }),
  lastAccess: descTimestamp({ default: 'now' }),
  userId: int64().primaryKey(),
  page: string({ length: 1024 }),
})
`,
  },
  'spanner-postgresql': PG_TABLES,
  postgresql: PG_TABLES,
}

/** Where Drizzle's own documentation has it. */
export const DRIZZLE_MODELS = 'src/db/schema.ts'

/** The versions that the adapter is for: the newest may be of another kind. */
export const DRIZZLE_PACKAGES = ['@isotherm/drizzle-adapter', 'drizzle-orm@0.45']

/** The first model of a dialect, as Drizzle tables; undefined for a dialect without Drizzle tables. */
export function drizzleModel(dialect: string): string | undefined {
  return DIALECTS[dialect]?.model
}

/**
 * The project's own copy of the package, which its tables are made with.
 *
 * @param example a table that needs it
 * @throws {CommandError} `NOT_INSTALLED` if the project does not have it.
 */
export async function loadDrizzleAdapter(
  example: { readonly file: string; readonly name: string },
  dialect: string,
  directory: string,
): Promise<DrizzleAdapter> {
  try {
    return (await import(DIALECTS[dialect]!.entry)) as DrizzleAdapter
  } catch (cause) {
    const missing = missingPackage(cause)
    if (missing === undefined) throw cause
    throw new CommandError(
      'NOT_INSTALLED',
      `${example.name}, which ${example.file} exports, is of Drizzle, and ${missing} is not installed in ${directory}.`,
      { fix: installation(missing), cause },
    )
  }
}

// Drizzle's own symbols, by which a table of any copy of Drizzle is recognised without loading one.

const KIND = Symbol.for('drizzle:entityKind')
const MARKS = [Symbol.for('drizzle:IsDrizzleTable'), Symbol.for('drizzle:IsDrizzleView')]

/** The declarations that Drizzle makes for a schema: a table, a view, a sequence or a named schema. */
interface DrizzleDeclaration {
  /** Those that can have it; none for one of a database that the adapter is not for. */
  readonly dialects: readonly string[]
  /** Drizzle's word for it: `PgTable`. */
  readonly kind: string
}

/** Undefined for other values, such as relations. */
export function drizzleDeclaration(value: unknown): DrizzleDeclaration | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const kinds = kindsOf(value)
  const isOf = (dialect: string) => (kind: string) => DIALECTS[dialect]!.kinds.includes(kind)
  const dialects = Object.keys(DIALECTS).filter((dialect) => kinds.some(isOf(dialect)))
  const [dialect] = dialects
  if (dialect !== undefined) return { dialects, kind: kinds.find(isOf(dialect))! }
  const [kind] = kinds
  return kind !== undefined && MARKS.some((mark) => mark in value) ? { dialects, kind } : undefined
}

/** The kinds of its class and of its base classes. */
function kindsOf(value: object): string[] {
  const kinds: string[] = []
  const prototype = Object.getPrototypeOf(value) as { readonly constructor?: unknown } | null
  for (let at: unknown = prototype?.constructor; typeof at === 'function'; at = Object.getPrototypeOf(at)) {
    const kind: unknown = Object.hasOwn(at, KIND) ? Reflect.get(at, KIND) : undefined
    if (typeof kind === 'string') kinds.push(kind)
  }
  return kinds
}

/** An export of a module, and its name. */
export interface Exported {
  /** The module, relative to the project. */
  readonly file: string
  readonly name: string
  readonly value: unknown
}

export function ofAnotherDialect(
  { file, name, value }: Exported,
  dialect: Settings['dialect'],
): CommandError {
  const { dialects, kind } = drizzleDeclaration(value)!
  const what = `${name}, which ${file} exports, is a ${kind} of Drizzle`
  if (dialects.length === 0) {
    return new CommandError('MODELS', `${what} for another database than Cloud Spanner or PostgreSQL.`, {
      fix: `Declare it with spannerTable of @isotherm/drizzle-adapter, or with pgTable for the PostgreSQL dialect and for PostgreSQL. Or name the modules of the right ones: schema, or --schema.`,
    })
  }
  return new CommandError('MODELS', `${what}, and the dialect is ${dialect}.`, {
    fix: `Tables of that dialect are declared with ${DIALECTS[dialect!]?.declaredWith ?? 'defineTable or @Table, and not with Drizzle'}. Or set the dialect ${dialects.join(' or ')}.`,
  })
}
