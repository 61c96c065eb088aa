import { compileDdl, lintRules, type ColumnSchema, type DialectName, type Schema } from '@isotherm/core'

// Some of what Isotherm computes can be said of a column in SQL only: a shard that may be NULL, say. The SQL is what the DDL
// of a small schema has, so that it is the same as the whole schema's.

const severity = Object.fromEntries(lintRules.map((rule) => [rule, 'off' as const]))

const DEFINITION = / (?:DEFAULT|AS) \((.*)\)(?: STORED)?,?$/

/** The SQL by which the database makes a column's value, computed from those other columns. */
export function sqlMaking(
  column: Pick<ColumnSchema, 'type' | 'source'>,
  of: readonly ColumnSchema[],
  dialect: DialectName,
): string {
  const property = unlike(of.flatMap((each) => [each.name, each.property]))
  const { source } = column
  const schema: Schema = {
    version: 1,
    tables: [
      {
        name: 'Made',
        columns: [
          { ...plain(column.type), property, name: property, ...(source && { source }) },
          ...of.map(({ property: own, name, type, nullable }) => ({
            ...plain(type),
            property: own,
            name,
            nullable,
          })),
        ],
        primaryKey: [{ property, order: 'asc' }],
        indexes: [],
        checks: [],
        foreignKeys: [],
        exceptions: [],
      },
    ],
    namespaces: [],
    sequences: [],
    views: [],
    changeStreams: [],
  }
  const [statement = ''] = compileDdl(schema, { dialect, severity })
  return DEFINITION.exec(statement.split('\n')[1] ?? '')?.[1] ?? ''
}

function plain(type: ColumnSchema['type']): Omit<ColumnSchema, 'property' | 'name'> {
  return { type, nullable: false, immutable: true, inherited: false }
}

function unlike(names: readonly string[]): string {
  let name = 'made'
  while (names.some((each) => each.toLowerCase() === name)) name += 'x'
  return name
}
