import { splitStatements } from '@isotherm/core'
import { type CallOptions, IsothermError, type SchemaChanges, itemAt, tokenize } from '@isotherm/core/engine'
import { postgresqlLexicalSyntax, quote } from '../sql/lexical-syntax.js'
import { postgresqlRuntime } from '../sql/runtime.js'
import type { Answer, Connection, Values } from './connection.js'
import { failedStatement, translate } from './errors.js'

/**
 * The table of the changes that have been made: PostgreSQL itself has no operations that can be asked for. Introspection leaves it out.
 */
export const CHANGES_TABLE = 'isotherm_schema_changes'

const TABLE = quote(CHANGES_TABLE)

/** Any number that no other program locks: this is the beginning of the table's name. */
const LOCK = '7598263535218422125'

/** Words with which a statement would end the transaction that it is in, or change the connection that others get after it. */
const NOT_IN_A_CHANGE = new Set([
  'begin',
  'start',
  'commit',
  'end',
  'rollback',
  'abort',
  'savepoint',
  'release',
  'prepare',
  'set',
  'reset',
  'discard',
])

/**
 * Statement by statement, of which an error names the one that failed.
 *
 * @throws {IsothermError} `UNSUPPORTED_STATEMENT` for a statement that would end the transaction; none has run then.
 */
export async function runInOrder(connection: Connection, statements: readonly string[]): Promise<void> {
  // PostgreSQL takes several statements in one text.
  for (const [at, text] of statements.entries())
    for (const statement of splitStatements(text, postgresqlRuntime)) refuseControl(statement, at)
  for (const [at, statement] of statements.entries()) {
    try {
      await connection.query(statement, [])
    } catch (error) {
      throw failedStatement(error, at, (code) => code === 'UNSUPPORTED_STATEMENT')
    }
  }
}

function refuseControl(text: string, statement: number): void {
  const [first, second] = tokenize(text, postgresqlLexicalSyntax).map((token) => token.text.toLowerCase())
  if (first === undefined || !NOT_IN_A_CHANGE.has(first)) return
  if (first === 'set' && (second === 'local' || second === 'constraints')) return
  throw new IsothermError(
    'UNSUPPORTED_STATEMENT',
    `A change of the schema is a transaction, in which ${first.toUpperCase()} is not possible.`,
    {
      fix: first === 'set' ? 'Write SET LOCAL.' : 'Leave it out: either all statements take effect, or none.',
      statement,
    },
  )
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
        const table = await tableOf(connection)
        const { rows } = await connection.query(`SELECT FROM ${table} WHERE "operation" = $1`, [operationId])
        if (rows.length > 0) return
        await runInOrder(connection, statements)
        await connection.query(`INSERT INTO ${table} ("operation", "statements") VALUES ($1, $2)`, [
          operationId,
          JSON.stringify(statements),
        ])
        try {
          // What waits for the commit is checked while it can still be said whose it is.
          await connection.query('SET CONSTRAINTS ALL IMMEDIATE', [])
        } catch (error) {
          throw failedStatement(error, statements.length - 1)
        }
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

/**
 * The table with its schema, since a change may set another one; made if there is none. `IF NOT EXISTS` would tell the client's log each
 * time.
 */
async function tableOf(connection: Connection): Promise<string> {
  const { rows } = await connection.query(
    `SELECT named, to_regclass(named) FROM (SELECT quote_ident(current_schema()) || '.' || $1::text AS named) AS changes`,
    [TABLE],
  )
  const [table, found] = itemAt(rows, 0)
  if (found === null) {
    await connection.query(
      `CREATE TABLE ${table} ("operation" text COLLATE "C" PRIMARY KEY, "statements" jsonb NOT NULL, ` +
        `"made" timestamptz NOT NULL DEFAULT now())`,
      [],
    )
  }
  return String(table)
}
