import {
  IsothermError,
  type OptionKinds,
  type Schema,
  type SchemaFinding,
  type Table,
  checkOptions,
  columnOf,
  describeFindings,
  firstLocation,
  keyFields,
  recordOf,
  required,
  text,
  itemAt,
  known,
  paired,
  present,
} from '@isotherm/core/engine'
import {
  type ChangeStream,
  type Dialect,
  LINT_OPTIONS,
  type Severity,
  checkSchema,
  checkShape,
  deepFreeze,
  derivedFill,
  dialectOption,
  findTable,
  layoutsByName,
  pairObstacles,
  refuseHotspots,
  reshardControlSchema,
  sameData,
  shardColumnOf,
  sqlFor,
  sqlOf,
} from '@isotherm/core/tools'
import { type ReshardAction, type TablePair, formatReshardCommand } from './command.js'
import { type RenamedTable, modelChange, renamedTable, takenNames } from './renamed.js'

export interface TreeOptions {
  /** The table whose key changes; tables that are interleaved in it inherit the key, and move with it. */
  readonly table: string
  /**
   * The names of the new tables, by the names of the old ones; tables that are in the schema are used as they are. Default:
   * the old name with the new shard count, as in `UserAccessLog_r64`.
   */
  readonly into?: Readonly<Record<string, string>>
}

export const TREE_OPTIONS: OptionKinds<TreeOptions> = {
  table: required(text("'UserAccessLog'")),
  into: recordOf(text("'UserAccessLog_r64'")),
}

interface NewTree {
  readonly tables: readonly TablePair[]
  /** The new tables, parents first. */
  readonly made: readonly Table[]
  /** Those of them that the schema has under their old names. */
  readonly renamed: readonly RenamedTable[]
}

/** The tables that move, and their replacements. @throws {IsothermError} `UNKNOWN_TABLE` */
function newTree(from: Schema, to: Schema, { table, into = {} }: TreeOptions): NewTree {
  const old = treeOf(from, table)
  const suffix = `_r${newShards(to, into[table] ?? table) ?? 'new'}`
  const names = new Map(old.map(({ name }) => [name, into[name] ?? name + suffix]))
  refuseTaken(from, names)
  const taken = takenNames([from, to], names.values())
  const renamed: RenamedTable[] = []
  const made = old.map(({ name }) => {
    const own = known(names, name)
    const declared = findTable(to, own)
    if (declared) return declared
    const changed = findTable(to, name)
    if (!changed) throw unknown(name, to)
    const moved = renamedTable(changed, { name: own, suffix, names, taken })
    renamed.push(moved)
    return moved.table
  })
  return { tables: old.map(({ name }) => ({ from: name, to: known(names, name) })), made, renamed }
}

/** The database knows no two names that differ in their letters' case alone. */
function refuseTaken({ tables }: Schema, names: ReadonlyMap<string, string>): void {
  for (const [old, made] of names) {
    const taken = tables.find(({ name }) => name.toLowerCase() === made.toLowerCase())
    if (!taken) continue
    throw new IsothermError(
      'RESHARD_REFUSED',
      `${old} cannot be resharded into ${made}: the table ${taken.name} exists.`,
      {
        fix: 'Give the new table another name (into).',
        table: old,
      },
    )
  }
}

/** A table and all that is interleaved in it, parents first. */
export function treeOf(schema: Schema, name: string): readonly Table[] {
  const root = findTable(schema, name)
  if (!root) throw unknown(name, schema)
  const tree = [root]
  // Parents stand before their children in a schema.
  for (const table of schema.tables) {
    if (table !== root && tree.some((each) => each.name === table.parent?.table)) tree.push(table)
  }
  return tree
}

function newShards(schema: Schema, name: string): number | undefined {
  const table = findTable(schema, name)
  const source = table && shardColumnOf(table)?.source
  return source?.kind === 'shard' ? source.shards : undefined
}

function unknown(name: string, schema: Schema): IsothermError {
  return new IsothermError('UNKNOWN_TABLE', `${JSON.stringify(name)} is not a table of this schema.`, {
    fix: `The schema has ${schema.tables.map((each) => each.name).join(', ')}.`,
  })
}

/** @throws {IsothermError} `RESHARD_REFUSED` with everything that a plan could not do without a loss. */
function refuseUnsafe(from: Schema, tree: NewTree, dialect: Dialect): void {
  const findings = [
    ...unchanged(from, tree),
    ...pairs(from, tree, dialect),
    ...functions(from, tree, dialect),
    ...foreignKeys(from, tree),
    ...views(from, tree, dialect),
    ...opaqueColumns(from, tree),
  ]
  if (findings.length === 0) return
  throw new IsothermError(
    'RESHARD_REFUSED',
    describeFindings('The key cannot be changed', findings),
    firstLocation(findings),
  )
}

/** Rows are copied property by property, and an opaque column is not a property. */
function opaqueColumns(from: Schema, { tables }: NewTree): SchemaFinding[] {
  return tables.flatMap((pair) =>
    (findTable(from, pair.from)?.opaqueColumns ?? []).map(({ name }) => ({
      table: pair.from,
      column: name,
      message: 'is an opaque column, whose values cannot be copied.',
      fix: 'Drop it in an earlier migration, and add it again in a later one.',
    })),
  )
}

function oldTable(schema: Schema, { from }: TablePair): Table {
  return present(findTable(schema, from), `table ${from}`)
}

function unchanged(from: Schema, { tables, made, renamed }: NewTree): SchemaFinding[] {
  const root = itemAt(made, 0)
  const old = oldTable(from, itemAt(tables, 0))
  const keyText = ({ primaryKey, columns }: typeof old): string =>
    JSON.stringify(
      primaryKey.map((part) => [part, columns.find(({ property }) => property === part.property)]),
    )
  if (keyText(old) !== keyText(root)) return []
  return [
    {
      table: old.name,
      // The new table has a name that the user knows only if the schema declares it.
      message: renamed.some(({ table }) => table === root)
        ? 'has the same key in the model as in the last migration.'
        : `has the key of ${root.name}.`,
      fix: 'Change the key, or the shards, in the model first.',
    },
  ]
}

function pairs(from: Schema, { tables, made }: NewTree, dialect: Dialect): SchemaFinding[] {
  return paired(tables, made).flatMap(([pair, table]) => {
    const old = dialect.layout(oldTable(from, pair))
    return pairObstacles(old, dialect.layout(table)).map((obstacle) => ({
      table: pair.from,
      ...obstacle,
    }))
  })
}

/**
 * Rows are copied by the schema in a snapshot, which contains no functions. Values that the old table's row has already are
 * copied as they are.
 */
function functions(from: Schema, { tables, made }: NewTree, dialect: Dialect): SchemaFinding[] {
  return paired(tables, made).flatMap(([pair, table]) => {
    const old = oldTable(from, pair)
    return keyFields(dialect.layout(table)).flatMap((field): SchemaFinding[] => {
      const { property } = field.column
      const fill = derivedFill(field)
      if (fill?.by !== 'shard') return []
      const { expression, ownFunction } = fill.source
      const isSame = sameData(columnOf(old, property)?.source, fill.source)
      if (!ownFunction && (expression === undefined || isSame)) return []
      return [
        {
          table: pair.from,
          column: property,
          message: `is computed by a function of the model in ${pair.to}, which the copy step does not have.`,
          fix: 'Use a hash of the same columns, without `compute`, or copy the rows in the application with dualWrites.',
        },
      ]
    })
  })
}

/** A key that refers to a table keeps it from being dropped, and cannot refer to two. */
function foreignKeys(from: Schema, { tables, made }: NewTree): SchemaFinding[] {
  const moving = new Map(tables.map((pair) => [pair.from, pair.to]))
  return [...from.tables, ...made].flatMap(({ name, foreignKeys: keys }) =>
    keys
      .filter(({ table }) => moving.has(table))
      .map((key) => ({
        table: name,
        message: `refers to ${key.table} by the foreign key ${key.name}.`,
        fix: `Drop that foreign key in an earlier migration, and add it again, to ${moving.get(key.table)}, in a later one.`,
      })),
  )
}

function views(from: Schema, { tables }: NewTree, { name: dialect }: Dialect): SchemaFinding[] {
  return from.views.flatMap(({ name, query }) => {
    const text = (sqlFor(query, dialect) ?? '').toLowerCase()
    const read = tables.find((pair) => new RegExp(`\\b${escaped(pair.from.toLowerCase())}\\b`).test(text))
    if (!read) return []
    return [
      {
        table: read.from,
        message: `is read by the view ${name}.`,
        fix: `Drop the view in an earlier migration, and create it again, over ${read.to}, in a later one.`,
      },
    ]
  })
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** A statement of a step. `reshard` is not SQL but a command, which `runReshardCommand` runs: any number of times. */
export interface ReshardStatement {
  readonly kind: 'ddl' | 'reshard'
  readonly sql: string
}

export type ReshardStepName = 'create' | 'begin' | 'copy' | 'verify' | 'switch' | 'finish' | 'drop'

/** One migration of a plan. */
export interface ReshardStep {
  readonly name: ReshardStepName
  /** What it does, and what has to be done before the next one: for people to read. */
  readonly description: string
  readonly statements: readonly ReshardStatement[]
  /** The statements that undo it, while that is possible; empty if it is not. */
  readonly undoStatements: readonly ReshardStatement[]
  /** The schema after it. */
  readonly schema: Schema
}

/** A change of a table's key, or of its shard count, step by step. */
export interface ReshardPlan {
  readonly dialect: Dialect
  /** The table and those below it, parents first, each with its replacement. */
  readonly tables: readonly TablePair[]
  /** With the old tables and the new ones: the schema with which the application opens the database during the change. */
  readonly schema: Schema
  readonly steps: readonly ReshardStep[]
}

export interface PlanReshardOptions extends TreeOptions {
  readonly dialect: Dialect
  /** Another severity for lint rules, by their names. */
  readonly severity?: Readonly<Record<string, Severity>>
}

const PLAN_OPTIONS: OptionKinds<PlanReshardOptions> = {
  ...TREE_OPTIONS,
  dialect: dialectOption,
  severity: LINT_OPTIONS.severity,
}

/**
 * Plans how a table gets another key, or another number of shards, without losing rows and without downtime: a new table
 * beside the old one, writes to both, the copy of existing rows, the switch of reads, and the end of the old table.
 *
 * @param from the schema as the database has it
 * @param to the schema as it is wanted: the table with its new key, or the new table beside it (see `into`)
 * @throws {IsothermError} `RESHARD_REFUSED` with every reason why rows cannot be moved safely.
 * @throws {HotspotError} if a new table would cause a hotspot.
 * @example
 * const plan = planReshard(before, after, { dialect: googlesql, table: 'UserAccessLog' })
 * for (const { name, description, statements } of plan.steps) console.log(name, description, statements)
 */
export function planReshard(from: Schema, to: Schema, options: PlanReshardOptions): ReshardPlan {
  checkShape('planReshard', from, to)
  checkOptions('planReshard', PLAN_OPTIONS, options)
  const { dialect } = options
  const { withoutReshard: fix } = sqlOf(
    dialect,
    'Resharding',
    'Create a new table with the new key, write every row to both tables, and copy the existing rows.',
  )
  if (fix !== undefined)
    throw new IsothermError(
      'UNSUPPORTED_FEATURE',
      `Isotherm does not support resharding on ${dialect.name}.`,
      { fix },
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
  refuseHotspots(after, { dialect, severity: options.severity ?? {} })
  const before = schemaOf(from, others, from.changeStreams)
  return {
    dialect,
    tables: tree.tables,
    schema: both,
    steps: stepsOf(dialect, tree, { before, both, after }),
  }
}

interface Schemas {
  readonly before: Schema
  readonly both: Schema
  readonly after: Schema
}

function stepsOf(
  dialect: Dialect,
  { tables, renamed }: NewTree,
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
        `Creates ${to}. Then deploy the application with ` +
        `tables: dualWrites([${tables.map((pair) => `{ from: '${pair.from}', to: '${pair.to}' }`).join(', ')}]), everywhere.`,
      statements: [
        ...controlTables(dialect).map(ddl),
        run('PREPARE'),
        ...created(dialect, before, both).map(ddl),
      ],
      undoStatements: dropped(dialect, both, before).map(ddl),
      schema: both,
    },
    {
      name: 'begin',
      description: `Lets the application write ${from} and ${to} in the same commits, and waits until every process does.`,
      statements: [run('BEGIN')],
      undoStatements: [run('ABANDON')],
      schema: both,
    },
    {
      name: 'copy',
      description: `Copies the existing rows of ${from} to ${to}.`,
      statements: [run('COPY')],
      undoStatements: [],
      schema: both,
    },
    {
      name: 'verify',
      description: `Compares ${from} and ${to}, row by row, at one timestamp.`,
      statements: [run('VERIFY')],
      undoStatements: [],
      schema: both,
    },
    {
      name: 'switch',
      description: `Lets the application read ${to}. Both are still written, so you can still go back.`,
      statements: [run('SWITCH')],
      undoStatements: [run('RETURN')],
      schema: both,
    },
    {
      name: 'finish',
      description: `Compares ${from} and ${to} again, and lets the application write ${to} only. After this step you cannot go back.`,
      statements: [run('FINISH')],
      undoStatements: [],
      schema: both,
    },
    {
      name: 'drop',
      description: `Drops ${tables.map((pair) => pair.from).join(', ')}. ${lastWork(tables, renamed)}`,
      statements: [run('RETIRE'), ...dropped(dialect, both, after).map(ddl)],
      undoStatements: [],
      schema: after,
    },
  ]
}

/** The models that fit the last schema: with other names, the next migration would drop the new indexes, and create them again. */
function lastWork(tables: readonly TablePair[], renamed: readonly RenamedTable[]): string {
  const changes = tables.map(({ from, to }) => {
    const table = renamed.find((each) => each.table.name === to)
    const model = tables.length === 1 ? 'the model' : `the model of ${from}`
    return table ? `change ${model} ${modelChange(table)}` : `remove the model of ${from}`
  })
  return `Then ${changes.join('; ')}${changes.length === 1 ? ',' : ';'} and remove dualWrites.`
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

/** A change stream that watches a table watches its replacement as well. */
function watching(stream: ChangeStream, tables: readonly TablePair[], made: readonly Table[]): ChangeStream {
  if (stream.watch === 'all') return stream
  const more = stream.watch.flatMap(({ table, columns }) => {
    const into = made[tables.findIndex((pair) => pair.from === table)]
    if (!into) return []
    const key = into.primaryKey.map((part) => part.property)
    // The key is always watched, and may not be named.
    const named = columns === 'all' ? columns : columns.filter((property) => !key.includes(property))
    return [{ table: into.name, columns: named }]
  })
  return more.length === 0 ? stream : { ...stream, watch: [...stream.watch, ...more] }
}

function without(stream: ChangeStream, tables: ReadonlySet<string>): ChangeStream {
  if (stream.watch === 'all') return stream
  return { ...stream, watch: stream.watch.filter(({ table }) => !tables.has(table)) }
}
