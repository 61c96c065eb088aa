import { IsothermError } from '../../errors.js'
import { shardColumnOf, type Table } from '../../model/table.js'
import { findTable, type Schema } from '../../model/schema.js'
import type { TablePair } from './command.js'

export interface TreeOptions {
  /** The table whose key changes; those that are interleaved in it inherit the key, and move with it. */
  readonly table: string
  /**
   * What the new tables are called, by the names of the old ones; those that are in the schema are taken as they are.
   * Default: the old name with the new shard count, as in `UserAccessLog_r64`.
   */
  readonly into?: Readonly<Record<string, string>>
}

export interface NewTree {
  readonly tables: readonly TablePair[]
  /** The new tables, parents first. */
  readonly made: readonly Table[]
}

/** The tables that move, and those that take their places. @throws {IsothermError} `UNKNOWN_TABLE` */
export function newTree(from: Schema, to: Schema, { table, into = {} }: TreeOptions): NewTree {
  const old = treeOf(from, table)
  const suffix = `_r${newShards(to, into[table] ?? table) ?? 'new'}`
  const names = new Map(old.map(({ name }) => [name, into[name] ?? name + suffix]))
  refuseTaken(from, names)
  const made = old.map(({ name }) => {
    const own = names.get(name)!
    const declared = findTable(to, own)
    if (declared) return declared
    const changed = findTable(to, name)
    if (!changed) throw unknown(name, to)
    return renamed(changed, own, suffix, names)
  })
  return { tables: old.map(({ name }) => ({ from: name, to: names.get(name)! })), made }
}

/** The database knows no two names that differ in their letters' case alone. */
function refuseTaken({ tables }: Schema, names: ReadonlyMap<string, string>): void {
  for (const [old, made] of names) {
    const taken = tables.find(({ name }) => name.toLowerCase() === made.toLowerCase())
    if (!taken) continue
    throw new IsothermError(
      'UNSUPPORTED',
      `${old} cannot change into ${made}: there is a table ${taken.name}.`,
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

/** Names of indexes and constraints are taken by the old table. */
function renamed(table: Table, name: string, suffix: string, names: ReadonlyMap<string, string>): Table {
  const other = (each: string): string => names.get(each) ?? each
  return {
    ...table,
    name,
    ...(table.parent && { parent: { ...table.parent, table: other(table.parent.table) } }),
    indexes: table.indexes.map((index) => ({
      ...index,
      name: index.name + suffix,
      ...(index.interleaveIn !== undefined && { interleaveIn: other(index.interleaveIn) }),
    })),
    checks: table.checks.map((check) => ({ ...check, name: check.name + suffix })),
    foreignKeys: table.foreignKeys.map((key) => ({ ...key, name: key.name + suffix })),
    exceptions: table.exceptions.map(({ on, ...exception }) => ({
      ...exception,
      ...(on !== undefined && { on: table.indexes.some((index) => index.name === on) ? on + suffix : on }),
    })),
  }
}

function unknown(name: string, schema: Schema): IsothermError {
  return new IsothermError('UNKNOWN_TABLE', `${JSON.stringify(name)} is not a table of this schema.`, {
    fix: `The schema has ${schema.tables.map((each) => each.name).join(', ')}.`,
  })
}
