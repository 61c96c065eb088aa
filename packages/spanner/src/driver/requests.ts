import pLimit from 'p-limit'
import {
  type CallOptions,
  type DirectedReads,
  IsothermError,
  type KeyRange,
  type Mutation,
  type Priority,
  type TimestampBound,
  type ReadOptions,
  type ReadRequest,
  type Replicas,
  type SqlDialectRuntime,
  type Statement,
  clientLimit,
  toMoment,
  preciseDate,
  transactionEnded,
  present,
  shown,
} from '@isotherm/core/engine'
import { boundParameters, toProtoList } from './values.js'
import type { Transaction } from '@google-cloud/spanner'

/** A call of the transport (grpc-js), as its interceptors see it. */
export interface TransportCall {
  startRead(): void
  cancelWithStatus(status: number, details: string): void
}

type NextCall = (options: unknown) => TransportCall

const CANCELLED = 1

const pass = (options: unknown, next: NextCall): TransportCall => next(options)

/**
 * A call that can be ended. The client leaves a call open whose stream is destroyed, and cannot end a unary call at all:
 * the database goes on working for a caller that has gone, in a session that is lent to the next one. The transport can
 * cancel the call.
 *
 * Source: https://github.com/grpc/proposal/blob/master/L5-node-client-interceptors.md
 */
export class CallHandle {
  /** For the call's options. From 8.13 on the client puts an interceptor of its own first. */
  readonly interceptors: readonly unknown[] = [
    pass,
    (options: unknown, next: NextCall) => this.#begun(next(options)),
  ]
  #call: TransportCall | undefined
  #isCancelled = false

  /** Ends the call, if it has not ended, and the calls that the client would make in its place. */
  cancel(): void {
    this.#isCancelled = true
    this.#call?.cancelWithStatus(CANCELLED, 'The reader has gone.')
  }

  /** A stream that is resumed has several calls, one after the other. */
  protected guarded(call: TransportCall): TransportCall {
    return call
  }

  #begun(call: TransportCall): TransportCall {
    this.#call = call
    if (this.#isCancelled) this.cancel()
    return this.guarded(call)
  }
}

// The driver's requests, in the shapes of the client and of Spanner's protocol.

interface ProtoKeyRange {
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
function transport(timeoutMs: number, handle?: CallHandle) {
  return {
    timeout: clientLimit(timeoutMs),
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
export function readRequest(request: ReadRequest, timeoutMs: number, handle?: CallHandle) {
  return {
    columns: request.columns.map((column) => column.name),
    ...(request.index !== undefined && { index: request.index }),
    keySet: {
      ...(request.keys && { keys: request.keys.map(toProtoList) }),
      ...(request.ranges && { ranges: request.ranges.map(protoRange) }),
      ...(!request.keys && !request.ranges && { all: true }),
    },
    gaxOptions: transport(timeoutMs, handle),
    ...(request.limit !== undefined && { limit: request.limit }),
  }
}

export function sqlRequest(
  { text, parameters }: Statement,
  timeoutMs: number,
  dialect: SqlDialectRuntime,
  handle?: CallHandle,
) {
  return { sql: text, gaxOptions: transport(timeoutMs, handle), ...boundParameters(parameters, dialect) }
}

const PRIORITIES = {
  low: 'PRIORITY_LOW',
  medium: 'PRIORITY_MEDIUM',
  high: 'PRIORITY_HIGH',
} as const satisfies Record<Priority, string>

/** @throws {IsothermError} `INVALID_VALUE` for an invalid priority. */
function clientPriority(priority: Priority) {
  if (Object.hasOwn(PRIORITIES, priority)) return PRIORITIES[priority]
  throw new IsothermError('INVALID_VALUE', `${JSON.stringify(priority)} is not a priority.`, {
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

/** A timestamp bound, in the forms of the client and of the protocol. */
export interface Bounds {
  readonly strong?: boolean
  readonly readTimestamp?: { readonly seconds: number; readonly nanos: number }
  readonly exactStaleness?: number
  readonly maxStaleness?: number
}

/**
 * A timestamp is passed in the protocol's form: the client recognises a `PreciseDate` only if it is of its own copy of that
 * class.
 */
export function timestampBounds(at: TimestampBound = 'strong'): Bounds {
  checkMoment(at)
  if (at === 'strong') return { strong: true }
  if (!('readTimestamp' in at)) return at
  const moment = present(toMoment(at.readTimestamp), 'read timestamp')
  const seconds = Math.floor(moment.getTime() / 1000)
  const fraction = preciseDate(moment.toISOString())
  const nanos =
    fraction.getUTCMilliseconds() * 1_000_000 + fraction.getMicroseconds() * 1000 + fraction.getNanoseconds()
  return { readTimestamp: { seconds, nanos } }
}

/**
 * @throws {IsothermError} `INVALID_VALUE` for an invalid timestamp bound: a client without a compiler may pass anything.
 */
function checkMoment(at: unknown): void {
  if (at === 'strong') return
  const [[kind, value] = [], ...more] = typeof at === 'object' && at !== null ? Object.entries(at) : []
  const isTime =
    kind === 'readTimestamp'
      ? toMoment(value) !== undefined
      : (kind === 'exactStaleness' || kind === 'maxStaleness') &&
        typeof value === 'number' &&
        Number.isFinite(value) &&
        value >= 0
  if (isTime && more.length === 0) return
  throw new IsothermError('INVALID_VALUE', `The timestamp bound is ${shown(at)}, which is invalid.`, {
    fix: "Use 'strong', { exactStaleness } or { maxStaleness } in milliseconds, or { readTimestamp } as a Date or as text with an offset.",
  })
}

/**
 * Several reads need one timestamp, but `maxStaleness` leaves it open: the oldest allowed timestamp is always within it.
 */
export function fixedMoment(at: TimestampBound | undefined): TimestampBound | undefined {
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

/**
 * The order in which a transaction's statements are sent, however many of them the application begins together.
 *
 * One statement begins the transaction, and the others wait for it: the client begins a transaction with its first
 * statement, but accepts every batch that is sent before the answer to the first one, so that each would begin a
 * transaction of its own, and only one of them would be committed. A stream that waits for another in the client waits
 * forever if that one is aborted.
 *
 * Statements that write are sent one after the other: Spanner ends a transaction whose writes arrive in another order than
 * they were numbered in. Reads have no order.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/rpc/google.spanner.v1#executesqlrequest (`seqno`)
 */
export class StatementOrder {
  readonly #transaction: Transaction
  readonly #oneByOne = pLimit(1)
  /** Resolves when the statement that may begin the transaction has its answer. */
  #beginning: Promise<void> | undefined
  #hasEnded = false
  #running = 0

  constructor(transaction: Transaction) {
    this.#transaction = transaction
    // When a first stream fails, the client begins the transaction in the background and ignores the outcome: if that fails
    // too, the rejection would end the process. A caller that does wait for it still gets the error.
    const begin = transaction.begin.bind(transaction) as (...args: unknown[]) => unknown
    transaction.begin = ((...args: unknown[]) => {
      const outcome = begin(...args)
      if (!(outcome instanceof Promise)) return outcome
      const begun = outcome.then((answer: unknown) => {
        // A commit of mutations begins the transaction first, and would be sent although its caller has gone.
        this.#refuseEnded()
        return answer
      })
      this.#note(begun)
      return begun
    }) as Transaction['begin']
  }

  /** Whether no statement waits for the database. */
  get isIdle(): boolean {
    return this.#running === 0
  }

  /**
   * Sends nothing more. Waits for the statement that may begin the transaction: what the database begins after a rollback
   * keeps its locks. Does not wait for other statements, since they may wait for locks of a transaction that waits for this
   * one.
   */
  async end(): Promise<void> {
    this.#hasEnded = true
    await this.#begun()
  }

  /** Sends a statement that writes. */
  write<T>(statement: () => Promise<T>): Promise<T> {
    return this.#oneByOne(() => this.read(statement))
  }

  /** Sends a statement that reads. */
  async read<T>(statement: () => Promise<T>): Promise<T> {
    this.#running++
    try {
      await this.#begun()
      this.#refuseEnded()
      const answer = statement()
      if (!this.#transaction.id) this.#note(answer)
      return await answer
    } finally {
      this.#running--
    }
  }

  async #begun(): Promise<void> {
    while (!this.#transaction.id && this.#beginning) await this.#beginning
  }

  #refuseEnded(): void {
    if (this.#hasEnded) throw transactionEnded()
  }

  #note(answer: Promise<unknown>): void {
    const settled = (): void => {
      if (this.#beginning === beginning) this.#beginning = undefined
    }
    const beginning = answer.then(settled, settled)
    this.#beginning = beginning
  }
}
