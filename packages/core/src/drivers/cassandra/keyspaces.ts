import { IsothermError } from '../../errors.js'
import { TokenReader } from '../../sql/token-reader.js'
import { tokenize } from '../../sql/tokenize.js'
import { column } from './catalogue.js'
import type { Session } from './execute.js'

// Amazon Keyspaces answers DDL before it is done, and a table that is not ready yet takes no calls: its own catalogue tells
// how a table stands.
//
// Source: https://docs.aws.amazon.com/keyspaces/latest/devguide/tables-create.html

/** A table, and whether it is there in the end. */
export interface ChangedTable {
  readonly keyspace?: string
  readonly name: string
  readonly there: boolean
}

/** Which table a statement makes, changes or drops; undefined where it is about something else. */
export function tableChangedBy(statement: string): ChangedTable | undefined {
  const reader = new TokenReader(tokenize(statement, 'cql'))
  const drops = reader.skip('DROP', 'TABLE')
  if (!drops && !reader.skip('CREATE', 'TABLE') && !reader.skip('ALTER', 'TABLE')) return undefined
  if (!reader.skip('IF', 'NOT', 'EXISTS')) reader.skip('IF', 'EXISTS')
  const path = reader.path()
  const name = path.pop()
  const [keyspace] = path
  return name === undefined ? undefined : { name, there: !drops, ...(keyspace !== undefined && { keyspace }) }
}

/** Those that come to an end by themselves. */
const PASSING: ReadonlySet<unknown> = new Set(['CREATING', 'UPDATING', 'DELETING', 'RESTORING'])

/** Whether nothing is under way with a table, which there may not be. */
export async function tableIsAtRest(session: Session, table: ChangedTable): Promise<boolean> {
  return !PASSING.has(await statusOf(session, table))
}

/**
 * Whether the service is through with a table.
 *
 * @throws {IsothermError} `DATABASE` for a table that is not going to be ready, such as one whose key cannot be used.
 */
export async function tableIsSettled(session: Session, table: ChangedTable): Promise<boolean> {
  const { name, there } = table
  const status = await statusOf(session, table)
  if (status === undefined) return !there
  if (status === 'ACTIVE') return there
  if (PASSING.has(status)) return false
  throw new IsothermError('DATABASE', `Keyspaces has the table ${name} in the state ${status as string}.`, {
    fix: 'See what its console says of the table.',
    table: name,
  })
}

/** Undefined where there is no such table. */
async function statusOf(session: Session, { keyspace, name }: ChangedTable): Promise<unknown> {
  const keys = { keyspace_name: keyspace ?? session.keyspace, table_name: name }
  const [status] = await column(session, 'status', 'tables', keys, undefined, 'system_schema_mcs')
  return status
}
