import { Column, Param, SQL, type SQLChunk, StringChunk, and, entityKind, is, or, sql } from 'drizzle-orm'
import {
  type NestedRelation,
  type RelationalConfig,
  type RelationalNode,
  relationalSchemaOf,
  scopedToNode,
} from '../../relational/plan.js'
import { spannerPostgresqlRuntime } from '@isotherm/spanner'
import {
  type Cells,
  type ResultColumn,
  type ResultSet,
  type Statement,
  type Wire,
  isComposite,
  paired,
  present,
} from '@isotherm/core/adapter'
import { type PreparedQuery, type RunRead, compileParameters } from '../../session/prepared.js'
import { codecOf } from '../columns/codec.js'
import type { SpannerPgDialect } from '../sql/dialect.js'
import { WireEncoder } from '../render/render.js'
import { FromSource } from '../../sql/sources.js'
import { RelationalReadQuery, type RelationalSetup, relationalRowMapper } from '../../relational/rows.js'
import type { Session } from '../../session/session.js'
import { columnDecoder } from '../session/prepared.js'

/**
 * The statement of one table of a relational query.
 *
 * @param keys columns that are read in addition to the fields, and put after them: they say which rows belong together
 * @param belongs selects the wanted rows
 */
function levelSql(node: RelationalNode, keys: readonly Column[], belongs?: SQL): SQL {
  const { table, fields, isOne, orderBy, limit, offset } = node
  const where = and(belongs, node.where)
  const selected = [...fields.map(({ field }) => (is(field, Column) ? field : expression(field))), ...keys]
  const chunks: SQLChunk[] = [
    new StringChunk('select '),
    sql.join(selected, sql`, `),
    new StringChunk(' from '),
    new FromSource(table, undefined, true),
  ]
  if (where) chunks.push(new StringChunk(' where '), where)
  if (orderBy.length > 0) chunks.push(new StringChunk(' order by '), sql.join([...orderBy], sql`, `))
  // Of nested rows, only the reader knows which are the first of theirs.
  const max = isOne && !belongs ? 1 : limit
  if (max !== undefined) chunks.push(sql` limit ${max}`)
  // Spanner skips rows only where it stops after some.
  else if (offset !== undefined) chunks.push(new StringChunk(' limit 9223372036854775807'))
  if (offset !== undefined) chunks.push(sql` offset ${offset}`)
  return scopedToNode(chunks, node)
}

function expression(field: SQL | SQL.Aliased): SQL {
  return is(field, SQL.Aliased) ? sql`${field.sql} as ${sql.identifier(field.fieldAlias)}` : field
}

/** Source: https://cloud.google.com/spanner/quotas#query-limits */
const MAX_PARAMETERS = 950
/** Operators count as functions, and a query may have at most 1,000; some are left for its own conditions. */
const MAX_OPERATORS = 800
/** Keys of one column are one parameter, an array. */
const MAX_KEYS = 5_000
/** Statements side by side, where each row around has one of its own. */
const MAX_AT_ONCE = 20

interface Level {
  readonly dialect: SpannerPgDialect
  readonly values: Values
}

interface Reading extends Level {
  readonly run: RunRead
  /** The columns of each table that has been read. */
  readonly types: Map<RelationalNode, readonly ResultColumn[]>
}

type Values = Readonly<Record<string, unknown>> | undefined

/** The rows of a relational query, each with its nested rows as arrays of structs after its fields. */
async function readNested(
  node: RelationalNode,
  run: RunRead,
  dialect: SpannerPgDialect,
  values: Values,
): Promise<ResultSet> {
  const types = new Map<RelationalNode, readonly ResultColumn[]>()
  const found = await readLevel(node, [], { dialect, values, run, types })
  return { columns: columnsOf(node, types), rows: found.map(({ cells }) => cells) }
}

/** The identity of a relational query: the statements of all its tables, without keys. */
function nestedIdentity(node: RelationalNode, dialect: SpannerPgDialect, values: Values): Statement {
  const statements = levelsOf(node, '').map(({ path, node: level }) => {
    const { text, parameters } = statementOf(level, [], { dialect, values }, undefined)
    return { text: `${path}: ${text}`, parameters }
  })
  return {
    text: statements.map(({ text }) => text).join('\n'),
    parameters: statements.flatMap(({ parameters }) => parameters),
  }
}

function levelsOf(node: RelationalNode, path: string): { path: string; node: RelationalNode }[] {
  return [
    { path: `${path} ${node.fields.map(({ name }) => name).join()}`, node },
    ...node.relations.flatMap(({ name, outer, inner, node: nested }) => {
      const keys = paired(outer, inner)
        .map((columns) => columns.map(({ name }) => name).join('='))
        .join()
      return levelsOf(nested, `${path}/${name}(${keys})${nested.isOne ? '?' : ''}`)
    }),
  ]
}

/** The columns of a relation's rows. A table that no row belongs to has not been asked for its columns. */
function columnsOf(
  node: RelationalNode,
  types: ReadonlyMap<RelationalNode, readonly ResultColumn[]>,
): ResultColumn[] {
  return [
    ...(types.get(node) ?? []).slice(0, node.fields.length),
    ...node.relations.map(({ name, node: nested }): ResultColumn => {
      return { name, type: { kind: 'array', of: { kind: 'struct', fields: columnsOf(nested, types) } } }
    }),
  ]
}

/** A row, and the columns by which it belongs to another. */
interface Found {
  readonly cells: Cells
  readonly key: string
}

async function readLevel(
  node: RelationalNode,
  inner: readonly Column[],
  reading: Reading,
  belongs?: SQL,
): Promise<readonly Found[]> {
  const { fields, relations } = node
  const outer = relations.map((relation) => relation.outer)
  const columns = [...outer.flat(), ...inner]
  const { rows, columns: types } = await reading.run(statementOf(node, columns, reading, belongs))
  reading.types.set(node, types)
  const keys = keysAfter(fields.length, [...outer, inner])
  const read = rows.map((row) => keys.map((each) => keyIn(row, each)))
  const nested = await Promise.all(
    relations.map((relation, at) => {
      const wanted = new Map(read.flatMap((each) => (each[at] ? [[each[at].text, each[at].wires]] : [])))
      return readRelation(relation, wanted, reading)
    }),
  )
  return paired(rows, read).map(([row, found]) => ({
    cells: [
      ...row.slice(0, fields.length),
      ...nested.map((each, at) => each.get(found[at]?.text ?? '') ?? []),
    ],
    key: found.at(-1)?.text ?? '',
  }))
}

interface PlacedKey {
  readonly at: number
  readonly columns: readonly Column[]
}

function keysAfter(start: number, groups: readonly (readonly Column[])[]): PlacedKey[] {
  let at = start
  return groups.map((columns) => {
    const placed = { at, columns }
    at += columns.length
    return placed
  })
}

interface Key {
  readonly text: string
  readonly wires: readonly Wire[]
}

/** Undefined where some of it is NULL, which belongs to nothing. */
function keyIn(row: Cells, { at, columns }: PlacedKey): Key | undefined {
  const cells = row.slice(at, at + columns.length)
  if (cells.includes(null)) return undefined
  const wires = columns.map((column, index) => codecOf(column).wireOf(cells[index]))
  return { text: JSON.stringify(wires), wires }
}

/** Nested rows by the key of the row that they belong to. */
async function readRelation(
  { inner, node }: NestedRelation,
  wanted: ReadonlyMap<string, readonly Wire[]>,
  reading: Reading,
): Promise<ReadonlyMap<string, readonly Cells[]>> {
  const keys = [...wanted.values()]
  const read = (some: readonly (readonly Wire[])[]): Promise<readonly Found[]> =>
    readLevel(node, inner, reading, belonging(inner, some))
  const found: Found[] = []
  for (const group of groupsOf(keys, node, inner, reading)) {
    for (const rows of await Promise.all(group.map(read))) for (const row of rows) found.push(row)
  }
  const byKey = new Map<string, Cells[]>()
  for (const { key, cells } of found) {
    const others = byKey.get(key)
    if (!others) byKey.set(key, [cells])
    else if (!node.isOne) others.push(cells)
  }
  return byKey
}

type Chunk = readonly (readonly Wire[])[]

/**
 * Keys of one statement each, in groups of statements that run side by side. Spanner has no window functions here, so that
 * a limit of rows per key is a statement per key.
 */
function groupsOf(
  keys: Chunk,
  node: RelationalNode,
  inner: readonly Column[],
  reading: Reading,
): readonly (readonly Chunk[])[] {
  const isLimited = node.limit !== undefined || node.offset !== undefined
  const size = isLimited ? 1 : inner.length === 1 ? MAX_KEYS : sizeOf(node, inner, reading)
  return inChunks(inChunks(keys, size), MAX_AT_ONCE)
}

function sizeOf(node: RelationalNode, inner: readonly Column[], { dialect }: Reading): number {
  const own = dialect.toQuery(levelSql(node, [])).params.length
  const parameters = (MAX_PARAMETERS - own) / inner.length
  // `a = $1 and b = $2 or …`
  const operators = MAX_OPERATORS / (inner.length + 2)
  return Math.max(1, Math.floor(Math.min(parameters, operators)))
}

function inChunks<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, at) => items.slice(at * size, (at + 1) * size))
}

/** Which rows have one of these keys. */
function belonging(columns: readonly Column[], keys: Chunk): SQL {
  const types = columns.map((column) => codecOf(column).type)
  const [column] = columns
  const [type] = types
  if (columns.length === 1 && type && !isComposite(type)) {
    const items = keys.map(([wire]) => wire)
    return sql`${column} = any(${new Param(items, new WireEncoder({ kind: 'array', of: type }))})`
  }
  const equal = keys.map((wires) =>
    and(
      ...paired(columns, types).map(
        ([each, of], at) => sql`${each} = ${new Param(wires[at], new WireEncoder(of))}`,
      ),
    ),
  )
  return present(or(...equal), 'key to look for')
}

function statementOf(
  node: RelationalNode,
  columns: readonly Column[],
  { dialect, values }: Level,
  belongs: SQL | undefined,
): Statement {
  const query = dialect.toQuery(levelSql(node, columns, belongs))
  return { text: query.sql, parameters: compileParameters(query, spannerPostgresqlRuntime)(values) }
}

/** `db.query`: a builder for each table. */
export function relationalQueries(
  fullSchema: Readonly<Record<string, unknown>> | undefined,
  dialect: SpannerPgDialect,
  session: Session,
): unknown {
  if (!fullSchema) return {}
  const schema = relationalSchemaOf(fullSchema)
  return Object.fromEntries(
    Object.entries(schema.tables).map(([name, table]) => [
      name,
      new RelationalQueryBuilder({ schema, table, dialect, session }),
    ]),
  )
}

/** Reads rows of one table, and rows of others that belong to them: `db.query.users`. */
export class RelationalQueryBuilder {
  static readonly [entityKind]: string = 'SpannerPgRelationalQueryBuilder'
  readonly #setup: RelationalSetup<SpannerPgDialect>

  constructor(setup: RelationalSetup<SpannerPgDialect>) {
    this.#setup = setup
  }

  /** Rows, in the order that is asked for. */
  findMany(config: RelationalConfig = {}): SpannerPgRelationalQuery {
    return new SpannerPgRelationalQuery(this.#setup, config, false)
  }

  /** The first row; undefined if there is none. */
  findFirst(config: RelationalConfig = {}): SpannerPgRelationalQuery {
    return new SpannerPgRelationalQuery(this.#setup, config, true)
  }
}

/**
 * A relational query. Spanner's PostgreSQL has no LATERAL, so each table is read by a statement of its own, by the keys of
 * the outer rows; all of them in one snapshot.
 */
class SpannerPgRelationalQuery extends RelationalReadQuery<unknown, SpannerPgDialect> {
  static override readonly [entityKind]: string = 'SpannerPgRelationalQuery'

  /** The statements of the other tables depend on its result. */
  protected override build(plan: RelationalNode): SQL {
    return levelSql(plan, [])
  }

  override _prepare(): PreparedQuery<unknown> {
    const { session, dialect } = this.setup
    const plan = this.plan()
    const map = relationalRowMapper(plan, columnDecoder)
    const meta = this.metaOf(plan)
    if (plan.relations.length === 0) return session.prepare(this.built(plan), meta, map)
    return session.prepareReads({
      meta,
      query: () => this.toSQL(),
      queries: () => levelsOf(plan, '').map(({ node }) => dialect.toQuery(levelSql(node, []))),
      identity: (values) => nestedIdentity(plan, dialect, values),
      read: (run, values) => readNested(plan, run, dialect, values),
      map,
    })
  }
}
