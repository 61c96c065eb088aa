import type { CqlTarget } from '../dialects/cql/capabilities.js'
import { sqlOf, type Dialect, type DialectName } from '../dialects/dialect.js'
import { dialectNamed } from '../dialects/registry.js'
import { checkSchema } from '../model/checked.js'
import type { Schema } from '../model/schema.js'
import { diffKeyspaces } from './cql/diff-keyspace.js'
import { DiffContext } from './diff/context.js'
import { refuseTakenNames } from './diff/names-in-use.js'
import { diffChangeStreams, diffNamespaces, diffSequences } from './diff/objects.js'
import { renameColumns, renameTables } from './diff/renamed.js'
import { diffTables } from './diff/tables.js'
import { diffViews } from './diff/views.js'
import { sameInDatabase, sameQueryInDatabase } from './engine-words.js'
import { sameTokens } from './expressions.js'
import { laidOut, physicalSchema, type LaidOut } from './physical-schema.js'
import type { Renames } from './renames.js'
import type { SchemaDiff } from './schema-diff.js'

export type { SchemaDiff } from './schema-diff.js'

export interface DiffOptions {
  readonly dialect: DialectName
  /** Whose CQL; of `cql` alone. Default: `cassandra`. */
  readonly target?: CqlTarget
  readonly renames?: Renames
  /** Tables, by their names, that neither schema is asked about: those that somebody else keeps. */
  readonly ignore?: (table: string) => boolean
  /**
   * Whether the first schema was read from a database: then expressions are compared as the database rewrites them, and what
   * it does not give back is left out. Default: false.
   */
  readonly live?: boolean
  /**
   * The schemas that were there before the first one, oldest first: CQL remembers columns that went, and takes none of their
   * names for another kind of column. Default: none are known.
   */
  readonly earlier?: readonly Schema[]
}

/**
 * What has to happen to a database with one schema so that it has another: compared is what lies in the database, not what
 * only a model or a client knows.
 *
 * @throws {IsothermError} `UNSUPPORTED` for an expression that is given for other dialects only.
 * @example
 * const { changes, refusals } = diffSchemas(snapshot, schema, { dialect: 'googlesql' })
 * for (const change of changes) console.log(describeChange(change))
 */
export function diffSchemas(from: Schema, to: Schema, options: DiffOptions): SchemaDiff {
  const dialect = dialectNamed(options.dialect, options.target)
  return compare(...bothLaidOut(from, to, dialect, options), dialect, options)
}

export function bothLaidOut(
  from: Schema,
  to: Schema,
  dialect: Dialect,
  { ignore }: Pick<DiffOptions, 'ignore'>,
): [from: LaidOut, to: LaidOut] {
  checkSchema(from)
  checkSchema(to)
  const after = laidOut(ignore ? without(to, ignore) : to, dialect)
  return [laidOut(ignore ? without(from, ignore) : from, dialect, after), after]
}

function without(schema: Schema, ignore: (table: string) => boolean): Schema {
  const { tables, changeStreams } = schema
  return {
    ...schema,
    tables: tables.filter(({ name }) => !ignore(name)),
    changeStreams: changeStreams.map((stream) =>
      stream.watch === 'all'
        ? stream
        : { ...stream, watch: stream.watch.filter(({ table }) => !ignore(table)) },
    ),
  }
}

export function compare(
  before: LaidOut,
  after: LaidOut,
  dialect: Dialect,
  { renames = {}, live = false, earlier = [] }: Pick<DiffOptions, 'renames' | 'live' | 'earlier'>,
): SchemaDiff {
  if (dialect.cql)
    return diffKeyspaces(before, after, dialect.cql, {
      renames,
      live,
      earlier: () => earlier.map((schema) => laidOut(schema, dialect)),
    })
  const { name } = sqlOf(dialect, 'A comparison of schemas')
  const context = new DiffContext(
    dialect,
    live
      ? { same: sameInDatabase(name), sameQuery: sameQueryInDatabase(name), live }
      : { same: sameTokens(name), sameQuery: sameTokens(name), live },
  )
  const to = physicalSchema(after, dialect)
  const old = physicalSchema(before, dialect, { laidOut: after, physical: to })
  const { schema: from, renamed } = renameTables(context, old, to, renames)
  const tables = diffTables(context, from, to, renameColumns(context, from, to, renames))
  diffNamespaces(context, from, to)
  diffSequences(context, from, to)
  diffChangeStreams(context, from, to)
  diffViews(context, from, to, { ...tables, renamed })
  refuseTakenNames(context, old, to)
  return { changes: context.changes, refusals: context.refusals }
}
