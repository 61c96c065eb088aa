import {
  type Schema,
  type SecondaryIndex,
  type Table,
  generatedName,
  known,
  paired,
} from '@isotherm/core/engine'
import { inNamespaceOf } from '@isotherm/core/tools'

/** What a model has to name, so that it means the object of the new table. */
export interface ModelName {
  readonly kind: 'index' | 'check' | 'foreign key' | 'sequence'
  /** As the model has it now: the name, or for a sequence the column that draws from it. */
  readonly of: string
  readonly name: string
}

export interface RenamedTable {
  readonly table: Table
  readonly modelNames: readonly ModelName[]
}

export interface TableNaming {
  readonly name: string
  readonly suffix: string
  /** The new names of all tables that move, by their old names. */
  readonly names: ReadonlyMap<string, string>
  readonly taken: ReadonlySet<string>
}

/** Names that new objects cannot have, in lower case: a database may know no two that differ in that alone. */
export function takenNames(schemas: readonly Schema[], newTables: Iterable<string>): ReadonlySet<string> {
  const named = schemas.flatMap(({ tables, sequences, views }) => [
    ...tables,
    ...tables.flatMap(({ indexes, checks, foreignKeys }) => [...indexes, ...checks, ...foreignKeys]),
    ...sequences,
    ...views,
  ])
  return new Set([...named.map(({ name }) => name), ...newTables].map((name) => name.toLowerCase()))
}

/**
 * The new table beside the old one, which still has the names of the model's indexes and constraints. A default name becomes
 * the default name under the new table's name, so that a model which does not give it needs no change.
 */
export function renamedTable(table: Table, naming: TableNaming): RenamedTable {
  const { name, suffix, names } = naming
  const other = (each: string): string => names.get(each) ?? each
  const newName = (own: string, defaultFor: (table: string) => string): string => {
    const standard = defaultFor(name)
    const isFree = !naming.taken.has(standard.toLowerCase())
    return own === defaultFor(table.name) && isFree ? standard : own + suffix
  }
  const indexNames = new Map(
    table.indexes.map((index) => [index.name, newName(index.name, (of) => defaultIndexName(of, index))]),
  )
  const indexes = table.indexes.map((index) => renamedIndex(index, known(indexNames, index.name), other))
  const checks = table.checks.map((check) => ({ ...check, name: check.name + suffix }))
  const foreignKeys = table.foreignKeys.map((key) => ({
    ...key,
    name: newName(key.name, (of) => defaultForeignKeyName(of, key.columns)),
  }))
  return {
    table: {
      ...table,
      name,
      ...(table.parent && { parent: { ...table.parent, table: other(table.parent.table) } }),
      indexes,
      checks,
      foreignKeys,
      suppressions: table.suppressions.map(({ on, ...suppression }) => ({
        ...suppression,
        ...(on !== undefined && { on: indexNames.get(on) ?? on }),
      })),
    },
    modelNames: [
      ...modelNames('index', table.indexes, indexes),
      ...modelNames('check', table.checks, checks),
      ...modelNames('foreign key', table.foreignKeys, foreignKeys),
      ...defaultSequences(table),
    ],
  }
}

interface Named {
  readonly name: string
}

function modelNames(kind: ModelName['kind'], before: readonly Named[], after: readonly Named[]): ModelName[] {
  return paired(before, after).map(([{ name: of }, { name }]) => ({ kind, of, name }))
}

function defaultIndexName(table: string, { parts }: SecondaryIndex): string {
  return inNamespaceOf(table, generatedName(table, ...parts.map(({ property }) => property)))
}

/** Constraints are in no named schema: the table's is a part of the name. */
function defaultForeignKeyName(table: string, columns: readonly string[]): string {
  return generatedName(table.replace('.', '_'), ...columns, 'fk')
}

function renamedIndex(index: SecondaryIndex, name: string, other: (table: string) => string): SecondaryIndex {
  const { shard, interleaveIn } = index
  return {
    ...index,
    name,
    ...(interleaveIn !== undefined && { interleaveIn: other(interleaveIn) }),
    // A model names this column after the index.
    ...(shard?.column === generatedName(index.name, 'shard') && {
      shard: { ...shard, column: generatedName(name, 'shard') },
    }),
  }
}

/** Both tables draw from one sequence, whose default name has the name of the old table in it. */
function defaultSequences({ name: table, columns }: Table): ModelName[] {
  return columns.flatMap(({ name, property, inherited, source }): ModelName[] => {
    if (inherited || source?.kind !== 'bit-reversed' || source.sequence === undefined) return []
    if (source.sequence !== inNamespaceOf(table, generatedName(table, name, 'seq'))) return []
    return [{ kind: 'sequence', of: property, name: source.sequence }]
  })
}

/** `the model to @Table('Log_r8'), with the name 'ByPage_r8' for its index ByPage` */
export function modelChange({ table, modelNames }: RenamedTable): string {
  const [first, ...others] = modelNames.map(
    ({ kind, of, name }) =>
      `'${name}' for ${kind === 'sequence' ? `the sequence of ${of}` : `its ${kind} ${of}`}`,
  )
  const to = `to @Table('${table.name}')`
  if (first === undefined) return to
  const last = others.pop()
  const list = last === undefined ? first : `${[first, ...others].join(', ')} and ${last}`
  return `${to}, with the ${last === undefined ? 'name' : 'names'} ${list}`
}
