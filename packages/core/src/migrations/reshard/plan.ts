import { reshardControlSchema } from '../../database/dual-writes-phases.js'
import { sqlOf, type Dialect, type DialectName } from '../../dialects/dialect.js'
import { layoutsByName } from '../../dialects/ddl/statements.js'
import { dialectNamed } from '../../dialects/registry.js'
import { refuseHotspots } from '../../lint/run.js'
import type { Severity } from '../../lint/rule.js'
import { checkSchema } from '../../model/checked.js'
import { deepFreeze } from '../../model/deep-freeze.js'
import type { ChangeStream, Schema } from '../../model/schema.js'
import type { Table } from '../../model/table.js'
import { formatReshardCommand, type ReshardAction, type TablePair } from './command.js'
import { refuseUnsafe } from './refusals.js'
import { newTree, type TreeOptions } from './tree.js'

/** A statement of a step. `reshard` is no SQL but a command, which `runReshardCommand` runs: any number of times. */
export interface ReshardStatement {
  readonly kind: 'ddl' | 'reshard'
  readonly sql: string
}

export type ReshardStepName = 'create' | 'begin' | 'copy' | 'verify' | 'switch' | 'finish' | 'drop'

/** One migration of a plan. */
export interface ReshardStep {
  readonly name: ReshardStepName
  /** What it does, and what there is to do before the next one: for people. */
  readonly description: string
  readonly statements: readonly ReshardStatement[]
  /** What takes it back, while that is possible; empty where it is not. */
  readonly wayBack: readonly ReshardStatement[]
  /** The schema after it. */
  readonly schema: Schema
}

/** A change of a table's key, or of its shard count, step by step: plain data. */
export interface ReshardPlan {
  readonly dialect: DialectName
  /** The table and those below it, parents first, each with the one that takes its place. */
  readonly tables: readonly TablePair[]
  /** With the old tables and the new ones: what the application opens the database with meanwhile. */
  readonly schema: Schema
  readonly steps: readonly ReshardStep[]
}

export interface PlanReshardOptions extends TreeOptions {
  readonly dialect: DialectName
  /** Another severity for lint rules, by their names. */
  readonly severity?: Readonly<Record<string, Severity>>
}

/**
 * Plans how a table gets another key, or another number of shards, without a loss of rows or of time: a new table beside the
 * old one, writes to both, the copying of what was there, the change of reads, and the end of the old table.
 *
 * @param from the schema as the database has it
 * @param to the schema as it is wanted: the table with its new key, or the new table beside it (see `into`)
 * @throws {IsothermError} `UNSUPPORTED` with everything that keeps rows from being moved safely.
 * @throws {HotspotError} where a new table would run hot.
 * @example
 * const plan = planReshard(before, after, { dialect: 'googlesql', table: 'UserAccessLog' })
 * for (const { name, description, statements } of plan.steps) console.log(name, description, statements)
 */
export function planReshard(from: Schema, to: Schema, options: PlanReshardOptions): ReshardPlan {
  const dialect = dialectNamed(options.dialect)
  sqlOf(
    dialect,
    'Resharding',
    'Make a new table with the other key, write every row to both, and copy those of before.',
  )
  const tree = newTree(from, to, options)
  refuseUnsafe(from, tree, dialect)
  const old = new Set(tree.tables.map((pair) => pair.from))
  const made = new Set(tree.made.map(({ name }) => name))
  const others = from.tables.filter(({ name }) => !made.has(name))
  const streams = from.changeStreams.map((stream) => watching(stream, tree.tables, tree.made))
  const both = schemaOf(from, [...others, ...tree.made], streams)
  const after = schemaOf(
    from,
    both.tables.filter(({ name }) => !old.has(name)),
    streams.map((stream) => without(stream, old)),
  )
  refuseHotspots(after, { dialect: dialect.name, severity: options.severity ?? {} })
  const before = schemaOf(from, others, from.changeStreams)
  return {
    dialect: dialect.name,
    tables: tree.tables,
    schema: both,
    steps: stepsOf(dialect, tree.tables, { before, both, after }),
  }
}

interface Schemas {
  readonly before: Schema
  readonly both: Schema
  readonly after: Schema
}

function stepsOf(
  dialect: Dialect,
  tables: readonly TablePair[],
  { before, both, after }: Schemas,
): ReshardStep[] {
  const [{ from, to }] = tables as [TablePair]
  const run = (action: ReshardAction): ReshardStatement => ({
    kind: 'reshard',
    sql: formatReshardCommand({ action, tables }),
  })
  return [
    {
      name: 'create',
      description:
        `Makes ${to}. Then deploy the application with ` +
        `dualWrites: [${tables.map((pair) => `{ from: '${pair.from}', to: '${pair.to}' }`).join(', ')}], everywhere.`,
      statements: [
        ...controlTables(dialect).map(ddl),
        run('PREPARE'),
        ...created(dialect, before, both).map(ddl),
      ],
      wayBack: dropped(dialect, both, before).map(ddl),
      schema: both,
    },
    {
      name: 'begin',
      description: `Lets the application write ${from} and ${to} in the same commits, and waits until all of it does.`,
      statements: [run('BEGIN')],
      wayBack: [run('ABANDON')],
      schema: both,
    },
    {
      name: 'copy',
      description: `Copies the rows of ${from} that were there before to ${to}.`,
      statements: [run('COPY')],
      wayBack: [],
      schema: both,
    },
    {
      name: 'verify',
      description: `Compares ${from} and ${to}, row by row, as of one moment.`,
      statements: [run('VERIFY')],
      wayBack: [],
      schema: both,
    },
    {
      name: 'switch',
      description: `Lets the application read ${to}. Both are still written: the way back is open.`,
      statements: [run('SWITCH')],
      wayBack: [run('RETURN')],
      schema: both,
    },
    {
      name: 'finish',
      description: `Compares ${from} and ${to} again, and lets the application write ${to} only. From here there is no way back.`,
      statements: [run('FINISH')],
      wayBack: [],
      schema: both,
    },
    {
      name: 'drop',
      description: `Drops ${from}. Then let the model say @Table('${to}'), and take dualWrites away.`,
      statements: [run('RETIRE'), ...dropped(dialect, both, after).map(ddl)],
      wayBack: [],
      schema: after,
    },
  ]
}

function ddl(sql: string): ReshardStatement {
  return { kind: 'ddl', sql }
}

function schemaOf(from: Schema, tables: readonly Table[], changeStreams: readonly ChangeStream[]): Schema {
  const schema = deepFreeze({ ...from, tables, changeStreams })
  checkSchema(schema)
  return schema
}

/** They stay for good: another change of a key may be under way. */
function controlTables(dialect: Dialect): string[] {
  return ddlOf(dialect, reshardControlSchema).map((sql) =>
    sql.replace(/^CREATE TABLE /, 'CREATE TABLE IF NOT EXISTS '),
  )
}

function ddlOf(dialect: Dialect, schema: Schema): string[] {
  return dialect.ddl(
    schema,
    schema.tables.map((table) => dialect.layout(table)),
  )
}

function created(dialect: Dialect, before: Schema, both: Schema): string[] {
  const there = new Set(ddlOf(dialect, bare(before)))
  return [
    ...ddlOf(dialect, bare(both)).filter((sql) => !there.has(sql)),
    ...rewatched(dialect, before, both, both),
  ]
}

function bare(schema: Schema): Schema {
  return { ...schema, changeStreams: [] }
}

/** Children before their parents, and indexes before their tables. */
function dropped(dialect: Dialect, before: Schema, after: Schema): string[] {
  const { alter } = sqlOf(dialect, 'A new shard count').ddlSyntax
  const gone = before.tables
    .filter(({ name }) => !after.tables.some((table) => table.name === name))
    .toReversed()
  return [
    ...rewatched(dialect, before, after, before),
    ...gone.flatMap(({ name, indexes }) => [
      ...indexes.map((index) => alter.dropIndex(index.name)),
      alter.dropTable(name),
    ]),
  ]
}

/** @param tables a schema with all tables that are watched */
function rewatched(dialect: Dialect, before: Schema, after: Schema, tables: Schema): string[] {
  const { alter } = sqlOf(dialect, 'A change stream').ddlSyntax
  const layouts = layoutsByName(tables.tables.map((table) => dialect.layout(table)))
  return after.changeStreams.flatMap((stream, at) =>
    JSON.stringify(stream) === JSON.stringify(before.changeStreams[at])
      ? []
      : [alter.watchOtherwise(stream, layouts)],
  )
}

/** Whoever watches a table watches the one that takes its place as well. */
function watching(stream: ChangeStream, tables: readonly TablePair[], made: readonly Table[]): ChangeStream {
  if (stream.watch === 'all') return stream
  const more = stream.watch.flatMap(({ table, columns }) => {
    const at = tables.findIndex((pair) => pair.from === table)
    if (at < 0) return []
    const key = made[at]!.primaryKey.map((part) => part.property)
    // The key is always watched, and may not be named.
    const named = columns === 'all' ? columns : columns.filter((property) => !key.includes(property))
    return [{ table: made[at]!.name, columns: named }]
  })
  return more.length === 0 ? stream : { ...stream, watch: [...stream.watch, ...more] }
}

function without(stream: ChangeStream, tables: ReadonlySet<string>): ChangeStream {
  if (stream.watch === 'all') return stream
  return { ...stream, watch: stream.watch.filter(({ table }) => !tables.has(table)) }
}
