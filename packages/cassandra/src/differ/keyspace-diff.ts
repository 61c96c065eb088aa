import {
  type CqlDdlSyntax,
  type StoredIndex,
  type StoredTable,
  storedIndexes,
  storedTables,
} from '../ddl/ddl.js'
import { IsothermError, type TableLayout, keyFields, itemAt, known } from '@isotherm/core/engine'
import type {
  HashSource,
  LaidOut,
  Refusal,
  RenameCandidate,
  SchemaChange,
  ShardSource,
  TimeBucketSource,
  UserType,
} from '@isotherm/core/tools'
import type { CqlCapabilities } from '../cql/capabilities.js'
import { cqlType } from '../cql/types.js'

/** A key column whose value the client computes: no column tells how, and yet that says where rows lie. */
export interface KeyspaceKey {
  readonly column: string
  /** With the names of columns where a schema has properties. */
  readonly source: ShardSource | HashSource | TimeBucketSource
}

/** A table as a keyspace has it. */
export interface KeyspaceTable extends StoredTable {
  readonly indexes: readonly StoredIndex[]
  readonly clientKeys: readonly KeyspaceKey[]
}

/** The objects of a keyspace. */
export interface Keyspace {
  /** Each after those within it. */
  readonly types: readonly UserType[]
  readonly tables: readonly KeyspaceTable[]
}

export function keyspaceOf({ schema, layouts }: LaidOut): Keyspace {
  return {
    types: schema.userTypes ?? [],
    tables: storedTables(layouts).map((table) => ({
      ...table,
      indexes: storedIndexes(table),
      clientKeys: table.layouts.flatMap(clientKeys),
    })),
  }
}

function clientKeys(layout: TableLayout): KeyspaceKey[] {
  const nameOf = (property: string): string => known(layout.byProperty, property).column.name
  return keyFields(layout).flatMap(({ column: { name, source, inherited } }): KeyspaceKey[] => {
    if (!source || inherited) return []
    if (source.kind === 'time-bucket') return [{ column: name, source: { ...source, of: nameOf(source.of) } }]
    if (source.kind !== 'shard' && source.kind !== 'hash') return []
    return [{ column: name, source: { ...source, of: source.of.map(nameOf) } }]
  })
}

/**
 * The order in which changes are made: obstacles are removed first, new objects are created before those that need them,
 * and data is destroyed as late as possible.
 */
const ORDER = [
  'drop-index',
  'create-type',
  'add-type-field',
  'rename-key-column',
  'add-column',
  'require-column',
  'set-table-options',
  'create-table',
  'create-index',
  'drop-column',
  'drop-table',
  'drop-type',
] as const satisfies readonly SchemaChange['kind'][]

type KeyspaceChange = Extract<SchemaChange, { readonly kind: (typeof ORDER)[number] }>

/** The way out of what only a new table can have. */
export const NEW_TABLE =
  'Create a table with another name, write to both in the application, copy the rows partition by partition, read from the new table, and then drop the old one.'

/** The inputs of one comparison, and its findings so far. */
export class KeyspaceDiff {
  readonly has: CqlCapabilities
  /** The first keyspace is a live one, which tells nothing of what clients compute. */
  readonly live: boolean
  readonly from: Keyspace
  readonly to: Keyspace
  /** The keyspaces before the first one, oldest first. */
  readonly earlier: () => readonly Keyspace[]
  readonly refusals: Refusal[] = []
  readonly #changes: KeyspaceChange[] = []

  constructor(
    has: CqlCapabilities,
    [from, to]: readonly [from: Keyspace, to: Keyspace],
    live: boolean,
    earlier: () => readonly Keyspace[],
  ) {
    this.has = has
    this.from = from
    this.to = to
    this.live = live
    this.earlier = earlier
  }

  change(...changes: readonly KeyspaceChange[]): void {
    this.#changes.push(...changes)
  }

  refuse(refusal: Refusal): void {
    this.refusals.push(refusal)
  }

  /** The changes in the order in which they are to be made. */
  get changes(): SchemaChange[] {
    return this.#changes.toSorted((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind))
  }
}

/** The items in both, only in the first, and only in the second: names are quoted, and keep their capitals. */
export function matchedByName<T extends { readonly name: string }>(
  from: readonly T[],
  to: readonly T[],
): {
  readonly both: readonly (readonly [T, T])[]
  readonly gone: readonly T[]
  readonly added: readonly T[]
} {
  const [before, after] = [byName(from), byName(to)]
  return {
    both: to.flatMap((thing) => {
      const old = before.get(thing.name)
      return old ? [[old, thing] as const] : []
    }),
    gone: from.filter(({ name }) => !after.has(name)),
    added: to.filter(({ name }) => !before.has(name)),
  }
}

/** Key columns that may have been renamed: the key is the same except for one column. */
export function keyRenameCandidates(from: Keyspace, to: Keyspace): RenameCandidate[] {
  return matchedByName(from.tables, to.tables).both.flatMap(([old, table]) => {
    const renamed = renamedKeyColumn(old, table)
    // Nothing else can have become of a key column: the table would be another one.
    return renamed ? [{ kind: 'column', table: table.name, ...renamed, likeness: 1 }] : []
  })
}

/** The one column in which two keys differ, by nothing but its name. */
export function renamedKeyColumn(
  old: KeyspaceTable,
  table: KeyspaceTable,
): { readonly from: string; readonly to: string } | undefined {
  if (old.key.length !== table.key.length || old.partition !== table.partition) return undefined
  const others = table.key.flatMap((_, at) => (partText(old, at) === partText(table, at) ? [] : [at]))
  const [at, ...more] = others
  if (at === undefined || more.length > 0 || shapeOf(old, at) !== shapeOf(table, at)) return undefined
  return { from: itemAt(old.key, at).name, to: itemAt(table.key, at).name }
}

function byName<Thing extends { readonly name: string }>(things: readonly Thing[]): Map<string, Thing> {
  return new Map(things.map((thing) => [thing.name, thing]))
}

function partText(table: KeyspaceTable, at: number): string {
  return `${itemAt(table.key, at).name} ${shapeOf(table, at)}`
}

function shapeOf({ key, columns }: KeyspaceTable, at: number): string {
  const { name, order } = itemAt(key, at)
  return `${cqlType(known(byName(columns), name).type)} ${order}`
}

/** The statements of changes to a keyspace, in their order. */
export function renderedCql(
  changes: readonly SchemaChange[],
  after: LaidOut,
  syntax: CqlDdlSyntax,
): string[] {
  const tables = new Map(keyspaceOf(after).tables.map((table) => [table.name, table]))
  const tableOf = (name: string): KeyspaceTable => known(tables, name)
  return changes.flatMap((change): string[] => {
    switch (change.kind) {
      case 'create-type':
        return [syntax.type(change.type)]
      case 'add-type-field':
        return [syntax.addTypeField(change.type, change.field)]
      case 'drop-type':
        return [syntax.dropType(change.name)]
      case 'create-table':
        return [syntax.table(tableOf(change.table))]
      case 'drop-table':
        return [syntax.dropTable(change.table)]
      case 'rename-key-column':
        return [syntax.renameKeyColumn(change.table, change.from, change.to)]
      case 'add-column': {
        const { name, type } = change.column
        return [syntax.addColumn(change.table, { name, type, ...(change.static && { static: true }) })]
      }
      case 'require-column':
        return []
      case 'drop-column':
        return [syntax.dropColumn(change.table, change.column)]
      case 'set-table-options':
        return syntax.tableOptions(
          change.table,
          { ttlSeconds: change.ttlSeconds },
          // Where rows had no time to live, it may never have been switched on.
          { ttlSeconds: change.before === 0 ? undefined : change.before },
        )
      case 'create-index': {
        const index = known(byName(tableOf(change.table).indexes), change.index.name)
        return [syntax.index(change.table, index)]
      }
      case 'drop-index':
        return [syntax.dropIndex(change.name)]
      default:
        throw new IsothermError('UNSUPPORTED_FEATURE', `CQL has no statement for the change ${change.kind}.`)
    }
  })
}
