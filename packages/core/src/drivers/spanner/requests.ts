import { IsothermError } from '../../errors.js'
import { preciseDate } from '../../keys/precise-date.js'
import type {
  CallOptions,
  DirectedReads,
  KeyRange,
  Mutation,
  Priority,
  ReadAt,
  ReadOptions,
  ReadRequest,
  Replicas,
} from '../../database/driver.js'
import type { SqlDialect } from '../../model/sql-expression.js'
import type { Statement } from '../../dialects/statement.js'
import type { CallHandle } from './transport-call.js'
import { boundParameters, toProtoList } from './values.js'

// What the driver is asked for, in the shapes of the client and of Spanner's protocol.

export interface ProtoKeyRange {
  startClosed?: ReturnType<typeof toProtoList>
  startOpen?: ReturnType<typeof toProtoList>
  endClosed?: ReturnType<typeof toProtoList>
  endOpen?: ReturnType<typeof toProtoList>
}

/**
 * The client passes these on to its transport. By default that asks again, for seven seconds, after an error that came
 * before any row: even for a statement that the database has refused for good.
 * (https://github.com/googleapis/nodejs-spanner/issues/2014)
 */
function transport(deadline: number, handle?: CallHandle) {
  return {
    timeout: deadline,
    retryRequestOptions: { noResponseRetries: 0 },
    ...(handle && { otherArgs: { options: { interceptors: handle.interceptors } } }),
  }
}

/**
 * No retries of the client's own, whose pauses nothing can end, and no timeout: the client would write it into settings that
 * all calls of the method share.
 *
 * @param handle can end the call
 */
export function beginOptions(handle: CallHandle) {
  return { retry: { retryCodes: [] }, otherArgs: { options: { interceptors: handle.interceptors } } }
}

function protoRange(range: KeyRange): ProtoKeyRange {
  return {
    [range.startOpen ? 'startOpen' : 'startClosed']: toProtoList(range.start),
    [range.endOpen ? 'endOpen' : 'endClosed']: toProtoList(range.end),
  }
}

/** @param handle can end the call */
export function readRequest(request: ReadRequest, deadline: number, handle?: CallHandle) {
  return {
    columns: request.columns.map((column) => column.name),
    ...(request.index !== undefined && { index: request.index }),
    keySet: {
      ...(request.keys && { keys: request.keys.map(toProtoList) }),
      ...(request.ranges && { ranges: request.ranges.map(protoRange) }),
      ...(!request.keys && !request.ranges && { all: true }),
    },
    gaxOptions: transport(deadline, handle),
    ...(request.limit !== undefined && { limit: request.limit }),
  }
}

export function sqlRequest(
  { text, parameters }: Statement,
  deadline: number,
  dialect: SqlDialect,
  handle?: CallHandle,
) {
  return { sql: text, gaxOptions: transport(deadline, handle), ...boundParameters(parameters, dialect) }
}

const PRIORITIES = {
  low: 'PRIORITY_LOW',
  medium: 'PRIORITY_MEDIUM',
  high: 'PRIORITY_HIGH',
} as const satisfies Record<Priority, string>

/** @throws {IsothermError} `INVALID_VALUE` for a priority that is none. */
function clientPriority(priority: Priority) {
  if (Object.hasOwn(PRIORITIES, priority)) return PRIORITIES[priority]
  throw new IsothermError('INVALID_VALUE', `${JSON.stringify(priority)} is no priority.`, {
    fix: `Use one of ${Object.keys(PRIORITIES).join(', ')}.`,
  })
}

/** How a read is to be served: its priority and tag, and by which replicas. */
export function served({ priority, tag, directedReads }: ReadOptions) {
  return {
    ...((priority !== undefined || tag !== undefined) && {
      requestOptions: {
        ...(priority !== undefined && { priority: clientPriority(priority) }),
        ...(tag !== undefined && { requestTag: tag }),
      },
    }),
    ...(directedReads && { directedReadOptions: replicaChoice(directedReads) }),
  }
}

/** A transaction has one tag for all that it does. */
export function tagged({ tag }: CallOptions) {
  return tag === undefined ? {} : { requestOptions: { transactionTag: tag } }
}

export function commitOptions({ priority }: CallOptions) {
  return priority === undefined ? {} : { requestOptions: { priority: clientPriority(priority) } }
}

function replicaChoice(directed: DirectedReads) {
  if ('exclude' in directed)
    return { excludeReplicas: { replicaSelections: directed.exclude.map(replicaSelection) } }
  const { include, failover = true } = directed
  return {
    includeReplicas: { replicaSelections: include.map(replicaSelection), autoFailoverDisabled: !failover },
  }
}

const REPLICA_TYPES = { 'read-write': 'READ_WRITE', 'read-only': 'READ_ONLY' } as const

function replicaSelection({ location, type }: Replicas) {
  return {
    ...(location !== undefined && { location }),
    ...(type !== undefined && { type: REPLICA_TYPES[type] }),
  }
}

/** As of when, in the client's words and the protocol's. */
export interface Bounds {
  readonly strong?: boolean
  readonly readTimestamp?: { readonly seconds: number; readonly nanos: number }
  readonly exactStaleness?: number
  readonly maxStaleness?: number
}

/**
 * A moment is given as the protocol has it: the client knows a `PreciseDate` only if it is of its own copy of that class.
 */
export function timestampBounds(at: ReadAt = 'strong'): Bounds {
  checkMoment(at)
  if (at === 'strong') return { strong: true }
  if (!('readTimestamp' in at)) return at
  const seconds = Math.floor(at.readTimestamp.getTime() / 1000)
  const fraction = preciseDate(at.readTimestamp.toISOString())
  const nanos =
    fraction.getUTCMilliseconds() * 1_000_000 + fraction.getMicroseconds() * 1000 + fraction.getNanoseconds()
  return { readTimestamp: { seconds, nanos } }
}

/** @throws {IsothermError} `INVALID_VALUE` for what is no moment: a client without a compiler may pass anything. */
function checkMoment(at: unknown): void {
  if (at === 'strong') return
  const [[kind, value] = [], ...more] = typeof at === 'object' && at !== null ? Object.entries(at) : []
  const isTime =
    kind === 'readTimestamp'
      ? value instanceof Date && !Number.isNaN(value.getTime())
      : (kind === 'exactStaleness' || kind === 'maxStaleness') &&
        typeof value === 'number' &&
        Number.isFinite(value) &&
        value >= 0
  if (isTime && more.length === 0) return
  throw new IsothermError('INVALID_VALUE', 'This is no moment to read as of.', {
    fix: "Use 'strong', { exactStaleness } or { maxStaleness } in milliseconds, or { readTimestamp } as a Date.",
  })
}

/** Several reads need one moment, which `maxStaleness` leaves open: its far end is always within it. */
export function fixedMoment(at: ReadAt | undefined): ReadAt | undefined {
  return typeof at === 'object' && 'maxStaleness' in at ? { exactStaleness: at.maxStaleness } : at
}

const OPERATIONS = { insert: 'insert', update: 'update', upsert: 'insertOrUpdate' } as const

export function protoMutation(mutation: Mutation) {
  if (mutation.op === 'delete') {
    return { delete: { table: mutation.table, keySet: { keys: mutation.keys.map(toProtoList) } } }
  }
  const { table, columns, rows } = mutation
  return { [OPERATIONS[mutation.op]]: { table, columns: [...columns], values: rows.map(toProtoList) } }
}
