import { IsothermError, type IsothermErrorCode } from '../../errors.js'
import { GivenUp } from './resumption.js'

// The only place that knows the client's error codes (gRPC's: https://grpc.github.io/grpc/core/md_doc_statuscodes.html).

const CODES: Readonly<Record<number, IsothermErrorCode>> = {
  1: 'CANCELLED',
  4: 'DEADLINE',
  5: 'NOT_FOUND',
  6: 'ALREADY_EXISTS',
  9: 'CONSTRAINT',
  10: 'ABORTED',
  11: 'CONSTRAINT',
  14: 'UNAVAILABLE',
}

const FIXES: Partial<Readonly<Record<IsothermErrorCode, string>>> = {
  DEADLINE: 'Give the call a longer deadline, or see why the database is slow.',
  UNAVAILABLE: 'See that the database can be reached.',
  SNAPSHOT_EXPIRED:
    'Begin again as of now, or let the database keep versions longer (version_retention_period).',
}

/** Said of a moment whose versions the database has removed: a failed precondition like others, but for its words. */
const EXPIRED = /exceeded the maximum timestamp staleness/

/** The emulator makes no schema change while there is a transaction, and none beside another; the service lets them wait. */
const BUSY = /concurrent schema change operation or read-write transaction/

/** Codes after which nobody knows whether a commit took place: cancelled, unknown, deadline, internal, unavailable. */
const OUTCOME_UNKNOWN = new Set([1, 2, 4, 13, 14])
const ABORTED = 10

/** Codes after which the same read may succeed: unknown (a broken connection), resource exhausted, internal, unavailable. */
const TRANSIENT = new Set([2, 8, 13, 14])

interface GrpcError extends Error {
  readonly code: number
  readonly details?: string
}

function isGrpcError(error: unknown): error is GrpcError {
  return error instanceof Error && typeof (error as { code?: unknown }).code === 'number'
}

/** How deep the client's error may lie in those that others have made of it. */
const DEEPEST_CAUSE = 8

/**
 * The client's own error after which it runs a transaction again, since that was aborted or its session is lost; undefined
 * where the error is another one. Whoever did the work may have put the error into one of theirs.
 *
 * @param ours whether the error comes from the client, and not from the work
 */
export function causeToRunAgain(error: unknown, ours: boolean): unknown {
  let inner = error
  for (let depth = 0; depth < DEEPEST_CAUSE && inner instanceof Error; depth++) {
    // The code of an error that the work itself has thrown may mean anything.
    if ((ours || depth > 0) && isRunAgain(inner)) return inner
    inner = inner.cause
  }
  return undefined
}

function isRunAgain(error: Error): boolean {
  return isGrpcError(error) && (error.code === ABORTED || isSessionLost(translate(error)))
}

/** For the failure of statements that were sent together. */
export function translateBatch(failure: unknown): unknown {
  const error = translate(failure)
  if (!(error instanceof IsothermError) || error.cause !== failure) return error
  // The client notes the rows of the statements before; but also none where the call as a whole has failed, of which only
  // the transport's error has details.
  const { rowCounts, details } = failure as {
    readonly rowCounts?: readonly number[]
    readonly details?: unknown
  }
  if (!rowCounts || details !== undefined) return error
  const { code, fix, transient } = error
  return new IsothermError(code, (failure as Error).message, {
    statement: rowCounts.length,
    transient,
    cause: failure,
    ...(fix !== undefined && { fix }),
  })
}

/** Whether a call failed because the database has forgotten the session that it was made in. */
export function isSessionLost(error: unknown): boolean {
  return (
    error instanceof IsothermError &&
    error.code === 'NOT_FOUND' &&
    error.message.includes('Session not found')
  )
}

export function translate(failure: unknown): unknown {
  const error = failure instanceof GivenUp ? failure.cause : failure
  if (!isGrpcError(error)) return error
  const isBusy = BUSY.test(error.message)
  const code = isBusy
    ? 'ABORTED'
    : EXPIRED.test(error.message)
      ? 'SNAPSHOT_EXPIRED'
      : (CODES[error.code] ?? 'DATABASE')
  const fix = FIXES[code]
  const said = error.details || error.message
  return new IsothermError(code, said, {
    cause: error,
    transient: isBusy || TRANSIENT.has(error.code),
    ...(fix !== undefined && { fix }),
  })
}

/** For the failure of a commit, where some codes mean that it may have taken place all the same. */
export function translateCommit(error: unknown): unknown {
  if (!isGrpcError(error) || !OUTCOME_UNKNOWN.has(error.code)) return translate(error)
  return outcomeUnknown(error)
}

export function outcomeUnknown(cause: Error): IsothermError {
  return new IsothermError(
    'OUTCOME_UNKNOWN',
    `The commit was sent, but its answer was lost (${cause.message}): it may or may not have taken place.`,
    {
      fix: 'Read the rows back by their keys before you write them again; rows has those of an insert.',
      cause,
    },
  )
}
