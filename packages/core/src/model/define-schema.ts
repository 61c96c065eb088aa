import { SchemaError, type SchemaFinding } from '../errors.js'
import type { Column, ColumnDefinition } from './column.js'
import type { KeyPart } from './key.js'
import { definitionOf, modelName } from './model.js'
import type { Schema } from './schema.js'
import type { IndexOptions, IndexPart, SecondaryIndex } from './secondary-index.js'
import type { LintException, Table, TableDefinition } from './table.js'
import { validateTables } from './validate.js'

/**
 * Resolves what the models declare into a frozen `Schema` and checks its structure. Heat is judged later, where the
 * engine is known.
 *
 * @throws {SchemaError} with everything that is wrong, not only the first finding.
 * @example
 * const schema = defineSchema([Customer, Order])
 */
export function defineSchema(models: readonly object[]): Schema {
  const findings: SchemaFinding[] = []
  const definitions = new Map<object, TableDefinition>()
  for (const model of models) {
    const definition = definitionOf(model)
    if (definition) definitions.set(model, definition)
    else
      findings.push({
        table: modelName(model),
        message: 'is not a model.',
        fix: 'Decorate the class with @Table(name), or pass what defineTable returned.',
      })
  }

  const resolver = new Resolver(definitions, findings)
  const tables = [...definitions.keys()].map((model) => resolver.table(model))
  findings.push(...validateTables(tables))
  if (findings.length > 0) throw new SchemaError(findings)
  return deepFreeze({ version: 1, tables: parentsFirst(tables) })
}

class Resolver {
  readonly #definitions: ReadonlyMap<object, TableDefinition>
  readonly #findings: SchemaFinding[]
  readonly #tables = new Map<object, Table>()
  readonly #underway = new Set<object>()

  constructor(definitions: ReadonlyMap<object, TableDefinition>, findings: SchemaFinding[]) {
    this.#definitions = definitions
    this.#findings = findings
  }

  table(model: object): Table {
    const known = this.#tables.get(model)
    if (known) return known
    this.#underway.add(model)
    const table = this.#resolve(this.#definitions.get(model)!)
    this.#underway.delete(model)
    this.#tables.set(model, table)
    return table
  }

  #resolve(definition: TableDefinition): Table {
    const { name, options } = definition
    const parent = options.interleaveIn && this.#parent(name, options.interleaveIn())
    const columns = definition.columns.flatMap((column) => this.#column(name, column, parent) ?? [])
    return {
      name,
      columns,
      primaryKey: primaryKey(definition, columns, parent),
      indexes: definition.indexes.map((index) => this.#index(name, index)),
      ...(parent && { parent: { table: parent.name, onDelete: options.onDelete ?? 'no action' } }),
      exceptions: (options.except ?? []).map((exception): LintException => ({ ...exception })),
    }
  }

  #parent(table: string, model: object): Table | undefined {
    if (!this.#definitions.has(model)) {
      this.#findings.push({
        table,
        message: `is interleaved in ${modelName(model)}, which is not in this schema.`,
        fix: 'Pass the parent to defineSchema as well.',
      })
      return undefined
    }
    if (this.#underway.has(model)) {
      this.#findings.push({
        table,
        message: `is interleaved in ${modelName(model)}, which is interleaved in ${table} in turn.`,
        fix: 'Interleaving makes a tree: take one of the two interleaveIn options away.',
      })
      return undefined
    }
    return this.table(model)
  }

  #column(table: string, definition: ColumnDefinition, parent: Table | undefined): Column | undefined {
    const { property, immutable = false } = definition
    if (definition.parentKey) {
      const inherited = parent?.primaryKey.some((part) => part.property === property)
        ? parent.columns.find((column) => column.property === property)
        : undefined
      if (inherited) return { ...inherited, inherited: true }
      this.#findings.push({
        table,
        column: property,
        message: parent
          ? `is a @ParentKey, but ${parent.name} has no key part of that name.`
          : 'is a @ParentKey, but the table has no parent.',
        fix: parent
          ? `Name it after one of ${parent.primaryKey.map((part) => part.property).join(', ')}.`
          : 'Add interleaveIn: () => Parent to the table, or use @Key.',
      })
      return undefined
    }
    if (!definition.type) {
      this.#findings.push({
        table,
        column: property,
        message: 'has no type.',
        fix: 'Say which: @Column.string(), @Column.int64(), @Column.timestamp() …',
      })
      return undefined
    }
    return {
      property,
      name: definition.name ?? property,
      type: definition.type,
      nullable: definition.nullable ?? false,
      immutable,
      inherited: false,
      ...(definition.source && { source: definition.source }),
    }
  }

  #index(table: string, index: IndexOptions): SecondaryIndex {
    const parts = index.on.map(keyPart)
    const name = index.name ?? [table, ...parts.map((part) => part.property)].join('_')
    const interleaveIn = index.interleaveIn && this.#definitions.get(index.interleaveIn())?.name
    if (index.interleaveIn && interleaveIn === undefined) {
      this.#findings.push({
        table,
        message: `has the index ${name}, interleaved in ${modelName(index.interleaveIn())}, which is not in this schema.`,
        fix: 'Pass that table to defineSchema as well.',
      })
    }
    return {
      name,
      parts,
      unique: index.unique ?? false,
      nullFiltered: index.nullFiltered ?? false,
      storing: [...(index.storing ?? [])],
      ...(interleaveIn !== undefined && { interleaveIn }),
      ...(index.shard && {
        shard: { column: `${name}_shard`, shards: index.shard.shards, of: [...index.shard.of] },
      }),
    }
  }
}

function primaryKey(
  definition: TableDefinition,
  columns: readonly Column[],
  parent: Table | undefined,
): KeyPart[] {
  const order = (property: string): 'asc' | 'desc' =>
    definition.columns.find((column) => column.property === property && !column.parentKey)?.key ??
    parent?.primaryKey.find((part) => part.property === property)?.order ??
    'asc'
  const properties =
    definition.options.primaryKey ??
    columns
      .filter(({ property, inherited }) => {
        return inherited || definition.columns.some((column) => column.property === property && column.key)
      })
      .map(({ property }) => property)
  return properties.map((property) => ({ property, order: order(property) }))
}

function keyPart(part: IndexPart): KeyPart {
  return typeof part === 'string'
    ? { property: part, order: 'asc' }
    : { property: part.property, order: part.order ?? 'asc' }
}

function parentsFirst(tables: readonly Table[]): Table[] {
  const sorted = new Set<Table>()
  const add = (table: Table): void => {
    const parent = table.parent && tables.find((other) => other.name === table.parent?.table)
    if (parent) add(parent)
    sorted.add(table)
  }
  for (const table of tables) add(table)
  return [...sorted]
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) deepFreeze(inner)
  }
  return value
}
