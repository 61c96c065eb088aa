import type { Schema, TableSchema } from '@isotherm/core'
import { sqlValue, type Declaration } from './declaration.js'
import { Code, type Value, type ValueRecord } from './source-text.js'

type Index = TableSchema['indexes'][number]
type Key = TableSchema['foreignKeys'][number]

/** `() => Parent`, in the words of the file that the table is in. */
export type Thunk = (table: string) => Code

/** What `@Table` and `defineTable` say of a table beside its columns. */
export function tableOptions(
  table: TableSchema,
  declarations: readonly Declaration[],
  schema: Schema,
  thunk: Thunk,
): ValueRecord {
  const { parent, checks, foreignKeys, rowDeletion, expect, exceptions, partitionKey } = table
  return {
    interleaveIn: parent && thunk(parent.table),
    onDelete: parent?.onDelete === 'cascade' ? parent.onDelete : undefined,
    requireParent: parent?.required,
    primaryKey: keyOf(table, declarations),
    // The first part alone is what a table has that says nothing.
    partitionKey: partitionKey?.length === 1 ? undefined : partitionKey,
    timeToLive: table.timeToLive,
    checks: some(checks.map(({ name, expression }) => ({ name, expression: sqlValue(expression) }))),
    foreignKeys: some(foreignKeys.map((key) => foreignKey(table, key, schema, thunk))),
    rowDeletion: rowDeletion && { ...rowDeletion },
    expect: expect && { ...expect },
    except: some(exceptions.map((each) => ({ ...each }))),
  }
}

export function isEmpty(options: ValueRecord): boolean {
  return Object.values(options).every((value) => value === undefined)
}

/** Only where the order of the columns says it wrong. */
function keyOf({ primaryKey }: TableSchema, declarations: readonly Declaration[]): Value | undefined {
  const key = primaryKey.map(({ property }) => property)
  const declared = declarations.flatMap(({ isKey, property }) => (isKey ? [property] : []))
  return key.join('\n') === declared.join('\n') ? undefined : key
}

function some(values: readonly ValueRecord[]): Value | undefined {
  return values.length === 0 ? undefined : values
}

function foreignKey(table: TableSchema, key: Key, { tables }: Schema, thunk: Thunk): ValueRecord {
  const { name, columns, references, onDelete, enforced } = key
  const other = tables.find((each) => each.name === key.table)
  const primary = other?.primaryKey.map(({ property }) => property).join('\n')
  return {
    name,
    columns,
    references: key.table === table.name ? 'self' : thunk(key.table),
    on: primary === references.join('\n') ? undefined : references,
    onDelete: onDelete === 'cascade' ? onDelete : undefined,
    enforced,
  }
}

/** What `@Index` says, or one of `indexes`. Its name is always said: a property may be renamed and the index stay. */
export function indexOptions(index: Index, thunk: Thunk): ValueRecord {
  const { name, parts, unique, nullFiltered, notNull, storing, interleaveIn, shard } = index
  return {
    name,
    on: parts.map(({ property, order, nulls }) =>
      order === 'asc' && nulls === undefined
        ? property
        : { property, order: order === 'desc' ? order : undefined, nulls },
    ),
    unique: unique || undefined,
    nullFiltered: nullFiltered || undefined,
    notNull: notNull.length === 0 ? undefined : notNull,
    storing: storing.length === 0 ? undefined : storing,
    interleaveIn: interleaveIn === undefined ? undefined : thunk(interleaveIn),
    shard: shard && { shards: shard.shards, of: shard.of },
  }
}
