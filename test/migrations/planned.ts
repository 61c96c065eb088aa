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

// Random schemas often have hotspots, and an introspected schema has no suppressed findings.
const noRules = (dialect: Dialect): Readonly<Record<string, 'off'>> =>
  Object.fromEntries(lintRules(dialect).map((rule) => [rule, 'off' as const]))

export function ddlOf(schema: Schema, dialect: SqlDialect): string[] {
  return compileDdl(schema, { dialect, severity: noRules(dialect) })
}

/** Whether the dialect and the emulator can create the schema. */
export function isMakable(schema: Schema, dialect: SqlDialect): boolean {
  // The service accepts row deletion of a referenced table if its foreign keys have ON DELETE CASCADE; such tables are excluded.
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

/** Creates a database with these tables, and drops it after the work. */
export type WithDatabase = <T>(
  dialect: SqlDialect,
  ddl: readonly string[],
  work: (driver: Driver) => Promise<T>,
) => Promise<T>

/** The introspected schema of a database that was created with one schema, and on which these statements were run. */
export function databaseAfter(
  on: WithDatabase,
  schema: Schema,
  dialect: SqlDialect,
  statements: readonly MigrationStatement[] = [],
): Promise<Schema> {
  return withDatabaseAfter(on, schema, dialect, statements, (driver) => introspect({ driver, dialect }))
}

/** The SQL expressions of a schema as a database with this schema returns them. */
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

/** The result of `look` on a database after these statements. */
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

/** A schema without the order that depends on the history of the database: an added column is the last one. */
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
