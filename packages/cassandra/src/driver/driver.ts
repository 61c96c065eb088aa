import {
  COSTS,
  type Consistency,
  type CostProfile,
  type Driver,
  IsothermError,
  type OptionKinds,
  type OptionValues,
  checkOptions,
  kind,
  numberFrom,
  oneOf,
  options as optionsOf,
  partitionWrites,
  required,
  sameDialect,
  text,
} from '@isotherm/core/engine'
import { type ConsistencyLevels, checkConsistency } from '../cql/consistency.js'
import type { Client } from 'cassandra-driver'
import { cqlRuntime, keyspacesCqlRuntime } from '../cql/runtime.js'
import { type CqlDialectRuntime, isCqlRuntime } from '../cql/statement.js'
import { Session, checkClient } from './execute.js'
import { conditionalWrites } from './conditional.js'
import { counterWrites } from './counters.js'
import { readRows } from './ranges.js'
import { SchemaStatements, cassandraSchemaChanges } from './schema-statements.js'
import { queryRows, runStatement } from './statements.js'
import { checkKeyLengths } from './key-lengths.js'
import { commitMutations } from './writes.js'

/**
 * Cassandra in one region. The planner cannot choose statements instead of reads by key, so most of these costs are not
 * used; a connection takes 3,000 calls a second on Keyspaces, and more elsewhere.
 */
export const CASSANDRA_COSTS: CostProfile = {
  roundTrip: 2,
  call: 0.1,
  statement: 0,
  range: 0.1,
  row: 0.01,
  scannedRow: 0.002,
  statementsScan: false,
  concurrency: 100,
  inFlight: 256,
}

/**
 * The most that a cell lives: twenty years.
 *
 * Source: https://cassandra.apache.org/doc/stable/cassandra/developing/cql/dml.html
 */
const MAX_SECONDS = 630_720_000

/** To the engine, the smallest number of 64 bits is the time of nothing that was ever written. */
const MIN_TIME = -(2n ** 63n) + 1n

/** @param engine as messages name it */
export function optionValues(engine: string, levels: ConsistencyLevels): OptionValues {
  return {
    checkRead({ consistency }) {
      if (consistency !== undefined) checkConsistency(engine, 'reads', levels, consistency)
    },
    checkWrite(kind, { ttlSeconds, writeTime, consistency, conditional = true }) {
      if (
        ttlSeconds !== undefined &&
        !(Number.isInteger(ttlSeconds) && ttlSeconds >= 0 && ttlSeconds <= MAX_SECONDS)
      ) {
        throw invalid(
          `ttlSeconds is ${String(ttlSeconds)}.`,
          `Give whole seconds from 1 to ${MAX_SECONDS}, or 0 for cells that never expire.`,
        )
      }
      if (writeTime !== undefined) {
        if (
          typeof writeTime !== 'bigint' ||
          writeTime < MIN_TIME ||
          BigInt.asIntN(64, writeTime) !== writeTime
        )
          throw invalid(`writeTime is ${String(writeTime)}.`, 'Give microseconds since 1970, as a bigint.')
        if (conditional && (kind === 'insert' || kind === 'update')) {
          throw invalid(
            `writeTime cannot be combined with a condition: an ${kind} checks whether the row exists, at a time that the database chooses.`,
            `Give conditional: false with it.`,
          )
        }
      }
      if (consistency !== undefined) checkConsistency(engine, 'writes', levels, consistency)
    },
  }
}

function invalid(what: string, fix: string): IsothermError {
  return new IsothermError('INVALID_VALUE', what, { fix })
}

export interface CassandraOptions {
  /** Whose CQL it is, `cql` or `keyspacesCql`: nothing is guessed, since each has limits of its own. */
  readonly dialect: CqlDialectRuntime
  /** How long a call may take when it does not say, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number
  /** How long a schema change may take, in milliseconds. Default: 600,000. */
  readonly ddlTimeoutMs?: number
  /**
   * How many replicas have to answer if a call does not say. Default: `local-quorum` for reads and for writes, so that a
   * read sees acknowledged writes; `local-serial` for conditions.
   */
  readonly consistency?: {
    readonly read?: Consistency
    readonly write?: Consistency
    readonly serial?: 'serial' | 'local-serial'
  }
  /** The cost of calls, if the driver's own figures do not fit. */
  readonly costs?: Partial<CostProfile>
}

const CASSANDRA_OPTIONS: OptionKinds<CassandraOptions> = {
  dialect: required(
    kind(
      'a dialect of CQL: cql or keyspacesCql',
      (value) => isCqlRuntime(value) && runtimeOf(value) !== undefined,
    ),
  ),
  timeoutMs: numberFrom(1, 'a number of milliseconds'),
  ddlTimeoutMs: numberFrom(1, 'a number of milliseconds'),
  // Which levels there are depends on the dialect.
  consistency: optionsOf(
    { read: text("'local-one'"), write: text("'local-quorum'"), serial: oneOf('serial', 'local-serial') },
    "an object, such as { read: 'local-one' }",
  ),
  costs: COSTS,
}

/** The part of a dialect that runs; undefined for a dialect of another engine. */
function runtimeOf(dialect: CqlDialectRuntime): CqlDialectRuntime | undefined {
  return [cqlRuntime, keyspacesCqlRuntime].find((each) => sameDialect(each, dialect))
}

/**
 * Isotherm on a keyspace of Apache Cassandra or Amazon Keyspaces, through the client that DataStax made and Apache keeps.
 *
 * @param client of `cassandra-driver` 4, with `encoding: { useBigIntAsLong: true, map: Map }`, a `keyspace` and a
 * `localDataCenter`
 * @throws {IsothermError} `INVALID_CLIENT` for a client that was created with other settings; `INVALID_OPTION` for unknown options;
 * `INVALID_VALUE` for a consistency that the dialect does not have.
 * @example
 * const client = new Client({
 *   contactPoints: ['10.0.0.1'],
 *   localDataCenter: 'datacenter1',
 *   keyspace: 'blog',
 *   encoding: { useBigIntAsLong: true, map: Map },
 * })
 * const db = openDatabase({ driver: cassandra(client, { dialect: cql }), schema })
 */
export function cassandra(client: Client, options: CassandraOptions): Driver<undefined> {
  checkOptions('cassandra', CASSANDRA_OPTIONS, options)
  const { timeoutMs = 10_000, ddlTimeoutMs = 600_000 } = options
  const dialect = runtimeOf(options.dialect)!
  checkClient(client)
  const { engine: name, has, statements } = dialect.cql
  const consistency = {
    read: options.consistency?.read ?? 'local-quorum',
    write: options.consistency?.write ?? 'local-quorum',
    serial: options.consistency?.serial ?? 'local-serial',
  } as const
  checkConsistency(name, 'reads', has, consistency.read)
  checkConsistency(name, 'writes', has, consistency.write)
  const session = new Session(client, { name, has, timeoutMs, consistency })
  const ddl = new SchemaStatements(session, ddlTimeoutMs)
  const writes = partitionWrites({
    name,
    maxRows: has.statementsPerBatch,
    commit: (mutations, call) => commitMutations(session, statements, mutations, call),
  })

  return {
    name,
    system: 'cassandra',
    dialect,
    keyspace: client.keyspace,
    client,
    costs: { ...CASSANDRA_COSTS, ...options.costs },
    lacks: [],
    takes: ['ttlSeconds', 'writeTime', 'consistency', 'conditional'],
    optionValues: optionValues(name, has),

    read: (request, call = {}) => readRows(session, statements, request, call, 'read'),
    query: (statement, types, call = {}) => queryRows(session, statement, types, call),
    run: (statement, call = {}) => runStatement(session, statement, call),

    writes: {
      ...writes,
      async commit(rows, call) {
        // Before the first of several commits: those beside it would be written.
        for (const row of rows) checkKeyLengths(row, session)
        return writes.commit(rows, call)
      },
    },
    atomic: conditionalWrites(session, statements),
    counters: counterWrites(session, statements),

    applyDdl: (texts, call = {}) => ddl.apply(texts, call),
    schemaChanges: cassandraSchemaChanges(ddl),
  }
}
