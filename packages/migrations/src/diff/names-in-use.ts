import { present } from '@isotherm/core/engine'
import type { SchemaChange } from '@isotherm/core/tools'
import { folded, sameName } from '../names.js'
import type { PhysicalSchema, PhysicalTable } from '../physical-schema.js'
import type { DiffContext } from './context.js'

// The names that a database has but once, whatever they are names of.

/** A name and its owner, for messages: `a table`. */
interface OwnedName {
  readonly name: string
  readonly owner: string
}

interface Named {
  readonly name: string
}

function owned(owner: string, things: readonly Named[]): OwnedName[] {
  return things.map(({ name }) => ({ name, owner }))
}

/** Every name in a schema. */
export function namesOf({
  tables,
  views,
  sequences,
  changeStreams,
  namespaces,
}: PhysicalSchema): OwnedName[] {
  return [
    ...tables.flatMap((table) => [
      ...tableNames(table, table.foreignKeys),
      ...owned('an index', table.indexes),
    ]),
    ...owned('a view', views),
    ...owned('a sequence', sequences),
    ...owned('a change stream', changeStreams),
    ...namespaces.map((name) => ({ name, owner: 'a named schema' })),
  ]
}

/** The names that are created and dropped with a table. */
function tableNames(table: PhysicalTable, foreignKeys: readonly Named[]): OwnedName[] {
  return [
    { name: table.name, owner: 'a table' },
    ...owned('a check', table.checks),
    ...owned('a foreign key', foreignKeys),
  ]
}

interface NamesIn {
  /** Names that become free. */
  readonly freed: readonly string[]
  readonly taken: readonly OwnedName[]
}

/** The names that a change gives up, and those that it takes. */
export function namesIn(change: SchemaChange, from: PhysicalSchema, to: PhysicalSchema): NamesIn {
  switch (change.kind) {
    case 'create-table': {
      const table = tableNamed(to, change.table)
      return takes(
        ...tableNames(
          table,
          change.foreignKeys.map((name) => ({ name })),
        ),
      )
    }
    case 'drop-table': {
      const table = tableNamed(from, change.table)
      return gives(...tableNames(table, table.foreignKeys).map(({ name }) => name))
    }
    case 'rename-table':
      return { freed: [change.table], taken: [{ name: change.to, owner: 'a table' }] }
    case 'add-check':
      return takes({ name: change.check.name, owner: 'a check' })
    case 'add-foreign-key':
      return takes({ name: change.foreignKey.name, owner: 'a foreign key' })
    case 'create-index':
      return takes({ name: change.index.name, owner: 'an index' })
    case 'create-sequence':
      return takes({ name: change.sequence.name, owner: 'a sequence' })
    case 'create-view':
      return takes({ name: change.view.name, owner: 'a view' })
    case 'create-change-stream':
      return takes({ name: change.stream.name, owner: 'a change stream' })
    case 'create-namespace':
      return takes({ name: change.name, owner: 'a named schema' })
    case 'drop-check':
    case 'drop-foreign-key':
    case 'drop-index':
    case 'drop-sequence':
    case 'drop-view':
    case 'drop-change-stream':
    case 'drop-namespace':
      return gives(change.name)
    default:
      return gives()
  }
}

function tableNamed({ tables }: PhysicalSchema, name: string): PhysicalTable {
  return present(
    tables.find((table) => sameName(table.name, name)),
    `table ${name}`,
  )
}

function takes(...taken: readonly OwnedName[]): NamesIn {
  return { freed: [], taken }
}

function gives(...freed: readonly string[]): NamesIn {
  return { freed, taken: [] }
}

/**
 * Everything but columns shares one name space, and changes are made in an order of their own: what comes before another thing
 * has given up its name cannot have that name in the same migration.
 */
export function refuseTakenNames(context: DiffContext, from: PhysicalSchema, to: PhysicalSchema): void {
  const owners = new Map<string, string>()
  const take = ({ name, owner }: OwnedName): void => void owners.set(folded(name), owner)
  namesOf(from).forEach(take)
  for (const change of context.changes) {
    const { freed, taken } = namesIn(change, from, to)
    for (const name of freed) owners.delete(folded(name))
    for (const each of taken) {
      const owner = owners.get(folded(each.name))
      if (owner === undefined) take(each)
      else {
        context.refuse({
          kind: 'name',
          table: each.name,
          message: `would be the name of ${each.owner}, but is still the name of ${owner}, which the same migration drops later.`,
          fix: 'Use another name, or drop the old object in an earlier migration.',
        })
      }
    }
  }
}
