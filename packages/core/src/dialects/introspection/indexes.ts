import type { IndexShard, SecondaryIndex } from '../../model/secondary-index.js'
import type { Column } from '../../model/column.js'
import type { CatalogIndex, CatalogTable } from './catalog.js'
import type { IntrospectedDialect } from './dialect.js'
import { shardSourceOf } from './hash-source.js'
import { withoutMirrors, type Mirrors } from './mirrors.js'

/** By the name of the index whose leading column it is. */
export type IndexShards = ReadonlyMap<string, IndexShard>

/**
 * The generated columns that are there for the sake of one index. They are no properties: whoever makes the table again
 * makes them with the index.
 */
export function indexShardsOf(
  table: CatalogTable,
  columns: readonly Column[],
  uses: (column: string) => number,
  dialect: IntrospectedDialect,
): IndexShards {
  const shards = table.indexes.flatMap((index): [string, IndexShard][] => {
    const first = index.parts[0]
    const column = table.columns.find(({ name }) => name === first?.column)
    if (!first || first.order === 'desc' || index.interleaveIn !== undefined) return []
    if (!column?.generated || column.generated.stored || uses(column.name) !== 1) return []
    const others = columns.filter(({ name }) => name !== column.name)
    const source = shardSourceOf(column.generated.expression, others, dialect)
    if (!source || source.first !== undefined || source.signed) return []
    return [[index.name, { column: column.name, shards: source.shards, of: source.of }]]
  })
  return new Map(shards)
}

export function indexOf(
  table: CatalogTable,
  index: CatalogIndex,
  mirrors: Mirrors,
  shard: IndexShard | undefined,
): SecondaryIndex {
  const { name, unique, nullFiltered, interleaveIn } = index
  const inOrder = (names: readonly string[]): string[] =>
    table.columns.flatMap((column) => (names.includes(column.name) ? [column.name] : []))
  return {
    name,
    parts: withoutMirrors(shard ? index.parts.slice(1) : index.parts, mirrors).map(
      ({ column, order, nulls }) => ({ property: column, order, ...(nulls && { nulls }) }),
    ),
    unique,
    nullFiltered,
    notNull: inOrder(index.notNull),
    storing: inOrder(index.storing),
    ...(interleaveIn !== undefined && { interleaveIn }),
    ...(shard && { shard }),
  }
}
