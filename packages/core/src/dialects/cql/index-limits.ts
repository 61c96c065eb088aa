import type { SchemaFinding } from '../../errors.js'
import { describeType, isComposite, isFrozen, typesWithin, type ColumnType } from '../../model/column-type.js'
import type { SecondaryIndex } from '../../model/secondary-index.js'
import { columnOf, partitionLength, type Table } from '../../model/table.js'
import type { CqlCapabilities } from './capabilities.js'

const LOOKUP_TABLE = 'Keep a table of its own with that key, written beside this one.'

/**
 * What an index asks for and a target does not have.
 *
 * Sources: https://cassandra.apache.org/doc/5.0/cassandra/developing/cql/indexing/sai/sai-faq.html,
 * https://docs.aws.amazon.com/keyspaces/latest/devguide/cassandra-apis.html
 */
export function indexFindings(table: Table, index: SecondaryIndex, has: CqlCapabilities): SchemaFinding[] {
  const of = (message: string, fix: string): SchemaFinding => ({
    table: table.name,
    message: `has the index ${index.name}${message}`,
    fix,
  })
  if (has.indexes === false) return [of(', and Keyspaces has no secondary indexes.', LOOKUP_TABLE)]
  const asks = (
    [
      [
        index.name.includes('.'),
        ' in a named schema, and a keyspace has none within it.',
        'Give it a name without a dot.',
      ],
      [index.unique, ', which is unique: Cassandra compares no rows.', LOOKUP_TABLE],
      [
        index.storing.length > 0,
        ', which stores columns beside its own.',
        'Leave storing out: a read takes the row.',
      ],
      [
        index.nullFiltered || index.notNull.length > 0,
        ', which leaves rows out.',
        'Leave nullFiltered and notNull out: NULLs are never in it.',
      ],
      [
        index.shard !== undefined,
        ', which is sharded.',
        'Leave the shard out: each node indexes its own rows.',
      ],
      [
        index.interleaveIn !== undefined,
        `, interleaved in ${index.interleaveIn}.`,
        'Leave interleaveIn out: each node indexes its own rows.',
      ],
      [
        index.parts.length > 1,
        ' of several columns, and one indexes one column.',
        'Make an index of each of them.',
      ],
    ] as const
  ).flatMap(([does, message, fix]) => (does ? [of(message, fix)] : []))
  return asks.length > 0 ? asks : partFindings(table, index, of)
}

function partFindings(
  table: Table,
  { parts }: SecondaryIndex,
  of: (message: string, fix: string) => SchemaFinding,
): SchemaFinding[] {
  const { property } = parts[0]!
  const { type } = columnOf(table, property)!
  const isSplit = type.kind === 'uuid' && type.storage === 'int64-pair'
  const isPartition = partitionLength(table) === 1 && table.primaryKey[0]?.property === property
  if (isPartition)
    return [of(` over ${property}, which is the partition key.`, 'Take it away: rows are found by that.')]
  if (isSplit || !canBeIndexed(type)) {
    return [
      of(
        ` over ${property}, of type ${describeType(type)}${isSplit ? ' in two columns' : ''}, which cannot be indexed.`,
        LOOKUP_TABLE,
      ),
    ]
  }
  return []
}

/** What is one value is indexed as one; of a collection, each item is. */
function canBeIndexed(type: ColumnType): boolean {
  if (typesWithin(type).some(({ kind }) => kind === 'duration')) return false
  if (isComposite(type) && isFrozen(type)) return true
  if (type.kind === 'udt') return false
  const items = typesWithin(type)
  return items.every((item) => item.kind !== 'bytes' && item.kind !== 'counter' && !isRawUuid(item))
}

function isRawUuid(type: ColumnType): boolean {
  return type.kind === 'uuid' && type.storage === 'bytes'
}
