import {
  compileDdl,
  introspect,
  lintRules,
  type Dialect,
  type Driver,
  type Schema,
  type SqlDialect,
  type TableSchema,
} from '@isotherm/core'
import { type MigrationStatement, type RecordedSql, recordSql, recordedSql } from '@isotherm/migrations'

// Random schemas are often hot, and what is read from a database carries no exceptions.
const noRules = (dialect: Dialect): Readonly<Record<string, 'off'>> =>
  Object.fromEntries(lintRules(dialect).map((rule) => [rule, 'off' as const]))

export function ddlOf(schema: Schema, dialect: SqlDialect): string[] {
  return compileDdl(schema, { dialect, severity: noRules(dialect) })
}

/** Whether a dialect can make the schema at all, and the emulator as well. */
export function isMakable(schema: Schema, dialect: SqlDialect): boolean {
  // What the service takes: keys that delete with what they refer to.
  const referred = new Set(schema.tables.flatMap(({ foreignKeys }) => foreignKeys.map((key) => key.table)))
  if (schema.tables.some(({ name: table, rowDeletion }) => rowDeletion && referred.has(table))) return false
  try {
    dialect.refuseUnsupported(
      schema,
      schema.tables.map((table) => dialect.layout(table)),
    )
    return true
  } catch {
    return false
  }
}

/** Makes a database with these tables, and drops it after the work. */
export type WithDatabase = <T>(
  dialect: SqlDialect,
  ddl: readonly string[],
  work: (driver: Driver) => Promise<T>,
) => Promise<T>

/** What a database reads as that was made with one schema and on which these statements were run then. */
export function databaseAfter(
  on: WithDatabase,
  schema: Schema,
  dialect: SqlDialect,
  statements: readonly MigrationStatement[] = [],
): Promise<Schema> {
  return withDatabaseAfter(on, schema, dialect, statements, (driver) => introspect({ driver, dialect }))
}

/** How a database that is made with a schema gives back what that says in SQL. */
export function recordedOf(
  on: WithDatabase,
  schema: Schema,
  dialect: SqlDialect,
): Promise<readonly RecordedSql[]> {
  const record = async (driver: Driver): Promise<readonly RecordedSql[]> => {
    await recordSql(driver, schema, { dialect })
    return recordedSql(driver, { dialect })
  }
  return withDatabaseAfter(on, schema, dialect, [], record)
}

/** The same for another look at that database. */
export function withDatabaseAfter<T>(
  on: WithDatabase,
  schema: Schema,
  dialect: SqlDialect,
  statements: readonly MigrationStatement[],
  look: (driver: Driver) => Promise<T>,
): Promise<T> {
  return on(dialect, ddlOf(schema, dialect), async (driver) => {
    for (const { kind, sql } of batched(statements)) {
      try {
        if (kind === 'ddl') await driver.applyDdl(sql)
        else await driver.executePartitioned!(statement(sql[0]!))
      } catch (cause) {
        throw new Error(`${(cause as Error).message}\nrefuses one of\n${sql.join(';\n')}`, { cause })
      }
    }
    return look(driver)
  })
}

/** DDL runs together, since each call waits for a while. */
function batched(
  statements: readonly MigrationStatement[],
): { readonly kind: MigrationStatement['kind']; readonly sql: readonly string[] }[] {
  const batches: { kind: MigrationStatement['kind']; sql: string[] }[] = []
  for (const { kind, sql } of statements) {
    const last = batches.at(-1)
    if (kind === 'ddl' && last?.kind === 'ddl') last.sql.push(sql)
    else batches.push({ kind, sql: [sql] })
  }
  return batches
}

export function statement(sql: string): Parameters<NonNullable<Driver['executePartitioned']>>[0] {
  return { text: sql, parameters: [] }
}

/** A schema without the order that a database's history gives it: a column that came later is the last one. */
export function unordered(schema: Schema): Schema {
  return {
    ...schema,
    tables: schema.tables.map(withoutOrder),
    changeStreams: schema.changeStreams.map((stream) =>
      stream.watch === 'all'
        ? stream
        : {
            ...stream,
            watch: stream.watch.map(({ table, columns }) => ({
              table,
              columns: columns === 'all' ? columns : columns.toSorted(),
            })),
          },
    ),
  }
}

function withoutOrder(table: TableSchema): TableSchema {
  return {
    ...table,
    columns: table.columns.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    indexes: table.indexes.map((index) => ({ ...index, storing: index.storing.toSorted() })),
  }
}
