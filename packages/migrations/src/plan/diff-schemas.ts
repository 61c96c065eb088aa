import {
  IsothermError,
  type OptionKinds,
  type Schema,
  callback,
  checkOptions,
  flag,
  listOf,
  recordOf,
  text,
  options,
} from '@isotherm/core/engine'
import {
  type Dialect,
  type LaidOut,
  type RecordedSql,
  type RenameCandidate,
  type Renames,
  SCHEMA,
  type SchemaDiff,
  type SchemaDiffer,
  checkSchema,
  checkShape,
  dialectOption,
  hasSql,
} from '@isotherm/core/tools'
import { sqlDiffer } from '../diff/sql-differ.js'
import { RECORDED } from '../options.js'

/**
 * How schemas of a dialect are compared: by its own differ, or as those of SQL.
 *
 * @throws {IsothermError} `UNSUPPORTED_FEATURE` for a dialect that has neither.
 */
export function differOf(dialect: Dialect): SchemaDiffer {
  if (dialect.differ) return dialect.differ
  if (hasSql(dialect)) return sqlDiffer(dialect)
  throw new IsothermError(
    'UNSUPPORTED_FEATURE',
    `Schemas of the dialect ${dialect.name} cannot be compared: it has no SQL and no differ.`,
    { fix: 'Use a dialect with the property sql or differ.' },
  )
}

/** The option `renames`. */
const RENAMES: OptionKinds<Renames> = {
  tables: recordOf(text("'Client'")),
  columns: recordOf(recordOf(text("'mail'"))),
}

export interface DiffOptions {
  readonly dialect: Dialect
  readonly renames?: Renames
  /** Tables, by their names, that are left out of the comparison: those that another tool manages. */
  readonly ignore?: (table: string) => boolean
  /**
   * Whether the first schema was read from a database: then the comparison leaves out what the database does not return.
   * Default: false.
   */
  readonly live?: boolean
  /**
   * The database's wording of the SQL in its models, as `recordedSql` reads it; for `live`. A text that is not recorded
   * counts as the database returns it. Default: nothing is recorded.
   */
  readonly recorded?: readonly RecordedSql[]
  /**
   * The schemas that were there before the first one, oldest first: some engines remember columns that were dropped, and refuse
   * their names for another kind of column. Default: none are known.
   */
  readonly earlier?: readonly Schema[]
}

export const DIFF_OPTIONS: OptionKinds<DiffOptions> = {
  dialect: dialectOption,
  renames: options(RENAMES),
  ignore: callback,
  live: flag,
  recorded: RECORDED,
  earlier: listOf(SCHEMA, 'a list of schemas'),
}

/**
 * The changes that turn a database with one schema into a database with another: it compares what the database stores, not
 * what only a model or a client knows.
 *
 * @throws {IsothermError} `UNSUPPORTED_MODEL` for features of the second schema that the dialect does not have, and for an
 * expression that is given for other dialects only.
 * @example
 * const { changes, refusals } = diffSchemas(snapshot, schema, { dialect: googlesql })
 * for (const change of changes) console.log(describeChange(change))
 */
export function diffSchemas(from: Schema, to: Schema, options: DiffOptions): SchemaDiff {
  checkShape('diffSchemas', from, to)
  checkOptions('diffSchemas', DIFF_OPTIONS, options)
  const differ = differOf(options.dialect)
  const [before, after] = bothLaidOut(from, to, differ, options)
  options.dialect.refuseUnsupported(after.schema, after.layouts)
  return compare(before, after, differ, options)
}

export function bothLaidOut(
  from: Schema,
  to: Schema,
  differ: SchemaDiffer,
  { ignore }: Pick<DiffOptions, 'ignore'>,
): [from: LaidOut, to: LaidOut] {
  checkSchema(from)
  checkSchema(to)
  const after = differ.layOut(ignore ? without(to, ignore) : to)
  return [differ.layOut(ignore ? without(from, ignore) : from, after), after]
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
  differ: SchemaDiffer,
  { renames = {}, live = false, recorded, earlier = [] }: Omit<DiffOptions, 'dialect' | 'ignore'>,
): SchemaDiff {
  return differ.diff(before, after, { renames, live, earlier, ...(recorded && { recorded }) })
}

type CompareOptions = Pick<DiffOptions, 'dialect' | 'ignore' | 'recorded'>

const COMPARE_OPTIONS: OptionKinds<CompareOptions> = {
  dialect: DIFF_OPTIONS.dialect,
  ignore: DIFF_OPTIONS.ignore,
  recorded: DIFF_OPTIONS.recorded,
}

/**
 * The differences between a live database and the expected schema: the changes that would make the database match. It has
 * drifted if there are any changes or refusals.
 *
 * If a database returns expressions in its own wording, as the PostgreSQL dialect does, `recorded` gives that wording;
 * without it the expressions differ from the model's, and are reported as changes. What an engine may not return is left
 * out: the filters of indexes if it reports none, which columns are hidden, and how clients compute shards and hashes,
 * except the range of the shards.
 *
 * @param live the result of `introspect`
 * @throws {IsothermError} `UNSUPPORTED_MODEL` for an expression that is given for other dialects only.
 * @example
 * const live = await introspect({ driver, dialect: googlesql })
 * const { changes, refusals } = compareWithLive(schema, live, { dialect: googlesql })
 */
export function compareWithLive(expected: Schema, live: Schema, options: CompareOptions): SchemaDiff {
  checkShape('compareWithLive', expected, live)
  checkOptions('compareWithLive', COMPARE_OPTIONS, options)
  return diffSchemas(live, expected, { ...options, live: true })
}

type CandidateOptions = Pick<DiffOptions, 'dialect'>

const CANDIDATE_OPTIONS: OptionKinds<CandidateOptions> = {
  dialect: DIFF_OPTIONS.dialect,
}

/**
 * Tables and columns that may have been renamed: one vanished and another of the same shape appeared. The most likely come
 * first; only the author of the models knows which it is.
 *
 * Columns are looked for in tables that keep their names: ask for the columns of a table that was renamed once it was.
 *
 * @example
 * renameCandidates(snapshot, schema, { dialect: googlesql })
 * // [{ kind: 'column', table: 'Customer', from: 'email', to: 'mail', likeness: 0.8 }]
 */
export function renameCandidates(from: Schema, to: Schema, options: CandidateOptions): RenameCandidate[] {
  checkShape('renameCandidates', from, to)
  checkOptions('renameCandidates', CANDIDATE_OPTIONS, options)
  const differ = differOf(options.dialect)
  const after = differ.layOut(to)
  return [...differ.renameCandidates(differ.layOut(from, after), after)]
}
