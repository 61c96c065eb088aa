import { type Client, types } from 'cassandra-driver'
import { type DdlEffect, effectOf } from '../cql/ddl-effect.js'
import {
  type CallOptions,
  IsothermError,
  type SchemaChangeState,
  type SchemaChanges,
  TokenReader,
  type WireType,
  answer,
  refuseAborted,
  timeLimit,
  tokenize,
  clientLimit,
} from '@isotherm/core/engine'
import type { Session } from './execute.js'
import { queryRows } from './statements.js'
import { cqlLexicalSyntax } from '../cql/identifier.js'
import { setTimeout as delay } from 'node:timers/promises'
import { isUnanswered, isUnauthorized, outcomeUnknown, translate } from './errors.js'

/** The properties that the client's typings of a node leave out. */
interface Node {
  readonly address: string
  isUp(): boolean
}

function nodesOf(client: Client): readonly Node[] {
  return client.hosts.values()
}

/** Asks one node for its own state. */
function askNode(client: Client, host: Node, text: string, values: readonly string[] = []) {
  return client.execute(text, values, {
    host: host as never,
    consistency: types.consistencies.one,
    prepare: true,
  })
}

/**
 * Whether all nodes that are up have the same schema. The client's own answer also counts nodes that are down, and would
 * say no for as long as they are. One particular node is asked, since each node knows the others only by gossip.
 */
async function schemaAgrees(client: Client): Promise<boolean> {
  const nodes = nodesOf(client)
  const node = nodes.find((each) => each.isUp())
  if (!node) return false
  const [own, others] = await Promise.all([
    askNode(client, node, "SELECT schema_version FROM system.local WHERE key = 'local'"),
    askNode(client, node, 'SELECT rpc_address, schema_version FROM system.peers'),
  ])
  const down = new Set(nodes.filter((each) => !each.isUp()).map((each) => each.address.replace(/:\d+$/, '')))
  const versions = new Set(own.rows.map((row) => String(row['schema_version'])))
  for (const row of others.rows) {
    if (!down.has(String(row['rpc_address']))) versions.add(String(row['schema_version']))
  }
  return versions.size === 1
}

const BUILT_INDEX =
  'SELECT is_queryable FROM system_views.sai_column_indexes WHERE keyspace_name = ? AND index_name = ?'

/**
 * Whether all nodes that are up can answer from an index, which each builds from the rows that it has: until then a read that
 * needs it fails. An index of another kind than `sai` has no row in the view; nor does a role that may not read it wait.
 *
 * Source: https://cassandra.apache.org/doc/5.0/cassandra/developing/cql/indexing/sai/monitoring.html
 */
async function indexIsBuilt({ client, keyspace: own }: Session, effect: DdlEffect): Promise<boolean> {
  if (effect.kind !== 'index' || !effect.there) return true
  const nodes = nodesOf(client).filter((each) => each.isUp())
  try {
    const answers = await Promise.all(
      nodes.map((node) => askNode(client, node, BUILT_INDEX, [effect.keyspace ?? own, effect.name])),
    )
    return answers.every(({ rows }) => rows.every((row) => row['is_queryable'] === true))
  } catch (error) {
    if (isUnauthorized(error)) return true
    throw error
  }
}

const TEXT: WireType = { kind: 'string', length: 'max' }
const TABLES = { table: 'tables', type: 'types', index: 'indexes' } as const
const TEXTS: WireType = { kind: 'array', of: TEXT, frozen: true }

/**
 * Whether the catalogue shows the effect of a statement.
 *
 * Source: https://cassandra.apache.org/doc/5.0/cassandra/reference/static.html and `DESCRIBE KEYSPACE system_schema`
 */
async function shows(session: Session, effect: DdlEffect): Promise<boolean> {
  const { keyspace = session.keyspace } = effect
  switch (effect.kind) {
    case 'table':
    case 'type':
    case 'index': {
      const names = await column(session, `${effect.kind}_name`, TABLES[effect.kind], {
        keyspace_name: keyspace,
      })
      return names.includes(effect.name) === effect.there
    }
    case 'columns': {
      const names = await columnNames(session, keyspace, effect.table)
      return effect.columns.every((name) => names.includes(name) === effect.there)
    }
    case 'fields': {
      const names = await fieldNames(session, keyspace, effect.type)
      return effect.fields.every((name) => names.includes(name))
    }
    case 'renamed': {
      const names = await (effect.of === 'table' ? columnNames : fieldNames)(session, keyspace, effect.name)
      return effect.names.every(({ from, to }) => names.includes(to) && !names.includes(from))
    }
  }
}

function columnNames(session: Session, keyspace: string, table: string): Promise<unknown[]> {
  return column(session, 'column_name', 'columns', { keyspace_name: keyspace, table_name: table })
}

async function fieldNames(session: Session, keyspace: string, type: string): Promise<unknown[]> {
  const keys = { keyspace_name: keyspace, type_name: type }
  const [names] = await column(session, 'field_names', 'types', keys, TEXTS)
  return (names as unknown[] | undefined) ?? []
}

/** One column of the rows of the catalogue that have this key. */
export async function column(
  session: Session,
  name: string,
  table: string,
  keys: Readonly<Record<string, string>>,
  type = TEXT,
  catalogue = 'system_schema',
): Promise<unknown[]> {
  const condition = Object.keys(keys).map((key) => `${key} = ?`)
  const statement = {
    text: `SELECT ${name} FROM ${catalogue}.${table} WHERE ${condition.join(' AND ')}`,
    parameters: Object.entries(keys).map(([key, value]) => ({ name: key, type: TEXT, value })),
  }
  const rows = await queryRows(session, statement, [type], {})
  return rows.map(([cell]) => cell)
}

// Amazon Keyspaces answers DDL before it is done, and a table that is not ready yet takes no calls: its own catalogue tells
// how a table stands.
//
// Source: https://docs.aws.amazon.com/keyspaces/latest/devguide/tables-create.html

/** A table, and whether it is there in the end. */
interface ChangedTable {
  readonly keyspace?: string
  readonly name: string
  readonly there: boolean
}

/** The table that a statement makes, changes or drops; undefined for statements about other objects. */
function tableChangedBy(statement: string): ChangedTable | undefined {
  const reader = new TokenReader(tokenize(statement, cqlLexicalSyntax))
  const drops = reader.skip('DROP', 'TABLE')
  if (!drops && !reader.skip('CREATE', 'TABLE') && !reader.skip('ALTER', 'TABLE')) return undefined
  if (!reader.skip('IF', 'NOT', 'EXISTS')) reader.skip('IF', 'EXISTS')
  const path = reader.path()
  const name = path.pop()
  const [keyspace] = path
  return name === undefined ? undefined : { name, there: !drops, ...(keyspace !== undefined && { keyspace }) }
}

/** States that end by themselves. */
const PASSING: ReadonlySet<unknown> = new Set(['CREATING', 'UPDATING', 'DELETING', 'RESTORING'])

/** Whether nothing is under way with a table, which there may not be. */
async function tableIsAtRest(session: Session, table: ChangedTable): Promise<boolean> {
  return !PASSING.has(await statusOf(session, table))
}

/**
 * Whether the service is through with a table.
 *
 * @throws {IsothermError} `DATABASE` for a table that is not going to be ready, such as one whose key cannot be used.
 */
async function tableIsSettled(session: Session, table: ChangedTable): Promise<boolean> {
  const { name, there } = table
  const status = await statusOf(session, table)
  if (status === undefined) return !there
  if (status === 'ACTIVE') return there
  if (PASSING.has(status)) return false
  throw new IsothermError('DATABASE', `The table ${name} of Keyspaces has the state ${status as string}.`, {
    fix: 'Look the table up in the AWS console.',
    table: name,
  })
}

/** Undefined where there is no such table. */
async function statusOf(session: Session, { keyspace, name }: ChangedTable): Promise<unknown> {
  const keys = { keyspace_name: keyspace ?? session.keyspace, table_name: name }
  const [status] = await column(session, 'status', 'tables', keys, undefined, 'system_schema_mcs')
  return status
}

/** How long the catalogue is looked at for a statement whose answer was lost, in milliseconds. */
const SHOWS_WITHIN = 10_000
const FIRST_PAUSE = 50
const LONGEST_PAUSE = 2_000

/** A caller may give up a schema change. Isotherm then stops looking at it. */
interface Waiting {
  ended: boolean
  sent: boolean
}

/**
 * Statements that change the schema. Each is awaited: until all nodes have the change, and until the service has finished
 * it.
 */
export class SchemaStatements {
  readonly #session: Session
  readonly #timeoutMs: number

  /** @param timeoutMs of one call, in milliseconds */
  constructor(session: Session, timeoutMs: number) {
    this.#session = session
    this.#timeoutMs = timeoutMs
  }

  /** One after another. */
  async apply(texts: readonly string[], options: CallOptions): Promise<void> {
    const endsAt = performance.now() + timeLimit(options.timeoutMs, this.#timeoutMs)
    for (const text of texts) {
      await this.run(text, { ...options, timeoutMs: endsAt - performance.now() })
    }
  }

  /**
   * @param again the statement may have run before: it is done if the catalogue shows its effect
   * @throws {IsothermError} `OUTCOME_UNKNOWN` where it is unknown whether the statement has run.
   */
  async run(text: string, options: CallOptions, again = false): Promise<void> {
    refuseAborted(options)
    const limit = timeLimit(options.timeoutMs, this.#timeoutMs)
    const waiting: Waiting = { ended: false, sent: false }
    try {
      await answer(() => this.#through(text, limit, again, waiting), limit, options)
    } catch (error) {
      throw waiting.sent && isUnanswered(error)
        ? outcomeUnknown(error, false, this.#session)
        : translate(error, this.#session)
    } finally {
      waiting.ended = true
    }
  }

  async #through(text: string, limit: number, again: boolean, waiting: Waiting): Promise<void> {
    const effect = effectOf(text)
    const session = this.#session
    if (again) await this.#rests(text, waiting)
    if (!(again && (await this.#isApplied(effect)))) {
      try {
        await this.#send(text, effect, limit, waiting)
      } catch (error) {
        // The process that sent it before may have died while the database was still working on it.
        const isRefused = again && effect !== undefined && !waiting.sent
        if (!isRefused || !(await this.#rests(text, waiting)) || !(await shows(session, effect))) throw error
      }
    }
    if (!session.has.asynchronousDdl) {
      await this.#until(() => schemaAgrees(session.client), waiting)
      if (effect && session.has.indexes) await this.#until(() => indexIsBuilt(session, effect), waiting)
      return
    }
    const table = tableChangedBy(text)
    if (table) await this.#until(() => tableIsSettled(session, table), waiting)
    if (effect) await this.#until(() => shows(session, effect), waiting)
  }

  async #send(text: string, effect: DdlEffect | undefined, limit: number, waiting: Waiting): Promise<void> {
    const { client } = this.#session
    waiting.sent = true
    try {
      await client.execute(text, [], {
        prepare: false,
        isIdempotent: false,
        readTimeout: clientLimit(Math.max(1, limit)),
      })
    } catch (error) {
      if (!isUnanswered(error)) {
        waiting.sent = false
        throw error
      }
      // A node may have passed the statement on before it died.
      const endsAt = performance.now() + SHOWS_WITHIN
      const seen =
        effect !== undefined && (await this.#until(() => shows(this.#session, effect), waiting, endsAt))
      if (!seen) throw error
    }
  }

  /**
   * Whether the catalogue alone proves that a statement has been applied. A node of Cassandra updates the catalogue before
   * it executes statements by it, so on Cassandra the statement is sent again, and the refusal proves that it was applied.
   */
  async #isApplied(effect: DdlEffect | undefined): Promise<boolean> {
    return this.#session.has.asynchronousDdl && effect !== undefined && (await shows(this.#session, effect))
  }

  /** Waits until no statement of another process is under way on the table. */
  async #rests(text: string, waiting: Waiting): Promise<boolean> {
    const session = this.#session
    if (!session.has.asynchronousDdl) return this.#until(() => schemaAgrees(session.client), waiting)
    const table = tableChangedBy(text)
    return table === undefined || this.#until(() => tableIsAtRest(session, table), waiting)
  }

  /** Asks until the answer is true. Returns false where the caller no longer waits, or where `endsAt` has passed. */
  async #until(isSo: () => Promise<boolean>, waiting: Waiting, endsAt = Infinity): Promise<boolean> {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      if (await this.#ask(isSo)) return true
      if (waiting.ended || performance.now() + pause > endsAt) return false
      await delay(pause)
      if (waiting.ended) return false
    }
  }

  /** While nodes come and go, the answer may be unavailable: that counts as false. */
  async #ask(isSo: () => Promise<boolean>): Promise<boolean> {
    try {
      return await isSo()
    } catch (failure) {
      const error = translate(failure, this.#session)
      if (error instanceof IsothermError && error.retryable) return false
      throw error
    }
  }
}

/** How many that have ended are remembered. */
const REMEMBERED = 1_000

/** An operation that this process began. */
class Operation {
  readonly #statements: readonly string[]
  #applied = 0
  #done = false
  #error: IsothermError | undefined

  constructor(statements: readonly string[]) {
    this.#statements = statements
  }

  get state(): SchemaChangeState {
    return {
      statements: this.#statements,
      done: this.#done,
      applied: this.#applied,
      progress: this.#statements.map((_, at) => (at < this.#applied ? 100 : 0)),
      ...(this.#error && { error: this.#error }),
    }
  }

  /** Whether it makes sense to begin the operation another time: its outcome is unknown. */
  get isLost(): boolean {
    return this.#error?.code === 'OUTCOME_UNKNOWN'
  }

  async run(ddl: SchemaStatements, again: boolean): Promise<void> {
    try {
      for (const text of this.#statements) {
        await ddl.run(text, {}, again)
        this.#applied++
      }
    } catch (error) {
      this.#error =
        error instanceof IsothermError
          ? error
          : new IsothermError('DATABASE', error instanceof Error ? error.message : String(error), {
              cause: error,
            })
    } finally {
      this.#done = true
    }
  }
}

/**
 * Cassandra has no operations that outlive a client: only this process knows what it began. After a crash, the next process
 * begins the operation `again`, and looks in the catalogue for what has been applied by then.
 */
export function cassandraSchemaChanges(ddl: SchemaStatements): SchemaChanges {
  const operations = new Map<string, Operation>()

  return {
    async begin(statements, operationId, { again = false } = {}) {
      const known = operations.get(operationId)
      if (known && !(again && known.isLost)) return
      const operation = new Operation(statements)
      operations.delete(operationId)
      operations.set(operationId, operation)
      forgetOldest(operations)
      void operation.run(ddl, again)
    },

    async state(operationId) {
      return operations.get(operationId)?.state
    },
  }
}

function forgetOldest(operations: Map<string, Operation>): void {
  for (const [id, operation] of operations) {
    if (operations.size <= REMEMBERED) return
    if (operation.state.done) operations.delete(id)
  }
}
