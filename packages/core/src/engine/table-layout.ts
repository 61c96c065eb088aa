import { known, present } from '../known.js'
import { type TypeKind, describeType, innerTypes, isComposite, typesWithin } from '../model/column-type.js'
import { type Table, columnOf, partitionLength } from '../model/table.js'
import { IsothermError, unsupportedModel } from '../errors.js'
import { type ColumnDefault, valueOf } from '../model/column-default.js'
import type { Column } from '../model/column.js'
import type { HashAlgorithm, HashSource, Order, ShardSource } from '../model/key.js'
import type { SecondaryIndex } from '../model/secondary-index.js'
import { type SqlExpression, missingTextFix, sqlFor } from '../model/sql-expression.js'
import type { NullOrder } from './dialect.js'
import { canCompute, fieldErrors, fillOf, plainField, splitUuidField } from '../layout/field.js'
import type {
  Field,
  IndexLayout,
  Made,
  PhysicalColumn,
  PhysicalKeyPart,
  TableLayout,
  Wire,
  WireType,
} from '../layout/layout.js'
import { type ValueRules, valueCodec } from '../layout/values.js'

/** The type that holds the same values, if there is one. */
const INSTEAD: { readonly [Kind in TypeKind]?: string } = {
  int32: 'int64',
  int16: 'int64',
  int8: 'int64',
  varint: 'numeric',
  decimal: 'numeric',
  time: 'an int64 of nanoseconds, or a string',
  duration: 'int64 for months, days and nanoseconds',
  inet: 'string',
  timeuuid: 'a timestamp and a @UuidV4',
  ascii: 'string',
  counter: 'int64, changed in a transaction',
  set: 'array, or json',
  map: 'json',
  tuple: 'a column for each of its values, or json',
  udt: 'a column for each of its fields, or json',
  vector: 'array of float32',
}

/**
 * Refuses what a table has for other engines.
 *
 * @throws {IsothermError} `UNSUPPORTED_MODEL` naming the column, and what to use instead.
 */
function refuseForeignTypes(
  table: Table,
  { types: kinds, statics, writesExpire, values: { dialect } }: LayoutRules,
): void {
  for (const { type, property, static: isStatic } of table.columns) {
    const foreign = typesWithin(type).find(({ kind }) => !kinds.has(kind))
    if (foreign) {
      throw unsupportedModel(
        table.name,
        `is of type ${describeType(type)}, which ${dialect} does not have.`,
        `Use ${INSTEAD[foreign.kind] ?? 'another type'}.`,
        property,
      )
    }
    if (innerTypes(type).some(isComposite)) {
      throw unsupportedModel(
        table.name,
        `is an ${describeType(type)}, and ${dialect} has no arrays of arrays.`,
        'Use json, or a table of its own.',
        property,
      )
    }
    if (isStatic && !statics) {
      throw unsupportedModel(
        table.name,
        `is static, but ${dialect} stores one value for each row.`,
        'Keep it in a parent table, in which this one is interleaved.',
        property,
      )
    }
    if (isComposite(type) && table.primaryKey.some((part) => part.property === property)) {
      throw unsupportedModel(
        table.name,
        `is a key part of type ${describeType(type)}.`,
        `No key in ${dialect} has that type: choose another column.`,
        property,
      )
    }
  }
  if (table.ttlSeconds !== undefined) {
    throw unsupportedModel(
      table.name,
      `sets ttlSeconds: ${table.ttlSeconds}, which ${dialect} does not support.`,
      `Use rowDeletion: a timestamp column, and days: ${Math.ceil(table.ttlSeconds / 86_400)}.`,
    )
  }
  if (table.writesExpire && !writesExpire) {
    throw unsupportedModel(
      table.name,
      `declares writesExpire, and ${dialect} has no time to live of a write.`,
      'Remove writesExpire, and use rowDeletion: a timestamp column, and days.',
    )
  }
}

// The layout that SQL dialects of one database have in common. What differs is in their rules.

export interface HashedColumn {
  readonly name: string
  readonly type: Column['type']
  readonly nullable: boolean
}

/** A column that sorts in the opposite direction of its value. */
export interface Mirror {
  readonly name: string
  readonly expression: string
  /** Whether values that differ may have the same mirror. */
  readonly coarse: boolean
  encode(value: unknown): Wire
}

export interface LayoutRules {
  readonly values: ValueRules
  /** The types that the dialect has. */
  readonly types: ReadonlySet<TypeKind>
  readonly nulls: NullOrder
  /** Whether a float in a key may be NaN. */
  readonly nanInKeys: boolean
  /** The values that the database computes. Absent: none, and a column that needs it is refused. */
  readonly computes?: ComputedValues
  /**
   * Rows are stored in partitions, by the first columns of the key: there is no order across them. Default: one order over
   * all rows.
   */
  readonly partitioned?: true
  /** A partition can have values that all its rows share. Default: false, and static columns are refused. */
  readonly statics?: true
  /** Writes may set when their cells expire. */
  readonly writesExpire?: true
}

/** How the database computes values, in the dialect's SQL. */
export interface ComputedValues {
  /** A value as DDL writes it. */
  literal(wire: Wire, type: WireType): string
  /** The database's clock, as a default. */
  readonly clock: string
  /** Whether the schema says which columns take commit timestamps; otherwise each timestamp may be one. */
  readonly marksCommitTimestamps: boolean
  /** The database's default for each column of a UUID; undefined where it can make none. */
  uuidDefaults(column: Column): readonly (string | undefined)[]
  shardExpression(columns: readonly HashedColumn[], source: ShardSource): string
  /** An index's shard is stored with its row. Default: computed when it is read. */
  readonly storesIndexShards?: true
  hashExpression(columns: readonly HashedColumn[], algorithm: HashAlgorithm): string
  /**
   * Whether the database can write the text, or the bytes, that is hashed, and has the hash.
   *
   * @param algorithm of a whole hash; undefined for that of shards
   */
  canHash(columns: readonly HashedColumn[], algorithm: HashAlgorithm | undefined): boolean
  /** For a descending key part, in a dialect whose keys cannot descend. @throws {IsothermError} `UNSUPPORTED_MODEL`. */
  mirrorOf?(table: Table, column: Column): Mirror
}

export function tableLayout(table: Table, rules: LayoutRules): TableLayout {
  refuseForeignTypes(table, rules)
  const fields = table.columns.map((column) => fieldOf(table, column, rules))
  const byProperty = new Map(fields.map((field) => [field.column.property, field]))
  const key = table.primaryKey.flatMap(({ property, order }) => keyParts(known(byProperty, property), order))
  // In one order over all rows, only the first column can separate shards; partitions may have several columns.
  const leading = rules.partitioned ? key : key.slice(0, 1)
  const shards = new Map(
    table.indexes.flatMap((index) => {
      const field = index.shard && indexShardField(table, index, rules)
      return field ? [[index, field] as const] : []
    }),
  )
  const grouped = groupedParts(key)
  const columns = [
    ...fields.flatMap((field) => (field.mirror ? [field.mirror, ...field.physical] : field.physical)),
    ...[...shards.values()].flatMap((field) => field.physical),
  ]
  refuseClashes(table, columns)
  return {
    table,
    fields,
    byProperty,
    columns,
    key,
    ...(grouped !== undefined && { grouped }),
    ...(rules.partitioned && partitionOf(table, key)),
    shard: leading.find(({ field }) => field.column.source?.kind === 'shard')?.field,
    indexes: table.indexes.map((index) => indexLayout(index, shards.get(index), byProperty, key, rules)),
    hash64: rules.values.hash64,
  }
}

/** Rows of a partition are in order, and can be read backwards. */
function partitionOf(
  table: Table,
  key: readonly PhysicalKeyPart[],
): Pick<TableLayout, 'partition' | 'reversible'> {
  const first = new Set(table.primaryKey.slice(0, partitionLength(table)).map(({ property }) => property))
  const partition = key.filter(({ field }) => first.has(field.column.property)).length
  return { partition, ...(key.length > partition && { reversible: true }) }
}

/** The names of a UUID's halves, a mirror or an index's shard may clash with another column's name. */
export function refuseClashes(table: Table, columns: readonly PhysicalColumn[]): void {
  const names = new Set<string>()
  for (const { name } of columns) {
    const folded = name.toLowerCase()
    if (names.has(folded)) {
      throw new IsothermError('UNSUPPORTED_MODEL', `${table.name} would have two columns named ${name}.`, {
        fix: 'Rename one of them: case does not count. One may be made for another column or an index.',
        table: table.name,
        column: name,
      })
    }
    names.add(folded)
  }
}

/** A mirrored part is the mirror, in the order that the database can keep, and the value behind it. */
function keyParts(field: Field, order: Order): PhysicalKeyPart[] {
  if (field.mirror) {
    return [
      { field, column: field.mirror, order: 'asc' },
      ...field.physical.map((column) => ({ field, column, order: 'asc' as const })),
    ]
  }
  return field.physical.map((column) => ({ field, column, order }))
}

/** Rows with the same coarse mirror come in the ascending order of the key parts after it: the key only groups them. */
function groupedParts(key: readonly PhysicalKeyPart[]): number | undefined {
  const mirror = key.findIndex(({ field, column }) => field.mirror === column && field.coarseMirror)
  return mirror < 0 ? undefined : mirror + 1
}

function indexLayout(
  index: SecondaryIndex,
  shard: Field | undefined,
  byProperty: ReadonlyMap<string, Field>,
  tableKey: readonly PhysicalKeyPart[],
  rules: LayoutRules,
): IndexLayout {
  const parts = index.parts.flatMap(({ property, order }) => plainParts(known(byProperty, property), order))
  const key = [
    ...(shard ? [{ field: shard, column: shard.physical[0], order: 'asc' as const }] : []),
    ...parts,
  ]
  // An index that begins with the parent's key has the parent's mirrors too: statements need not know that, reads by key
  // would.
  const mirrored = index.interleaveIn !== undefined && parts.some(({ field }) => field.mirror)
  // An index has NaN at the other end than an order.
  const mayHoldNan = !rules.nanInKeys && parts.some(({ field }) => isFloat(field) && !field.storesNoNan)
  const covered = [
    ...parts.map((part) => part.field),
    ...tableKey.map((part) => part.field),
    ...index.storing.map((property) => known(byProperty, property)),
  ]
  return {
    index,
    key,
    // A read of an index takes the index's own parts, which several rows may share.
    grouped: orderedParts(index, key, rules),
    shard,
    covered: new Set(covered),
    ...((mirrored || mayHoldNan) && { byStatement: true as const }),
  }
}

/** How many parts order rows as the dialect does: those before a part that has NULL at the other end. */
function orderedParts(
  { parts }: SecondaryIndex,
  key: readonly PhysicalKeyPart[],
  { nulls }: LayoutRules,
): number {
  const turned = key.findIndex(({ field, order }) => {
    const part = parts.find(({ property }) => property === field.column.property)
    return (
      part?.nulls !== undefined &&
      field.column.nullable &&
      part.nulls !== ((nulls === 'highest') === (order === 'asc') ? 'last' : 'first')
    )
  })
  return turned < 0 ? key.length : turned
}

function plainParts(field: Field, order: Order): PhysicalKeyPart[] {
  return field.physical.map((column) => ({ field, column, order }))
}

function indexShardField(table: Table, index: SecondaryIndex, rules: LayoutRules): Field {
  const { column: name, shards, of } = present(index.shard, `shard of ${index.name}`)
  if (!rules.computes) {
    const why = `has a shard that the database computes, but ${rules.values.dialect} does not compute values.`
    throw unsupportedModel(table.name, why, 'Shard the table itself.')
  }
  const source: ShardSource = { kind: 'shard', strategy: 'hash', shards, of, computedBy: 'database' }
  const column: Column = {
    property: name,
    name,
    type: { kind: 'int64' },
    nullable: false,
    immutable: false,
    inherited: false,
    source,
  }
  return plainField(table.name, column, valueCodec(column.type, rules.values), {
    fill: { by: 'database' },
    made: {
      by: 'generated',
      expression: rules.computes.shardExpression(hashed(table, of), source),
      stored: rules.computes.storesIndexShards ?? false,
    },
    hidden: true,
  })
}

function fieldOf(table: Table, column: Column, rules: LayoutRules): Field {
  const part = table.primaryKey.find(({ property }) => property === column.property)
  const field = rules.computes
    ? computedField(table, column, part?.order, rules, rules.computes)
    : clientField(table, column, rules)
  return part && !rules.nanInKeys && isFloat(field) ? { ...field, storesNoNan: true } : field
}

function isFloat({ column, mirror }: Field): boolean {
  return column.type.kind === 'float64' && !mirror
}

/** A field whose value only the client, or its caller, can make. */
function clientField(table: Table, column: Column, { values }: LayoutRules): Field {
  const fill = fillOf(table, column, values)
  const { type, property } = column
  if (fill.by === 'database' || fill.by === 'commit-timestamp') {
    const why = `is made by the database, but ${values.dialect} does not compute values.`
    throw unsupportedModel(table.name, why, 'Give its value with each row.', property)
  }
  return type.kind === 'uuid' && (type.storage === 'int64-pair' || type.storage === 'bytes')
    ? splitUuidField(table.name, column, type.storage, { fill, made: [] })
    : plainField(table.name, column, valueCodec(type, values), { fill })
}

/** @param order that of a key column */
function computedField(
  table: Table,
  column: Column,
  order: Order | undefined,
  rules: LayoutRules,
  computes: ComputedValues,
): Field {
  const fill = fillOf(table, column, rules.values)
  const { type } = column
  const mirror = order === 'desc' ? computes.mirrorOf?.(table, column) : undefined
  if (type.kind === 'uuid' && (type.storage === 'int64-pair' || type.storage === 'bytes')) {
    const defaults = isMadeByClient(column) ? computes.uuidDefaults(column) : []
    // Only a value that is stored in one column can have an expression of its own.
    const isValue = !column.source && column.default !== undefined && 'value' in column.default
    const own = column.source || isValue ? undefined : madeOf(table, column, rules, computes)
    if (isValue && !column.inherited && !column.generated) {
      const { physical } = splitUuidField(table.name, column, type.storage, { fill, made: [] })
      const { value } = column.default as { readonly value: string }
      const made = physical.map((part): Made => ({
        by: 'default',
        expression: computes.literal(part.encode(value), part.type),
      }))
      return splitUuidField(table.name, column, type.storage, { fill, made })
    }
    return splitUuidField(table.name, column, type.storage, {
      fill,
      made: own
        ? [own]
        : defaults.map((expression) =>
            expression === undefined ? undefined : { by: 'default', expression },
          ),
    })
  }
  const made = madeOf(table, column, rules, computes)
  const field = plainField(table.name, column, valueCodec(type, rules.values), {
    fill,
    ...(made && { made }),
    ...(column.hidden && { hidden: true }),
  })
  return mirror ? mirrored(field, mirror) : field
}

function mirrored(field: Field, { name, expression, coarse, encode }: Mirror): Field {
  const mirror: PhysicalColumn = {
    name,
    type: { kind: 'int64' },
    nullable: field.column.nullable,
    written: false,
    made: { by: 'generated', expression, stored: true },
    encode,
  }
  return { ...field, mirror, ...(coarse && { coarseMirror: true }) }
}

/** Whether the column's own table makes its value, rather than the parent's. */
function isMadeByClient({ source, inherited }: Column): boolean {
  return source?.kind === 'uuid-v4' && !inherited
}

function madeOf(
  table: Table,
  column: Column,
  rules: LayoutRules,
  computes: ComputedValues,
): Made | undefined {
  const { source } = column
  if (column.generated) {
    const expression = requiredSql(table, column, column.generated.expression, rules)
    const { stored, notNull } = column.generated
    return { by: 'generated', expression, stored, ...(!stored && notNull && { notNull }) }
  }
  if (source?.kind === 'shard' || source?.kind === 'hash')
    return computedBy(table, column, source, rules, computes)
  // A commit timestamp in a key is allowed in the whole row tree or nowhere.
  if (source?.kind === 'timestamp' && source.from === 'commit')
    return computes.marksCommitTimestamps ? { by: 'commit-timestamp' } : undefined
  if (column.inherited) return undefined
  if (column.default !== undefined)
    return { by: 'default', expression: defaultSql(table, column, column.default, rules, computes) }
  switch (source?.kind) {
    case 'uuid-v4': {
      const [expression] = computes.uuidDefaults(column)
      return expression === undefined ? undefined : { by: 'default', expression }
    }
    case 'bit-reversed': {
      const { from, startCounter, skipRange } = source
      if (from === 'client') return undefined
      if (from === 'sequence') return { by: 'sequence', sequence: present(source.sequence, 'sequence') }
      return {
        by: 'identity',
        ...(startCounter !== undefined && { startCounter }),
        ...(skipRange && { skipRange }),
      }
    }
    case 'timestamp':
      return { by: 'default', expression: computes.clock }
    case 'sequential':
    case 'time-bucket':
    case 'timeuuid':
    case undefined:
      return undefined
  }
}

function generated(expression: string): Made {
  return { by: 'generated', expression, stored: true }
}

/** The generated column of a shard or a whole hash, where the database computes it. */
function computedBy(
  table: Table,
  column: Column,
  source: ShardSource | HashSource,
  rules: LayoutRules,
  computes: ComputedValues,
): Made | undefined {
  if (source.computedBy === 'client' || !canCompute(table, column, source.of)) return undefined
  if (source.kind === 'shard' && source.expression !== undefined)
    return generated(requiredSql(table, column, source.expression, rules))
  const columns = hashed(table, source.of)
  const algorithm = source.kind === 'hash' ? source.algorithm : undefined
  if (!computes.canHash(columns, algorithm)) return undefined
  return generated(
    source.kind === 'hash'
      ? computes.hashExpression(columns, source.algorithm)
      : computes.shardExpression(columns, source),
  )
}

function hashed(table: Table, properties: readonly string[]): HashedColumn[] {
  return properties.map((property) => {
    const { name, type, nullable } = present(columnOf(table, property), `column ${property}`)
    return { name, type, nullable }
  })
}

/** @throws {IsothermError} `INVALID_VALUE` for a value that this dialect does not hold. */
function defaultSql(
  table: Table,
  column: Column,
  columnDefault: ColumnDefault,
  rules: LayoutRules,
  computes: ComputedValues,
): string {
  if ('sql' in columnDefault) return requiredSql(table, column, columnDefault.sql, rules)
  const { type } = column
  fieldErrors(
    table.name,
    column,
  )(() => valueCodec(type, rules.values).accept(valueOf(type, columnDefault.value)))
  return computes.literal(columnDefault.value, type)
}

function requiredSql(
  table: Table,
  column: Column,
  expression: SqlExpression,
  { values: { dialect } }: LayoutRules,
): string {
  const text = sqlFor(expression, dialect)
  if (text !== undefined) return text
  throw new IsothermError(
    'UNSUPPORTED_MODEL',
    `${table.name}.${column.property} has no expression for ${dialect}.`,
    {
      fix: missingTextFix(expression, dialect),
      table: table.name,
      column: column.property,
    },
  )
}
