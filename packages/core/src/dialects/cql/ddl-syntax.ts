import type { UserType } from '../../model/schema.js'
import type { CqlCapabilities } from './capabilities.js'
import { quote } from './identifier.js'
import type { StoredColumn, StoredTable } from './stored-table.js'
import { cqlType } from './types.js'

/** How CQL spells what makes a schema, and what changes it. */
export interface CqlDdlSyntax {
  type(type: UserType): string
  table(table: StoredTable): string
  /** Of one column; the index of a map is over its values. */
  index(table: string, index: { readonly name: string; readonly column: StoredColumn }): string
  dropTable(table: string): string
  dropType(type: string): string
  dropIndex(index: string): string
  addColumn(table: string, column: StoredColumn): string
  dropColumn(table: string, column: string): string
  renameKeyColumn(table: string, from: string, to: string): string
  addTypeField(type: string, field: { readonly name: string; readonly type: StoredColumn['type'] }): string
  /** Statements in the order in which they must run. Seconds; undefined: rows stay. */
  tableOptions(
    table: string,
    options: { readonly timeToLive: number | undefined },
    before: { readonly timeToLive: number | undefined },
  ): string[]
}

/**
 * Sources: https://cassandra.apache.org/doc/5.0/cassandra/developing/cql/ddl.html,
 * https://docs.aws.amazon.com/keyspaces/latest/devguide/cql.ddl.html
 */
export function cqlDdlSyntax(has: CqlCapabilities): CqlDdlSyntax {
  return {
    type: ({ name, fields }) =>
      `CREATE TYPE ${quote(name)} (\n  ${fields.map(columnDefinition).join(',\n  ')}\n)`,
    table: (table) => createTable(table, has),
    index: (table, { name, column }) =>
      `CREATE INDEX ${quote(name)} ON ${quote(table)} (${indexedColumn(column)}) USING 'sai'`,
    dropTable: (table) => `DROP TABLE ${quote(table)}`,
    dropType: (type) => `DROP TYPE ${quote(type)}`,
    dropIndex: (index) => `DROP INDEX ${quote(index)}`,
    addColumn: (table, column) => `${alter(table)} ADD ${columnDefinition(column)}`,
    dropColumn: (table, column) => `${alter(table)} DROP ${quote(column)}`,
    renameKeyColumn: (table, from, to) => `${alter(table)} RENAME ${quote(from)} TO ${quote(to)}`,
    addTypeField: (type, field) => `ALTER TYPE ${quote(type)} ADD ${columnDefinition(field)}`,
    tableOptions: (table, { timeToLive = 0 }, before) => [
      // Once it is switched on it stays so, and one statement changes one property.
      ...(has.timeToLiveIsSwitched && before.timeToLive === undefined && timeToLive > 0
        ? [`${alter(table)} WITH ${SWITCHED_ON}`]
        : []),
      `${alter(table)} WITH default_time_to_live = ${timeToLive}`,
    ],
  }
}

function alter(table: string): string {
  return `ALTER TABLE ${quote(table)}`
}

// Source: https://docs.aws.amazon.com/keyspaces/latest/devguide/TTL-how-to-enable-custom-cql.html
export const SWITCHED_ON = "CUSTOM_PROPERTIES = {'ttl': {'status': 'enabled'}}"

function columnDefinition({ name, type, static: isStatic }: StoredColumn): string {
  return `${quote(name)} ${cqlType(type)}${isStatic ? ' static' : ''}`
}

function createTable(
  { name, columns, key, partition, timeToLive }: StoredTable,
  { timeToLiveIsSwitched }: CqlCapabilities,
): string {
  const names = key.map((part) => quote(part.name))
  const clustering = key.slice(partition)
  const primaryKey = [`(${names.slice(0, partition).join(', ')})`, ...names.slice(partition)].join(', ')
  const options = [
    ...(clustering.length > 0
      ? [
          `CLUSTERING ORDER BY (${clustering
            .map((part) => `${quote(part.name)} ${part.order.toUpperCase()}`)
            .join(', ')})`,
        ]
      : []),
    ...(timeToLive === undefined
      ? []
      : [...(timeToLiveIsSwitched ? [SWITCHED_ON] : []), `default_time_to_live = ${timeToLive}`]),
  ]
  const lines = [...columns.map(columnDefinition), `PRIMARY KEY (${primaryKey})`]
  const tail = options.length > 0 ? ` WITH ${options.join('\n  AND ')}` : ''
  return `CREATE TABLE ${quote(name)} (\n  ${lines.join(',\n  ')}\n)${tail}`
}

/** A value that is one to the database is indexed as one. */
function indexedColumn({ name, type }: StoredColumn): string {
  const isCollection = type.kind === 'array' || type.kind === 'set' || type.kind === 'map'
  return isCollection && type.frozen ? `full(${quote(name)})` : quote(name)
}
