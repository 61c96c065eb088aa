import { type CallOptions, IsothermError, type SchemaChanges, itemAt } from '@isotherm/core/engine'
import { quote } from '../sql/lexicon.js'
import type { Answer, Connection, Values } from './connection.js'
import { failedStatement, translate } from './errors.js'

/**
 * The table of the changes that have been made: PostgreSQL itself has no operations that can be asked for. Introspection leaves it out.
 */
export const CHANGES_TABLE = 'isotherm_schema_changes'

const TABLE = quote(CHANGES_TABLE)

/** Any number that no other program locks: this is the beginning of the table's name. */
const LOCK = '7598263535218422125'

/** Statement by statement, of which an error names the one that failed. */
export async function runInOrder(connection: Connection, statements: readonly string[]): Promise<void> {
  for (const [at, statement] of statements.entries()) {
    try {
      await connection.query(statement, [])
    } catch (error) {
      throw failedStatement(error, at)
    }
  }
}

/**
 * Changes of the schema, each operation in one transaction with its row in {@link CHANGES_TABLE}: it has been made as a whole, or not
 * at all, whatever becomes of the process that began it.
 *
 * @param change runs work in a transaction
 * @param ask runs one statement
 */
export function schemaChangesOf(
  change: (call: CallOptions, work: (connection: Connection) => Promise<void>) => Promise<void>,
  ask: (text: string, values: Values, call: CallOptions) => Promise<Answer>,
): SchemaChanges {
  return {
    begin: (statements, operationId, call = {}) =>
      change(call, async (connection) => {
        // One at a time, also of those whose process has gone: what it began has ended when the lock is there.
        await connection.query(`SELECT pg_advisory_xact_lock(${LOCK})`, [])
        await ensureTable(connection)
        const { rows } = await connection.query(`SELECT FROM ${TABLE} WHERE "operation" = $1`, [operationId])
        if (rows.length > 0) return
        await runInOrder(connection, statements)
        await connection.query(`INSERT INTO ${TABLE} ("operation", "statements") VALUES ($1, $2)`, [
          operationId,
          JSON.stringify(statements),
        ])
      }),

    async state(operationId, call = {}) {
      try {
        const { rows } = await ask(
          `SELECT "statements"::text FROM ${TABLE} WHERE "operation" = $1`,
          [operationId],
          call,
        )
        if (rows.length === 0) return undefined
        const statements = JSON.parse(itemAt(itemAt(rows, 0), 0)!) as readonly string[]
        return { statements, done: true, applied: statements.length, progress: statements.map(() => 100) }
      } catch (error) {
        const translated = translate(error)
        if (translated instanceof IsothermError && translated.code === 'NOT_FOUND') return undefined
        throw translated
      }
    },
  }
}

/** Asks first: `IF NOT EXISTS` would tell the client's log each time that it does. */
async function ensureTable(connection: Connection): Promise<void> {
  const { rows } = await connection.query(`SELECT to_regclass($1)::text`, [TABLE])
  if (itemAt(itemAt(rows, 0), 0) !== null) return
  await connection.query(
    `CREATE TABLE ${TABLE} ("operation" text COLLATE "C" PRIMARY KEY, "statements" jsonb NOT NULL, ` +
      `"made" timestamptz NOT NULL DEFAULT now())`,
    [],
  )
}
