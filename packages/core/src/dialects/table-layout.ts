import type { Column } from '../model/column.js'
import type { HashAlgorithm, HashSource, Order, ShardSource } from '../model/key.js'
import type { SecondaryIndex } from '../model/secondary-index.js'
import { sqlFor, type SqlDialect } from '../model/sql-expression.js'
import { columnOf, type Table } from '../model/table.js'
import { IsothermError } from '../errors.js'
import type { NullOrder } from './dialect.js'
import { plainField } from './field.js'
import { canCompute, fillOf } from './fills.js'
import { refuseForeignTypes, SPANNER_KINDS } from './foreign-types.js'
import type { Field, IndexLayout, Made, PhysicalColumn, PhysicalKeyPart, TableLayout } from './layout.js'
import { splitUuidField } from './uuid-field.js'
import { valueCodec, type ValueRules } from './values.js'
import type { Wire } from './wire.js'

// The layout that SQL dialects of one database have in common. What differs is in their rules.

export interface HashedColumn {
  readonly name: string
  readonly type: Column['type']
  readonly nullable: boolean
}

/** A column that sorts the other way round than the one beside it. */
export interface Mirror {
  readonly name: string
  readonly expression: string
  /** Whether values that differ may have the same mirror. */
  readonly coarse: boolean
  encode(value: unknown): Wire
}

export interface LayoutRules {
  readonly dialect: SqlDialect
  readonly values: ValueRules
  readonly nulls: NullOrder
  /** Whether a float in a key may be NaN. */
  readonly nanInKeys: boolean
  /** The database's clock, as a default. */
  readonly clock: string
  /** The database's default for each column of a UUID; undefined where it can make none. */
  uuidDefaults(column: Column): readonly (string | undefined)[]
  shardExpression(columns: readonly HashedColumn[], source: ShardSource): string
  hashExpression(columns: readonly HashedColumn[], algorithm: HashAlgorithm): string
  /** Whether the database can write the text, or the bytes, that is hashed. */
  canHash(columns: readonly HashedColumn[], algorithm: HashAlgorithm): boolean
  /** For a descending key part, in a dialect whose keys cannot descend. @throws {IsothermError} `UNSUPPORTED`. */
  mirrorOf?(table: Table, column: Column): Mirror
}

export function tableLayout(table: Table, rules: LayoutRules): TableLayout {
  refuseForeignTypes(table, SPANNER_KINDS, rules.dialect)
  const fields = table.columns.map((column) => fieldOf(table, column, rules))
  const byProperty = new Map(fields.map((field) => [field.column.property, field]))
  const key = table.primaryKey.flatMap(({ property, order }) => keyParts(byProperty.get(property)!, order))
  const first = key[0]?.field
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
    shard: first?.column.source?.kind === 'shard' ? first : undefined,
    indexes: table.indexes.map((index) => indexLayout(index, shards.get(index), byProperty, key, rules)),
  }
}

/** What a UUID's halves, a mirror or an index's shard are called may be another column's name. */
export function refuseClashes(table: Table, columns: readonly PhysicalColumn[]): void {
  const names = new Set<string>()
  for (const { name } of columns) {
    const folded = name.toLowerCase()
    if (names.has(folded)) {
      throw new IsothermError('UNSUPPORTED', `${table.name} would have two columns named ${name}.`, {
        fix: 'One of them is made for another column or an index: give the other one another name.',
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

/** Rows with the same coarse mirror come in the ascending order of what is behind it: the key groups them, no more. */
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
  const parts = index.parts.flatMap(({ property, order }) =>
    byProperty.get(property)!.physical.map((column): PhysicalKeyPart => {
      return { field: byProperty.get(property)!, column, order }
    }),
  )
  const key = [
    ...(shard ? [{ field: shard, column: shard.physical[0]!, order: 'asc' as const }] : []),
    ...parts,
  ]
  // Where it begins with the parent's key, it has the parent's mirrors too: statements need not know, reads by key would.
  const mirrored = index.interleaveIn !== undefined && parts.some(({ field }) => field.mirror)
  const covered = mirrored
    ? []
    : [
        ...parts.map((part) => part.field),
        ...tableKey.map((part) => part.field),
        ...index.storing.map((property) => byProperty.get(property)!),
      ]
  // A read of an index takes the index's own parts, which several rows may share.
  return { index, key, grouped: orderedParts(index, key, rules), shard, covered: new Set(covered) }
}

/** How many parts order rows as the dialect does: those before one that has NULL at the other end. */
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

function indexShardField(table: Table, index: SecondaryIndex, rules: LayoutRules): Field {
  const { column: name, shards, of } = index.shard!
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
    made: { by: 'generated', expression: rules.shardExpression(hashed(table, of), source), stored: false },
    hidden: true,
  })
}

function fieldOf(table: Table, column: Column, rules: LayoutRules): Field {
  const fill = fillOf(table, column)
  const { type } = column
  const descends = table.primaryKey.some(
    ({ property, order }) => property === column.property && order === 'desc',
  )
  const mirror = descends ? rules.mirrorOf?.(table, column) : undefined
  if (type.kind === 'uuid' && (type.storage === 'int64-pair' || type.storage === 'bytes')) {
    const defaults = isMadeHere(column) ? rules.uuidDefaults(column) : []
    // Only what lies in one column can have an expression of its own.
    const own = column.source ? undefined : madeOf(table, column, rules)
    return splitUuidField(table.name, column, type.storage, {
      fill,
      made: own
        ? [own]
        : defaults.map((expression) =>
            expression === undefined ? undefined : { by: 'default', expression },
          ),
    })
  }
  const made = madeOf(table, column, rules)
  const field = plainField(table.name, column, valueCodec(type, rules.values), {
    fill,
    ...(made && { made }),
    ...(column.hidden && { hidden: true }),
  })
  if (mirror) return mirrored(field, mirror)
  const isKey = table.primaryKey.some(({ property }) => property === column.property)
  return isKey && !rules.nanInKeys && type.kind === 'float64' ? { ...field, storesNoNan: true } : field
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
function isMadeHere({ source, inherited }: Column): boolean {
  return source?.kind === 'uuid-v4' && !inherited
}

function madeOf(table: Table, column: Column, rules: LayoutRules): Made | undefined {
  const { source } = column
  if (column.generated) {
    const expression = requiredSql(table, column, column.generated.expression, rules)
    return { by: 'generated', expression, stored: column.generated.stored }
  }
  if (source?.kind === 'shard' || source?.kind === 'hash') return computedBy(table, column, source, rules)
  // A commit timestamp in a key is allowed in the whole row tree or nowhere.
  if (source?.kind === 'timestamp' && source.from === 'commit') return { by: 'commit-timestamp' }
  if (column.inherited) return undefined
  if (column.default !== undefined)
    return { by: 'default', expression: requiredSql(table, column, column.default, rules) }
  switch (source?.kind) {
    case 'uuid-v4': {
      const [expression] = rules.uuidDefaults(column)
      return expression === undefined ? undefined : { by: 'default', expression }
    }
    case 'bit-reversed': {
      const { from, startCounter, skipRange } = source
      if (from === 'client') return undefined
      if (from === 'sequence') return { by: 'sequence', sequence: source.sequence! }
      return {
        by: 'identity',
        ...(startCounter !== undefined && { startCounter }),
        ...(skipRange && { skipRange }),
      }
    }
    case 'timestamp':
      return { by: 'default', expression: rules.clock }
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
): Made | undefined {
  if (source.computedBy === 'client' || !canCompute(table, source)) return undefined
  if (source.kind === 'shard' && source.expression !== undefined)
    return generated(requiredSql(table, column, source.expression, rules))
  const columns = hashed(table, source.of)
  const algorithm = source.kind === 'hash' ? source.algorithm : 'farm-fingerprint'
  if (!rules.canHash(columns, algorithm)) return undefined
  return generated(
    source.kind === 'hash'
      ? rules.hashExpression(columns, source.algorithm)
      : rules.shardExpression(columns, source),
  )
}

function hashed(table: Table, properties: readonly string[]): HashedColumn[] {
  return properties.map((property) => {
    const { name, type, nullable } = columnOf(table, property)!
    return { name, type, nullable }
  })
}

function requiredSql(
  table: Table,
  column: Column,
  expression: NonNullable<Column['default']>,
  { dialect }: LayoutRules,
): string {
  const text = sqlFor(expression, dialect)
  if (text !== undefined) return text
  throw new IsothermError(
    'UNSUPPORTED',
    `${table.name}.${column.property} has no expression for ${dialect}.`,
    {
      fix: `Give one: { '${dialect}': '…' } beside the others.`,
      table: table.name,
      column: column.property,
    },
  )
}
