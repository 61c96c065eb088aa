import { types } from 'cassandra-driver'
import { IsothermError, type IsothermErrorCode } from '@isotherm/core/engine'
import type { CqlCapabilities } from '../cql/capabilities.js'

// The only module that knows the client's errors, and the codes of the native protocol
// (https://github.com/apache/cassandra/blob/cassandra-5.0/doc/native_protocol_v4.spec, section 9). Errors are recognized by
// their names: those of another copy of the client's package have the same names.

const codes: Readonly<Record<keyof typeof types.responseErrorCodes, number>> = types.responseErrorCodes

/** The code of a condition whose Paxos round was begun and not completed. The client has no name for it. */
const CAS_WRITE_UNKNOWN = 0x1700

/** Nothing was done, and a later attempt may succeed. */
const NOT_NOW: ReadonlySet<number> = new Set([
  codes.unavailableException,
  codes.overloaded,
  codes.isBootstrapping,
])

/** The caller does not know whether the statement took effect. */
const NO_ANSWER: ReadonlySet<number> = new Set([
  codes.readTimeout,
  codes.readFailure,
  codes.writeTimeout,
  codes.writeFailure,
  codes.serverError,
  CAS_WRITE_UNKNOWN,
])

/** One code covers most mistakes in a statement, and only the message says whether the named object exists. */
const MISSING =
  /^(unconfigured (table|columnfamily)\b|(table|keyspace|type|index) .*(does not|doesn't) exist)/i

const THERE_ALREADY = /\balready exists\b/i

const FIXES: Partial<Readonly<Record<IsothermErrorCode, string>>> = {
  UNAVAILABLE: 'Check that enough nodes are running and reachable.',
  NOT_FOUND: 'Check that the migrations were run, and check the keyspace of the client.',
}

/** Messages of the database, and what to do about them. */
const SAID: readonly { readonly says: RegExp; readonly fix: string }[] = [
  {
    says: /^keyspace .*(does not|doesn't) exist/i,
    fix: "Create the keyspace, and then run isotherm migrate: CREATE KEYSPACE name WITH replication = {'class': 'NetworkTopologyStrategy', 'replication_factor': 3}. Or check the keyspace of the client.",
  },
  {
    says: /^(unconfigured (table|columnfamily)\b|table .*(does not|doesn't) exist)/i,
    fix: 'Run the migrations: isotherm migrate. Or check the keyspace of the client.',
  },
  {
    says: /^(undefined column name|unknown identifier|undefined name) /i,
    fix: 'Check that the migrations were run (isotherm migrate), and that the models are those of this keyspace: another program may have changed it.',
  },
  {
    says: /^request is too big\b/i,
    fix: 'Write fewer rows at once, or keep large values in an object store, and their names in this table.',
  },
  {
    says: /^too many markers/i,
    fix: 'Make several calls with fewer values each; or pass the values as one list, in one parameter: IN ?.',
  },
]

const THROTTLED =
  'Keyspaces also answers so when a partition or the table is overloaded: use more shards, or give the table more capacity.'

const CREDENTIALS =
  'Check that the credentials are right, belong to this region and have not expired, and that the clock is right.'

const NO_COLUMN = /^undefined column name "?(.+?)"? in table (?:[^.]+\.)?"?(.+?)"?$/i

interface ClientError extends Error {
  readonly code?: number
  /** The result of each node that was tried: an error, or text. */
  readonly innerErrors?: Readonly<Record<string, unknown>>
  readonly isSocketError?: boolean
  readonly requestNotWritten?: boolean
}

const CLIENT_ERRORS: ReadonlySet<string> = new Set([
  'ArgumentError',
  'AuthenticationError',
  'BusyConnectionError',
  'DriverError',
  'DriverInternalError',
  'NoHostAvailableError',
  'NotSupportedError',
  'OperationTimedOutError',
  'ResponseError',
  'VIntOutOfRangeException',
])

/** A node whose last connection has gone while a statement was being prepared: the client has neither a code nor a name for it. */
const NO_CONNECTION = 'No connection available'

function isClientError(error: unknown): error is ClientError {
  if (!(error instanceof Error)) return false
  return (
    CLIENT_ERRORS.has(error.name) ||
    (error as ClientError).isSocketError === true ||
    error.message === NO_CONNECTION
  )
}

/** Whose errors they are. */
export interface ErrorSource {
  readonly has: CqlCapabilities
  /** The client's contact points: `host:port`. */
  readonly contactPoints: readonly string[]
}

/** An error of the client in our words; any other as it is. */
export function translate(error: unknown, source: ErrorSource): unknown {
  if (!isClientError(error)) return error
  const inner = soleRefusal(error)
  if (inner) return translate(inner, source)
  if (error.message === SHUT_DOWN) {
    return new IsothermError('DATABASE', 'The client has been shut down.', {
      cause: error,
      fix: 'Finish all calls before client.shutdown(), or create another client.',
    })
  }
  const code = codeOf(error)
  const fix = fixOf(error, code, source.has)
  const [, column, table] = NO_COLUMN.exec(error.message) ?? []
  if (column !== undefined && table !== undefined) {
    const message = `${table} has no column ${column}: its schema is not that of the models, or was changed (${error.message}).`
    return new IsothermError(code, message, {
      cause: error,
      table,
      column,
      ...(fix !== undefined && { fix }),
    })
  }
  const isRetryable = code === 'UNAVAILABLE' || error.code === codes.serverError
  return new IsothermError(code, said(error, source.contactPoints), {
    cause: error,
    retryable: isRetryable,
    ...(isRetryable && isDisconnected(error) && { retryFor: RECONNECTS_WITHIN }),
    ...(fix !== undefined && { fix }),
  })
}

function fixOf(error: ClientError, code: IsothermErrorCode, has: CqlCapabilities): string | undefined {
  if (error.name === 'AuthenticationError') return CREDENTIALS
  return has.partitionLoad.certain && isThrottling(error)
    ? THROTTLED
    : (SAID.find(({ says }) => says.test(error.message))?.fix ?? FIXES[code])
}

function codeOf(error: ClientError): IsothermErrorCode {
  switch (error.name) {
    case 'NoHostAvailableError':
    case 'BusyConnectionError':
    case 'OperationTimedOutError':
      return 'UNAVAILABLE'
    case 'ResponseError':
      return codeOfResponse(error.code!, error.message)
    default:
      return error.isSocketError || error.message === NO_CONNECTION ? 'UNAVAILABLE' : 'DATABASE'
  }
}

function codeOfResponse(code: number, message: string): IsothermErrorCode {
  if (NOT_NOW.has(code)) return 'UNAVAILABLE'
  if (code === codes.serverError) return 'DATABASE'
  if (NO_ANSWER.has(code)) return 'UNAVAILABLE'
  if (code === codes.alreadyExists) return 'ALREADY_EXISTS'
  if (code !== codes.invalid && code !== codes.configError) return 'DATABASE'
  if (MISSING.test(message)) return 'NOT_FOUND'
  return THERE_ALREADY.test(message) ? 'ALREADY_EXISTS' : 'DATABASE'
}

function isThrottling({ code }: ClientError): boolean {
  return code === codes.writeTimeout || code === codes.readTimeout || code === codes.overloaded
}

/** The client has neither a code nor a name for it. */
const SHUT_DOWN = 'Connecting after shutdown is not supported'

/** The error that all nodes have returned, if another attempt would not help: for example wrong credentials. */
function soleRefusal({ innerErrors }: ClientError): Error | undefined {
  const inner = Object.values(innerErrors ?? {})
  const refused = inner.filter(isRefusal)
  return refused.length > 0 && refused.length === inner.length ? refused[0] : undefined
}

/** Our own are of the sign-in: a package that is missing, say. */
function isRefusal(error: unknown): error is Error {
  if (error instanceof IsothermError) return !error.retryable
  return isClientError(error) && codeOf(error) !== 'UNAVAILABLE'
}

/** The client puts the stacks of wrapped errors into its message. */
function said(error: ClientError, contactPoints: readonly string[]): string {
  const inner = Object.entries(error.innerErrors ?? {})
  if (inner.length === 0) {
    if (contactPoints.length === 0 || !isDisconnected(error)) return sentence(error.message)
    return `No node can be reached (${error.message}). The client's contact points: ${contactPoints.join(', ')}.`
  }
  const nodes = inner.map(([host, why]) => `${host}: ${why instanceof Error ? why.message : String(why)}`)
  return sentence(`No node answered (${nodes.join('; ')})`)
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** Whether a statement that was sent may have taken effect all the same. */
export function isUnanswered(error: unknown): boolean {
  if (error instanceof IsothermError) return error.code === 'TIMEOUT' || error.code === 'CANCELLED'
  if (!isClientError(error)) return false
  if (error.innerErrors) return Object.values(error.innerErrors).some(isUnanswered)
  if (error.isSocketError) return error.requestNotWritten !== true
  return (
    error.name === 'OperationTimedOutError' || (error.name === 'ResponseError' && NO_ANSWER.has(error.code!))
  )
}

/** Whether it is nothing but time that was too short, on every node that was asked. */
export function isTimeout(error: unknown): boolean {
  if (!isClientError(error)) return false
  const inner = Object.values(error.innerErrors ?? {})
  return inner.length > 0 ? inner.every(isTimeout) : error.name === 'OperationTimedOutError'
}

/** Whether no node knows what the client takes to be prepared there, and so none has done anything. */
export function isUnprepared(error: unknown): boolean {
  if (!isClientError(error)) return false
  const inner = Object.values(error.innerErrors ?? {})
  return inner.length > 0 ? inner.every(isUnprepared) : error.code === codes.unprepared
}

/** Whether the role may not do this. */
export function isUnauthorized(error: unknown): boolean {
  return isClientError(error) && error.code === codes.unauthorized
}

/**
 * How long a client that has lost its nodes needs until it is connected again, in milliseconds: it first tries after a second
 * and up to 15%, and has to sign in then.
 *
 * Source: https://docs.datastax.com/en/developer/nodejs-driver/4.8/api/module.policies/module.reconnection/index.html
 */
export const RECONNECTS_WITHIN = 2_500

/** Whether there was no connection, to any node that was tried. */
export function isDisconnected(error: unknown): boolean {
  if (!isClientError(error)) return false
  const inner = Object.values(error.innerErrors ?? {})
  if (inner.length > 0) return inner.every(isUnreached)
  return (
    error.name === 'NoHostAvailableError' || error.isSocketError === true || error.message === NO_CONNECTION
  )
}

/** Whether the client's reason shows that it did not ask the node: text, the system's own error, or nothing at all. */
function isUnreached(why: unknown): boolean {
  if (why instanceof IsothermError) return false
  return isClientError(why) ? isDisconnected(why) : true
}

/** Whether it makes sense to send the same again. */
export function mayPass(error: unknown): boolean {
  return (
    isClientError(error) && (isUnanswered(error) || codeOf(error) === 'UNAVAILABLE') && !soleRefusal(error)
  )
}

/**
 * The error of a write that was sent and not answered.
 *
 * @param isIdempotent the same write may be repeated, whatever its outcome
 */
export function outcomeUnknown(cause: unknown, isIdempotent: boolean, source: ErrorSource): IsothermError {
  const why = translate(cause, source)
  const words = why instanceof Error ? why.message : String(why)
  return new IsothermError(
    'OUTCOME_UNKNOWN',
    `The write was sent, but its answer was lost (${words}): it may or may not have happened.`,
    {
      fix: isIdempotent
        ? 'Write the same values again: that is safe unless another client has written the rows since. For an insert, rows has them with their keys.'
        : 'Read the row back by its key before you write it again.',
      retryable: isIdempotent,
      cause,
    },
  )
}
