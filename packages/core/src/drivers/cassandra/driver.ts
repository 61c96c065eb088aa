import type { Client } from 'cassandra-driver'
import type { CostProfile, Driver } from '../../database/driver.js'
import { cqlTargets, type CqlTarget } from '../../dialects/cql/capabilities.js'
import { checkConsistency, type Consistency } from '../../dialects/cql/consistency.js'
import { cqlStatements } from '../../dialects/cql/statements.js'
import { checkTarget } from '../../model/cql-target.js'
import { checkClient, checkOptions } from './check-client.js'
import { conditionalWrites } from './conditional.js'
import { CASSANDRA_COSTS } from './costs.js'
import { counterWrites } from './counters.js'
import { Session } from './execute.js'
import { readRows } from './ranges.js'
import { cassandraSchemaChanges } from './schema-changes.js'
import { SchemaStatements } from './schema-statements.js'
import { queryRows, runStatement } from './statements.js'
import { commitMutations } from './writes.js'

export interface CassandraOptions {
  /** Whose CQL it is: nothing is guessed, since each has limits of its own. */
  readonly target: CqlTarget
  /** How long a call may take when it does not say, in milliseconds. Default: 10,000. */
  readonly deadline?: number
  /** How long a schema change may take, in milliseconds. Default: 600,000. */
  readonly ddlDeadline?: number
  /**
   * How many replicas have to answer where a call does not say. Default: `local-quorum` for reads and for writes, so that a
   * read sees what was acknowledged; `local-serial` for conditions.
   */
  readonly consistency?: {
    readonly read?: Consistency
    readonly write?: Consistency
    readonly serial?: 'serial' | 'local-serial'
  }
  /** What things cost, where the driver's own figures do not fit. */
  readonly costs?: Partial<CostProfile>
}

const NAMES: Readonly<Record<CqlTarget, string>> = { cassandra: 'Cassandra', keyspaces: 'Keyspaces' }

/**
 * Isotherm on a keyspace of Apache Cassandra or Amazon Keyspaces, through the client that DataStax made and Apache keeps.
 *
 * @param client of `cassandra-driver` 4, with `encoding: { useBigIntAsLong: true, map: Map }`, a `keyspace` and a
 * `localDataCenter`
 * @throws {IsothermError} `INVALID_VALUE` for a client that was made otherwise, and for a consistency that the target has
 * not; `UNSUPPORTED` for a target that is none.
 * @example
 * const client = new Client({
 *   contactPoints: ['10.0.0.1'],
 *   localDataCenter: 'datacenter1',
 *   keyspace: 'blog',
 *   encoding: { useBigIntAsLong: true, map: Map },
 * })
 * const db = openDatabase({ driver: cassandra(client, { target: 'cassandra' }), schema })
 */
export function cassandra(client: Client, options: CassandraOptions): Driver<undefined> {
  checkOptions(options)
  const { target, deadline = 10_000, ddlDeadline = 600_000 } = options
  checkTarget(target)
  checkClient(client)
  const has = cqlTargets[target]
  const consistency = {
    read: options.consistency?.read ?? 'local-quorum',
    write: options.consistency?.write ?? 'local-quorum',
    serial: options.consistency?.serial ?? 'local-serial',
  } as const
  const name = NAMES[target]
  checkConsistency(name, 'reads', has, consistency.read)
  checkConsistency(name, 'writes', has, consistency.write)
  const session = new Session(client, { name, has, deadline, consistency })
  const statements = cqlStatements(has)
  const ddl = new SchemaStatements(session, target, ddlDeadline)

  return {
    name,
    system: 'cassandra',
    dialect: 'cql',
    target,
    keyspace: client.keyspace,
    client,
    costs: { ...CASSANDRA_COSTS, ...options.costs },
    lacks: [],
    takes: ['ttl', 'writeTime', 'consistency', 'check'],

    read: (request, call = {}) => readRows(session, statements, request, call, 'read'),
    query: (statement, types, call = {}) => queryRows(session, statement, types, call),
    run: (statement, call = {}) => runStatement(session, statement, call),

    async write(mutations, call = {}) {
      await commitMutations(session, statements, mutations, call)
      return { commitTimestamp: undefined }
    },
    conditional: conditionalWrites(session, statements),
    counters: counterWrites(session, statements),

    applyDdl: (texts, call = {}) => ddl.apply(texts, call),
    schemaChanges: cassandraSchemaChanges(ddl),
    readDdl: (call = {}) => ddl.read(call),
  }
}
