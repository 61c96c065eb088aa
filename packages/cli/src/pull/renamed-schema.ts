import type { ColumnSchema, Schema, TableSchema } from '@isotherm/core'
import type { Properties } from './naming.js'

/** The same schema with other properties; the names in the database stay as they are. */
export function renamedSchema(schema: Schema, properties: ReadonlyMap<string, Properties>): Schema {
  const renamer = (table: string) => (property: string) => properties.get(table)?.get(property) ?? property
  return {
    ...schema,
    tables: schema.tables.map((table) => renamedTable(table, schema, renamer)),
    changeStreams: schema.changeStreams.map((stream) => ({
      ...stream,
      watch:
        stream.watch === 'all'
          ? stream.watch
          : stream.watch.map(({ table, columns }) => ({
              table,
              columns: columns === 'all' ? columns : columns.map(renamer(table)),
            })),
    })),
  }
}

type Rename = (property: string) => string

function renamedTable(table: TableSchema, schema: Schema, renamer: (table: string) => Rename): TableSchema {
  const rename = renamer(table.name)
  const ancestors = ancestorsOf(table, schema)
  /** A child may have inherited a shard, and not what it hashes. */
  const renameHashed: Rename = (property) => {
    const holder = [table, ...ancestors].find(({ columns }) =>
      columns.some((each) => each.property === property),
    )
    return holder ? renamer(holder.name)(property) : property
  }
  return {
    ...table,
    columns: table.columns.map((column) => renamedColumn(column, rename, renameHashed)),
    primaryKey: table.primaryKey.map((part) => ({ ...part, property: rename(part.property) })),
    ...(table.partitionKey && { partitionKey: table.partitionKey.map(rename) }),
    indexes: table.indexes.map((index) => ({
      ...index,
      parts: index.parts.map((part) => ({ ...part, property: rename(part.property) })),
      notNull: index.notNull.map(rename),
      storing: index.storing.map(rename),
      ...(index.shard && { shard: { ...index.shard, of: index.shard.of.map(rename) } }),
    })),
    foreignKeys: table.foreignKeys.map((key) => ({
      ...key,
      columns: key.columns.map(rename),
      references: key.references.map(renamer(key.table)),
    })),
    ...(table.rowDeletion && {
      rowDeletion: { ...table.rowDeletion, property: rename(table.rowDeletion.property) },
    }),
    exceptions: table.exceptions.map((exception) => ({
      ...exception,
      ...(exception.on !== undefined && { on: rename(exception.on) }),
    })),
  }
}

function renamedColumn(column: ColumnSchema, rename: Rename, renameHashed: Rename): ColumnSchema {
  const { source } = column
  const hashes = source?.kind === 'shard' || source?.kind === 'hash'
  return {
    ...column,
    property: rename(column.property),
    ...(hashes && { source: { ...source, of: source.of.map(renameHashed) } }),
  }
}

/** The parent, its parent and so on. */
export function ancestorsOf(table: TableSchema, { tables }: Schema): readonly TableSchema[] {
  const ancestors: TableSchema[] = []
  for (let next = table.parent?.table; next !== undefined; next = ancestors.at(-1)?.parent?.table) {
    const parent = tables.find(({ name }) => name === next)
    if (!parent || ancestors.includes(parent)) break
    ancestors.push(parent)
  }
  return ancestors
}
