import { type RowDatabase, defineSchema, defineTable, introspect } from '@isotherm/core'
import {
  type CallOptions,
  type Driver,
  IsothermError,
  Limits,
  type Schema,
  checkOptions,
  itemAt,
  listOf,
  text,
  withRetries,
} from '@isotherm/core/engine'
import {
  CALL_OPTIONS,
  type Dialect,
  type RecordedSql,
  type SqlDialect,
  checkShape,
  decided,
  dialectsOption,
  hasSql,
  spokenDialect,
  transactionsOf,
} from '@isotherm/core/tools'
import { type MigrationDriver, checkArguments, migrationDriver } from '../options.js'
import { physicalSchema } from '../physical-schema.js'
import { differOf } from '../plan/diff-schemas.js'
import { type RanStatements, newRecords, sqlTexts } from '../recorded-sql.js'
import { ensureTables, tablesThere } from './ensure-tables.js'
import { RecordTable, SQL_TABLE } from './tables.js'

const table = defineTable(SQL_TABLE, (t) => ({
  object: t.string({ length: 500 }).key(),
  model: t.string(),
  catalogue: t.string(),
}))

const schema = defineSchema([table])

function recordTable(driver: Driver): RecordTable<RecordedSql> {
  return new RecordTable(itemAt(schema.tables, 0), driver.dialect)
}

/** Whether a database of a dialect returns expressions in another form than they were sent. */
function rewrites(dialect: Dialect): dialect is SqlDialect {
  return hasSql(dialect) && !dialect.sql.keepsExpressions
}

async function readRecorded(driver: Driver, call: CallOptions): Promise<readonly RecordedSql[]> {
  const records = recordTable(driver)
  const limits = new Limits(call)
  const read = async (): Promise<readonly RecordedSql[]> => {
    const rows = await withRetries(() => driver.read(records.request(), limits.options), limits)
    return rows.map((cells) => records.decode(cells))
  }
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof IsothermError && error.code === 'NOT_FOUND')) throw error
    const there = await tablesThere(driver, schema, call)
    return there.has(SQL_TABLE) ? read() : []
  }
}

/**
 * The expressions and queries that a database returns in another wording than its models have, as `migrate`,
 * `recordApplied` and `recordSql` have recorded them: for `compareWithLive` and `diffSchemas`. Empty for a database that
 * keeps the wording of the models.
 *
 * @example
 * const recorded = await recordedSql(db, { dialect: spannerPostgresql })
 * const { changes } = compareWithLive(schema, live, { dialect: spannerPostgresql, recorded })
 */
export async function recordedSql(
  db: RowDatabase | Driver,
  options: RecordedSqlOptions,
): Promise<readonly RecordedSql[]> {
  checkArguments('recordedSql', { database: db })
  checkOptions('recordedSql', OPTIONS, options)
  const { dialect: dialects, ...call } = options
  const driver = await decided('driver' in db ? db.driver : db, call)
  return rewrites(spokenDialect('recordedSql', driver, dialects)) ? readRecorded(driver, call) : []
}

export interface RecordedSqlOptions extends CallOptions {
  /** The dialect that the database speaks, or a list of all that it may speak. */
  readonly dialect: Dialect | readonly Dialect[]
}

export interface RecordSqlOptions extends RecordedSqlOptions {
  /**
   * The statements that have just run: only what they make is recorded. Default: the database is assumed to have everything
   * that the schema says.
   */
  readonly statements?: readonly string[]
}

const OPTIONS = { ...CALL_OPTIONS, dialect: dialectsOption }
const RECORD_OPTIONS = { ...OPTIONS, statements: listOf(text("'ALTER TABLE …'"), 'a list of statements') }

/**
 * Records the wording in which a database returns the expressions and queries of a schema that was just applied to it:
 * checks, defaults, generated columns, views. `migrate`, `recordApplied` and `isotherm push` do so themselves; a program
 * that runs its own DDL calls this after it. An earlier record stays as long as the schema says the same, so that changes
 * made by hand are still found.
 *
 * A database that keeps the wording of the models needs no records, and gets no table.
 *
 * @param target the schema that was applied to the database
 * @returns how many were recorded
 * @example
 * await driver.applyDdl(compileDdl(schema, { dialect: spannerPostgresql }))
 * await recordSql(driver, schema, { dialect: spannerPostgresql })
 */
export async function recordSql(
  db: RowDatabase | Driver,
  target: Schema,
  options: RecordSqlOptions,
): Promise<number> {
  checkArguments('recordSql', { database: db })
  checkShape('recordSql', target)
  checkOptions('recordSql', RECORD_OPTIONS, options)
  const { dialect: dialects, statements, ...call } = options
  const driver = await decided(migrationDriver(db), call)
  const dialect = spokenDialect('recordSql', driver, dialects)
  const ran = statements ? { now: statements, before: [] } : { now: [] }
  return recordRun(driver, { target, dialect, ran }, call)
}

/** The schema that a run has applied to a database. */
interface Run {
  readonly target: Schema
  readonly dialect: Dialect
  readonly ran: RanStatements
}

export async function recordRun(
  driver: MigrationDriver,
  { target, dialect, ran }: Run,
  call: CallOptions,
): Promise<number> {
  if (!rewrites(dialect)) return 0
  const known = await readRecorded(driver, call)
  const { layOut } = differOf(dialect)
  const model = physicalSchema(layOut(target), dialect)
  // The catalogue is expensive to read: not for models that have nothing to record.
  if (known.length === 0 && sqlTexts(model).size === 0) return 0
  const made = physicalSchema(layOut(await introspect({ driver, dialect, ...call })), dialect)
  const { write, remove } = newRecords(model, made, known, { lexicalSyntax: dialect.lexicalSyntax, ran })
  if (write.length === 0 && remove.length === 0) return 0
  await ensureTables(driver, dialect, schema, call)
  const records = recordTable(driver)
  const mutations = [
    ...(write.length > 0 ? [records.write('upsert', write)] : []),
    ...(remove.length > 0 ? [records.delete(remove.map((object) => ({ object })))] : []),
  ]
  await transactionsOf(driver).run(async (context) => context.buffer(mutations), call)
  return write.length
}
