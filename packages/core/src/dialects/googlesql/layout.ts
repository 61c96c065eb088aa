import { IsothermError } from '../../errors.js'
import type { Column } from '../../model/column.js'
import type { ShardSource } from '../../model/key.js'
import { columnOf, type Table } from '../../model/table.js'
import { plainField } from '../field.js'
import type { Field, Fill, TableLayout } from '../layout.js'
import { valueCodec } from '../values.js'

export function googleSqlLayout(table: Table): TableLayout {
  const fields = table.columns.map((column) => fieldOf(table, column))
  const byProperty = new Map(fields.map((field) => [field.column.property, field]))
  const key = table.primaryKey.map(({ property, order }) => {
    const field = byProperty.get(property)!
    return { field, column: field.physical[0]!, order }
  })
  const first = key[0]?.field
  return { table, fields, byProperty, key, shard: first?.column.source?.kind === 'shard' ? first : undefined }
}

function fieldOf(table: Table, column: Column): Field {
  return plainField(table.name, column, valueCodec(column.type, 'lowest'), {
    fill: fillOf(table, column),
    written: !isDatabaseShard(table, column),
  })
}

function fillOf(table: Table, column: Column): Fill {
  const { source, inherited } = column
  switch (source?.kind) {
    case 'shard':
      return canCompute(table, source) ? { by: 'shard', source } : { by: 'caller' }
    case 'uuid-v4':
      return inherited ? { by: 'caller' } : { by: 'uuid-v4' }
    case 'bit-reversed':
      return inherited ? { by: 'caller' } : { by: 'database' }
    case 'timestamp':
      if (inherited) return { by: 'caller' }
      return source.from === 'now' ? { by: 'clock' } : { by: 'commit-timestamp' }
    case undefined:
      return { by: 'caller' }
  }
}

/** A child inherits its parent's shard; it can compute it where it has inherited the hashed columns too. */
function canCompute(table: Table, source: ShardSource): boolean {
  return source.of.every((property) => columnOf(table, property) !== undefined)
}

/**
 * Whether the database computes this shard in a stored generated column.
 *
 * @throws {IsothermError} `UNSUPPORTED` where the model asks for what the database's rules do not allow.
 */
export function isDatabaseShard(table: Table, column: Column): boolean {
  const { source } = column
  if (source?.kind !== 'shard' || source.strategy !== 'hash' || source.computedBy === 'client') return false
  if (!canCompute(table, source)) return false
  const obstacle = generatedKeyObstacle(table, source)
  if (obstacle === undefined) return true
  if (source.computedBy === undefined) return false
  throw new IsothermError(
    'UNSUPPORTED',
    `${table.name}.${column.property} cannot be computed by the database: ${obstacle}.`,
    {
      fix: "Use computedBy: 'client', or hash other columns.",
      table: table.name,
      column: column.property,
    },
  )
}

/**
 * Why the documentation does not allow these columns in a generated key column. The emulator is less strict.
 *
 * Source: https://cloud.google.com/spanner/docs/generated-column/how-to#primary-key-generated-column
 */
function generatedKeyObstacle(table: Table, source: ShardSource): string | undefined {
  const outsideKey = source.of.filter(
    (property) => !table.primaryKey.some((part) => part.property === property),
  )
  if (outsideKey.length > 1) return `it may read one column outside the key, not ${outsideKey.join(' and ')}`
  const [only] = outsideKey
  const column = only === undefined ? undefined : columnOf(table, only)
  if (column?.source) return `${only} has a default, and is not in the key`
  return undefined
}
