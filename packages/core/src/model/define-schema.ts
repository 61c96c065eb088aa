import { present } from '../known.js'
import { SchemaError, type SchemaFinding } from '../errors.js'
import { type Binding, bind } from './bindings.js'
import { columnDefault } from './column-default.js'
import type { Column, ColumnDefinition, SourceDefinition } from './column.js'
import { cappingShard, constraintName, generatedKeyObstacle, generatedName } from './generated.js'
import { markChecked, validateSchema } from './validate.js'
import { deepFreeze } from './deep-freeze.js'
import type { KeyPart, ValueSource } from './key.js'
import { LOAD_ONCE, loadedTwice, otherLoad } from './loaded-twice.js'
import { definitionOf, isModel, modelName } from './model.js'
import { type Schema, inNamespaceOf } from './schema.js'
import { type SchemaOptions, schemaObjects, sequenceNameOf } from './schema-objects.js'
import type { IndexKeyPart, IndexOptions, IndexPart, SecondaryIndex } from './secondary-index.js'
import {
  type Workload,
  type ForeignKey,
  type ForeignKeyOptions,
  type Suppression,
  type Table,
  type TableDefinition,
  partitionLength,
} from './table.js'
import { schemaUserTypes } from './user-types.js'
import { list } from './validate-keys.js'
import { schemaShapeFindings, tableShapeFindings } from './shapes.js'

/** A decorator above `@Table` that returns a new class leaves the definition on the class that the new one extends. */
function extendsModel(model: object): boolean {
  let parent: unknown = typeof model === 'function' && Object.getPrototypeOf(model)
  for (; parent; parent = Object.getPrototypeOf(parent)) if (isModel(parent)) return true
  return false
}

/**
 * Resolves what the models declare into a frozen `Schema` and checks its structure. Hotspots are checked later, where the
 * engine is known.
 *
 * @throws {SchemaError} with everything that is wrong, not only the first finding.
 * @example
 * const schema = defineSchema([Customer, Order], { changeStreams: [{ name: 'Everything', watch: 'all' }] })
 */
export function defineSchema(models: readonly object[], options: SchemaOptions = {}): Schema {
  const shape = schemaShapeFindings(models, options)
  if (shape.length > 0) throw new SchemaError(shape)
  const findings: SchemaFinding[] = []
  const definitions = new Map<object, TableDefinition>()
  const loads = new Map<object, object>()
  for (const model of models) {
    const definition = definitionOf(model)
    if (!definition) {
      const isReplaced = extendsModel(model)
      findings.push({
        table: modelName(model),
        message: isReplaced ? 'is not a model, but extends one.' : 'is not a model.',
        fix: isReplaced
          ? 'Put @Table above a decorator that returns a new class, or decorate this class with @Table(name).'
          : 'Decorate the class with @Table(name), or pass what defineTable returned.',
      })
    } else if (definitions.has(model))
      findings.push({ table: definition.name, message: 'is given twice.', fix: 'List each model once.' })
    else {
      const other = otherLoad([model, definition], definitions)
      if (other) {
        // Once for the model, and not again for the names of its indexes and constraints.
        const message = loadedTwice(other[1], definition)
        findings.push({ table: definition.name, message, fix: LOAD_ONCE })
        loads.set(model, other[0])
      } else definitions.set(model, definition)
    }
  }

  const shapes = [...definitions.values()].flatMap(tableShapeFindings)
  // A declaration of the wrong shape cannot be resolved.
  if (shapes.length > 0) throw new SchemaError([...findings, ...shapes])

  const resolver = new Resolver(definitions, loads, findings)
  const tables = [...definitions.keys()].map((model) => resolver.table(model))
  const schema: Schema = {
    version: 1,
    tables: parentsFirst(tables),
    ...schemaObjects(tables, [...definitions.values()], options, findings),
    ...schemaUserTypes([...definitions.values()], options.userTypes ?? [], findings),
  }
  for (const each of validateSchema(schema)) findings.push(each)
  if (findings.length > 0) throw new SchemaError(findings)
  return markChecked(deepFreeze(schema))
}

/** A column whose source may leave open who computes it. */
type UndecidedColumn = Omit<Column, 'source'> & Pick<ColumnDefinition, 'source' | 'binding'>

class Resolver {
  readonly #definitions: ReadonlyMap<object, TableDefinition>
  /** Second loads of models, which have been reported, with the first. */
  readonly #loads: ReadonlyMap<object, object>
  readonly #findings: SchemaFinding[]
  readonly #tables = new Map<object, Table>()
  readonly #underway = new Set<object>()

  constructor(
    definitions: ReadonlyMap<object, TableDefinition>,
    loads: ReadonlyMap<object, object>,
    findings: SchemaFinding[],
  ) {
    this.#definitions = definitions
    this.#loads = loads
    this.#findings = findings
  }

  table(model: object): Table {
    const known = this.#tables.get(model)
    if (known) return known
    this.#underway.add(model)
    const table = this.#resolve(model, present(this.#definitions.get(model), 'definition of a model'))
    this.#underway.delete(model)
    this.#tables.set(model, table)
    return table
  }

  #resolve(model: object, definition: TableDefinition): Table {
    const { name, options } = definition
    const parent = options.interleaveIn && this.#parent(name, options.interleaveIn())
    const undecided = definition.columns.flatMap((column) => this.#column(name, column, parent) ?? [])
    const key = primaryKey(definition, undecided, parent)
    this.#contradictions(definition, key)
    if (!options.interleaveIn) this.#meaningless(definition)
    const columns = undecided.map((column) => this.#decided(name, column, undecided, key))
    const capping = cappingShard({ columns, primaryKey: key })
    if (capping) {
      const { property, shards, of } = capping
      this.#findings.push({
        table: name,
        column: property,
        message: `makes the key without ${of.join(', ')}, which it hashes: rows of one shard would be one row, ${shards} at most.`,
        fix: `Add what is unique to the key: @Key() ${of[0]}, or @UuidV4.`,
      })
    }
    return {
      name,
      columns,
      primaryKey: key,
      indexes: definition.indexes.map((index) => this.#index(name, index)),
      ...(parent && {
        parent: {
          table: parent.name,
          onDelete: options.onDelete ?? 'no action',
          ...(options.requireParent === false && { required: false as const }),
        },
      }),
      ...(options.opaqueColumns?.length && {
        opaqueColumns: options.opaqueColumns.map((column) => ({ ...column })),
      }),
      checks: (options.checks ?? []).map(({ unnamed, ...check }) => ({
        ...check,
        ...(unnamed === true && { unnamed }),
      })),
      foreignKeys: (options.foreignKeys ?? []).flatMap((key) => this.#foreignKey(name, key, model) ?? []),
      ...(options.rowDeletion && { rowDeletion: { ...options.rowDeletion } }),
      ...partitionKey(definition, parent, { columns: undecided as never, primaryKey: key }),
      ...(options.ttlSeconds !== undefined && { ttlSeconds: options.ttlSeconds }),
      ...(options.writesExpire === true && { writesExpire: true as const }),
      ...(options.rows !== undefined && { rows: options.rows }),
      ...(options.workload && { workload: workloadOf(options.workload) }),
      suppressions: (options.suppress ?? []).map((suppression): Suppression => ({ ...suppression })),
    }
  }

  /** Options of a table about its parent, in a table without a parent. */
  #meaningless({ name, options: { onDelete, requireParent, workload } }: TableDefinition): void {
    const parentOptions = {
      onDelete,
      requireParent,
      'workload.childrenPerRow': workload?.childrenPerRow,
      'workload.writesPerRootRow': workload?.writesPerRootRow,
    }
    for (const [option, value] of Object.entries(parentOptions)) {
      if (value === undefined) continue
      this.#findings.push({
        table: name,
        message: `has ${option}, and is interleaved in no table.`,
        fix: `Leave ${option} out, or add interleaveIn: () => Parent.`,
      })
    }
  }

  /** Reports columns whose own declaration as key parts contradicts `primaryKey`. */
  #contradictions({ name: table, columns, options }: TableDefinition, primaryKey: readonly KeyPart[]): void {
    if (!options.primaryKey) return
    for (const { property, key, source } of columns) {
      // If a value has a meaning only in a key, the check of its source reports that.
      if (key === undefined || (source && KEYS_ALONE.has(source.kind))) continue
      const inKey = primaryKey.some((part) => part.property === property)
      if (inKey === (key !== false)) continue
      this.#findings.push({
        table,
        column: property,
        message: inKey
          ? 'is in primaryKey, but is declared with key: false.'
          : 'is declared as a key part, but primaryKey leaves it out.',
        fix: inKey
          ? 'Leave key: false out, or take it out of primaryKey.'
          : `Add it: primaryKey: ${list([...options.primaryKey, property])}. Or declare a plain column: ${plainForm(source)}.`,
      })
    }
  }

  /** Decides who computes a shard or a hash, and keeps the functions that a schema cannot hold. */
  #decided(
    table: string,
    { source: declared, ...column }: UndecidedColumn,
    columns: readonly UndecidedColumn[],
    primaryKey: readonly KeyPart[],
  ): Column {
    const { binding, ...rest } = column
    if (!declared) return rest
    // The parent has settled it already, and its source is the same object in every child.
    if (rest.inherited) return { ...rest, source: declared as ValueSource }
    const source = this.#settle(table, rest.property, declared, { columns: columns as never, primaryKey })
    const byDatabase = wishedOfDatabase(declared, binding)
    if (binding || byDatabase) bind(source, { ...binding, ...(byDatabase && { byDatabase }) })
    return { ...rest, source }
  }

  #settle(
    table: string,
    property: string,
    declared: SourceDefinition,
    shape: Pick<Table, 'columns' | 'primaryKey'>,
  ): ValueSource {
    if (declared.kind === 'bit-reversed' && declared.from === 'sequence') {
      const sequence = sequenceNameOf(table, columnNameOf(shape, property), declared.sequence)
      return { kind: 'bit-reversed', from: 'sequence', sequence }
    }
    if (declared.kind !== 'shard' && declared.kind !== 'hash') return declared
    if (declared.computedBy === 'client') return { ...declared, computedBy: 'client' }
    const obstacle =
      declared.kind === 'shard' && declared.expression !== undefined
        ? undefined
        : generatedKeyObstacle(shape, declared.of)
    if (obstacle !== undefined && declared.computedBy === 'database') {
      this.#findings.push({
        table,
        column: property,
        message: `cannot be computed by the database: ${obstacle}.`,
        fix: "Use computedBy: 'client', or hash other columns.",
      })
    }
    return { ...declared, computedBy: obstacle === undefined ? 'database' : 'client' }
  }

  #foreignKey(table: string, options: ForeignKeyOptions, own: object): ForeignKey | undefined {
    const { columns, onDelete = 'no action', enforced, unnamed } = options
    const reference = options.references === 'self' ? own : options.references()
    const model = this.#named(table, `refers to ${modelName(reference)}`, reference, PASS_IT)
    const other = model && this.#definitions.get(model)
    if (!other) return undefined
    return {
      name: options.name ?? constraintName(table, ...columns, 'fk'),
      ...(unnamed === true && { unnamed }),
      columns: [...columns],
      table: other.name,
      references: [...(options.on ?? this.#keyOf(model))],
      onDelete,
      ...(enforced === false && { enforced }),
    }
  }

  /** The primary key of another table, which may be this one, still being resolved. */
  #keyOf(model: object): readonly string[] {
    const known = this.#tables.get(model)
    if (known) return known.primaryKey.map((part) => part.property)
    const definition = present(this.#definitions.get(model), 'definition of a model')
    return (
      definition.options.primaryKey ??
      definition.columns.filter((column) => column.key || column.parentKey).map((column) => column.property)
    )
  }

  /**
   * A model of the schema that a table names, or undefined. Reports one that is not in the schema; if another load of it is, the
   * mistake is reported and that load is taken, so that nothing is reported that follows from it.
   */
  #named(table: string, what: string, reference: object, fix: string): object | undefined {
    const model = this.#loads.get(reference) ?? reference
    if (this.#definitions.has(model)) return model
    const definition = definitionOf(reference)
    const other = definition && otherLoad([reference, definition], this.#definitions)
    this.#findings.push(
      other
        ? { table, message: `${what}, which ${loadedTwice(other[1], definition)}`, fix: LOAD_ONCE }
        : { table, message: `${what}, which is not in this schema.`, fix },
    )
    return other?.[0]
  }

  #parent(table: string, reference: object): Table | undefined {
    const what = `is interleaved in ${modelName(reference)}`
    const model = this.#named(table, what, reference, 'Pass the parent to defineSchema as well.')
    if (!model) return undefined
    if (this.#underway.has(model)) {
      this.#findings.push({
        table,
        message: `${what}, which is itself interleaved in ${table}.`,
        fix: 'Interleaved tables form a tree: remove one of the two interleaveIn options.',
      })
      return undefined
    }
    return this.table(model)
  }

  #column(
    table: string,
    definition: ColumnDefinition,
    parent: Table | undefined,
  ): UndecidedColumn | undefined {
    const { property, immutable = false, generated, hidden, binding, static: isStatic } = definition
    if (definition.parentKey) {
      const inherited = parent?.primaryKey.some((part) => part.property === property)
        ? parent.columns.find((column) => column.property === property)
        : undefined
      if (inherited) {
        const { default: _, generated: __, ...column } = inherited
        return { ...column, inherited: true }
      }
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
        fix: 'Declare it: @Column.string(), @Column.int64(), @Column.timestamp() …',
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
      ...this.#default(table, definition),
      ...(generated && { generated }),
      ...(hidden && { hidden }),
      ...(isStatic && { static: isStatic }),
      ...(binding && { binding }),
    }
  }

  #default(
    table: string,
    { property, type, default: defaultValue }: ColumnDefinition,
  ): Pick<Column, 'default'> {
    if (defaultValue === undefined || !type) return {}
    const found = columnDefault(type, defaultValue)
    if ('kept' in found) return { default: found.kept }
    this.#findings.push({ table, column: property, ...found.refused })
    return {}
  }

  #index(table: string, index: IndexOptions): SecondaryIndex {
    const parts = index.on.map(keyPart)
    const name =
      index.name ?? inNamespaceOf(table, generatedName(table, ...parts.map((part) => part.property)))
    const reference = index.interleaveIn?.()
    const what = `has the index ${name}, interleaved in ${modelName(reference)}`
    const parent = reference && this.#named(table, what, reference, PASS_IT)
    const interleaveIn = parent && this.#definitions.get(parent)?.name
    return {
      name,
      parts,
      unique: index.unique ?? false,
      nullFiltered: index.nullFiltered ?? false,
      notNull: [...(index.notNull ?? [])],
      storing: [...(index.storing ?? [])],
      ...(interleaveIn !== undefined && { interleaveIn }),
      ...(index.shard && {
        shard: { column: generatedName(name, 'shard'), shards: index.shard.shards, of: [...index.shard.of] },
      }),
    }
  }
}

const PASS_IT = 'Pass that table to defineSchema as well.'

/** Sources that are of no use outside the key. */
const KEYS_ALONE: ReadonlySet<SourceDefinition['kind']> = new Set(['shard', 'hash', 'time-bucket'])

/** How a column outside the key is declared. */
function plainForm(source: SourceDefinition | undefined): string {
  if (source?.kind === 'timestamp') return 't.timestamp() or @Column.timestamp(), with the same default'
  return source ? 'key: false' : 'without .key(), @Key or another key declaration'
}

function primaryKey(
  definition: TableDefinition,
  columns: readonly UndecidedColumn[],
  parent: Table | undefined,
): KeyPart[] {
  const order = (property: string): 'asc' | 'desc' =>
    definition.columns.find((column) => column.property === property && !column.parentKey)?.key ||
    parent?.primaryKey.find((part) => part.property === property)?.order ||
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

/**
 * The declared partition key; for an interleaved table, its parent's, stored wherever `partitionLength` would find another.
 */
function partitionKey(
  { options }: TableDefinition,
  parent: Table | undefined,
  shape: Pick<Table, 'columns' | 'primaryKey'>,
): Pick<Table, 'partitionKey'> {
  if (options.partitionKey) return { partitionKey: [...options.partitionKey] }
  if (!parent) return {}
  const length = partitionLength(parent)
  const found = partitionLength({ ...shape, parent: { table: parent.name, onDelete: 'no action' } })
  if (!parent.partitionKey && found === length) return {}
  return { partitionKey: parent.primaryKey.slice(0, length).map(({ property }) => property) }
}

function workloadOf({ distinct, ...load }: Workload): Workload {
  return { ...load, ...(distinct && { distinct: { ...distinct } }) }
}

function keyPart(part: IndexPart): IndexKeyPart {
  if (typeof part === 'string') return { property: part, order: 'asc' }
  const { property, order = 'asc', nulls } = part
  return { property, order, ...(nulls && { nulls }) }
}

function columnNameOf({ columns }: Pick<Table, 'columns'>, property: string): string {
  return columns.find((column) => column.property === property)?.name ?? property
}

function parentsFirst(tables: readonly Table[]): Table[] {
  const sorted = new Set<Table>()
  const underway = new Set<Table>()
  const add = (table: Table): void => {
    // Two tables of one name have been reported, and would go round in circles.
    if (underway.has(table)) return
    underway.add(table)
    const parent = table.parent && tables.find((other) => other.name === table.parent?.table)
    if (parent) add(parent)
    sorted.add(table)
  }
  for (const table of tables) add(table)
  return [...sorted]
}

/**
 * The option that requires the database to compute the value; undefined if there is none: the database then computes it
 * whenever it can.
 */
function wishedOfDatabase(source: SourceDefinition, binding: Binding | undefined): Binding['byDatabase'] {
  if (source.kind !== 'shard' && source.kind !== 'hash') return undefined
  if (source.computedBy === 'database') return 'computedBy'
  return source.kind === 'shard' && source.expression !== undefined && !binding?.shard
    ? 'expression'
    : undefined
}
