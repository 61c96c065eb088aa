import { IsothermError } from '@isotherm/core'
import {
  createTableRelationsHelpers,
  extractTablesRelationalConfig,
  getTableUniqueName,
  normalizeRelation,
  type NormalizedRelation,
  type Relation,
  type TableRelationalConfig,
  type TablesRelationalConfig,
} from 'drizzle-orm'

/** The tables that a database was made with, and how they belong together. */
export interface RelationalSchema {
  /** By the names under which they were given. */
  readonly tables: TablesRelationalConfig
  /** Those names, by the tables' own. */
  readonly names: Readonly<Record<string, string>>
}

const schemas = new WeakMap<object, RelationalSchema>()

/** Worked out when it is first asked for, once for a database and all of its transactions. */
export function relationalSchemaOf(given: Record<string, unknown>): RelationalSchema {
  let schema = schemas.get(given)
  if (!schema) {
    const { tables, tableNamesMap } = extractTablesRelationalConfig(given, createTableRelationsHelpers)
    schema = { tables, names: tableNamesMap }
    schemas.set(given, schema)
  }
  return schema
}

/** @throws {IsothermError} `INVALID_QUERY` for a relation to a table that the database does not know. */
export function referencedTableOf(schema: RelationalSchema, relation: Relation): TableRelationalConfig {
  const { tables, names } = schema
  const table = tables[names[getTableUniqueName(relation.referencedTable)] ?? '']
  if (table) return table
  throw new IsothermError(
    'INVALID_QUERY',
    `The relation ${relation.fieldName} leads to ${relation.referencedTableName}, which is no table of the schema.`,
    { fix: 'Add the table to the schema that drizzle() is given.' },
  )
}

/**
 * The columns by which a relation finds its rows.
 *
 * @throws {IsothermError} `INVALID_QUERY` where they are neither said nor to be worked out.
 */
export function keysOf({ tables, names }: RelationalSchema, relation: Relation): NormalizedRelation {
  try {
    return normalizeRelation(tables, names, relation)
  } catch (error) {
    throw new IsothermError('INVALID_QUERY', `${(error as Error).message}.`, {
      fix: 'Say fields and references in one(…), on this side or the other; two relations of the same tables need a relationName each.',
      cause: error,
    })
  }
}
