import type { ColumnSchema, DialectName, Schema, TableSchema } from '@isotherm/core'
import { columnsNamed, declaresShard } from './hashing.js'
import { sqlMaking } from './made-sql.js'
import { claim } from './words.js'

type Index = TableSchema['indexes'][number]

/**
 * The same schema with the shards of indexes that models cannot declare as such, since they have names of their own or hash
 * what a shard may not, as what they are in the database: generated columns in front of the index.
 */
export function withoutForeignShards(schema: Schema, dialect: DialectName): Schema {
  return { ...schema, tables: schema.tables.map((table) => withColumns(table, dialect)) }
}

function withColumns(table: TableSchema, dialect: DialectName): TableSchema {
  if (table.indexes.every((index) => declaresShard(table, index))) return table
  const taken = new Set(table.columns.map(({ property }) => property))
  const columns: ColumnSchema[] = [...table.columns]
  const indexes = table.indexes.map((index): Index => {
    const { shard, ...rest } = index
    if (!shard || declaresShard(table, index)) return index
    const property = claim(shard.column, taken)
    columns.push(generatedShard(table, shard, property, dialect))
    return { ...rest, parts: [{ property, order: 'asc' }, ...index.parts] }
  })
  return { ...table, columns, indexes }
}

function generatedShard(
  table: TableSchema,
  { column: name, shards, of }: NonNullable<Index['shard']>,
  property: string,
  dialect: DialectName,
): ColumnSchema {
  const type = { kind: 'int64' } as const
  const source = { kind: 'shard', strategy: 'hash', shards, of, computedBy: 'database' } as const
  const expression = { [dialect]: sqlMaking({ type, source }, columnsNamed(table, of), dialect) }
  return {
    property,
    name,
    type,
    nullable: false,
    immutable: false,
    inherited: false,
    hidden: true,
    generated: { expression, stored: false },
  }
}
