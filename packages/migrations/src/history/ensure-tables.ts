import { createHash } from 'node:crypto'
import { compileDdl } from '@isotherm/core'
import {
  type CallOptions,
  type Driver,
  Limits,
  type Schema,
  type WireType,
  withRetries,
} from '@isotherm/core/engine'
import { type Dialect, namespacesOf, sqlOf } from '@isotherm/core/tools'
import { type MigrationDriver, Backoff, beginChange, pause } from '../options.js'

const TEXT: WireType = { kind: 'string', length: 'max' }

/** Which of these tables the database has. */
export async function tablesThere(
  driver: Driver,
  schema: Schema,
  call: CallOptions,
): Promise<ReadonlySet<string>> {
  const { currentNamespace } = sqlOf(driver.dialect, 'The list of tables')
  const text =
    `SELECT CASE WHEN table_schema = ${currentNamespace} THEN '' ELSE table_schema END, table_name ` +
    "FROM information_schema.tables WHERE table_type = 'BASE TABLE'"
  const limits = new Limits(call)
  const rows = await withRetries(
    () => driver.query({ text, parameters: [] }, [TEXT, TEXT], limits.options),
    limits,
  )
  const names = rows.map(([namespace, name]) =>
    namespace === '' ? String(name) : `${String(namespace)}.${String(name)}`,
  )
  return new Set(names.filter((name) => schema.tables.some((table) => table.name === name)))
}

/**
 * Makes the tables that the database does not have. If two processes do so at the same time, the tables are made once: the
 * id of the operation follows from the statements, and the second process waits for the operation of the first.
 */
export async function ensureTables(
  driver: MigrationDriver,
  dialect: Dialect,
  schema: Schema,
  call: CallOptions,
): Promise<void> {
  // The operation that once made them, or failed to, may still be known, and its tables be gone again: then the next id is free.
  let statements = await missingDdl(driver, dialect, schema, call)
  for (let attempt = 1; statements.length > 0; attempt++) {
    const id = `isotherm_tables_${hashOf(statements)}_${attempt}`
    let failure: unknown
    try {
      await finish(driver, statements, id, call)
    } catch (error) {
      failure = error
    }
    const left = await missingDdl(driver, dialect, schema, call)
    // Another one may have made some of it in the meantime, under another id.
    if (failure !== undefined && left.join() === statements.join()) throw failure
    statements = left
  }
}

/** Creates the tables, and the named schemas, that the database does not have. */
async function missingDdl(
  driver: MigrationDriver,
  dialect: Dialect,
  schema: Schema,
  call: CallOptions,
): Promise<string[]> {
  const tables = await tablesThere(driver, schema, call)
  const missing = { ...schema, tables: schema.tables.filter(({ name }) => !tables.has(name)) }
  if (missing.tables.length === 0) return []
  const statements = compileDdl(missing, { dialect })
  if (namespacesOf(missing).length === 0) return statements
  const text = 'SELECT schema_name FROM information_schema.schemata'
  const limits = new Limits(call)
  const rows = await withRetries(() => driver.query({ text, parameters: [] }, [TEXT], limits.options), limits)
  const { ddlSyntax } = sqlOf(dialect, 'A named schema')
  const there = new Set(rows.map(([name]) => ddlSyntax.namespace(String(name))))
  return statements.filter((statement) => !there.has(statement))
}

/** Makes them under this id, unless that is an operation of another time. */
async function finish(
  driver: MigrationDriver,
  statements: readonly string[],
  id: string,
  call: CallOptions,
): Promise<void> {
  const { schemaChanges } = driver
  // What failed at another time says nothing of this one.
  if ((await schemaChanges.state(id, call))?.error) return
  try {
    await beginChange(driver, statements, id, call)
  } catch (error) {
    // Another one may have begun the same, in whatever words the database says so.
    const isKnown = await schemaChanges.state(id, call).catch(() => undefined)
    if (!isKnown) throw error
  }
  const backoff = new Backoff()
  for (;;) {
    const state = await schemaChanges.state(id, call)
    if (state?.error) throw state.error
    if (!state || state.done) return
    await pause(backoff.next(), call.signal)
  }
}

function hashOf(statements: readonly string[]): string {
  return createHash('sha256').update(statements.join('\n')).digest('hex').slice(0, 16)
}
