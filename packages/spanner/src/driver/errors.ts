import {
  IsothermError,
  type IsothermErrorCode,
  type Mutation,
  SLOW_DATABASE,
  THERE_ALREADY,
  existingRow,
  keyFields,
  missingRow,
  shownKey,
} from '@isotherm/core/engine'
import { PassThrough, type Readable } from 'node:stream'
import { refusedConnection } from './reachability.js'

// A commit that is refused for one of its rows names the table and the values of the key, in words of the engine's own. Those
// who wrote the row know its table and its properties.

type RowMutation = Exclude<Mutation, { readonly op: 'delete' }>

/** `Table Shop: Row {Int64(40), String("a")} not found.` */
const REFUSED = /^Table (\S+): Row \{(.*)\} (not found|already exists)/su

/** The error of a commit in terms of the model; undefined where the engine did not refuse a single row. */
function refusedRow(said: string, mutations: readonly Mutation[], cause: Error): IsothermError | undefined {
  const [, table, key = '', what] = REFUSED.exec(said) ?? []
  if (table === undefined) return undefined
  const isMissing = what === 'not found'
  const op = isMissing ? 'update' : 'insert'
  const rows = mutations.flatMap((mutation) =>
    mutation.op === op && mutation.table === table
      ? mutation.rows.map((_, at) => ({ mutation, at }) as const)
      : [],
  )
  const likely = rows.length === 1 ? rows : rows.filter(({ mutation, at }) => hasKey(mutation, at, key))
  const keys = new Set(likely.map(({ mutation, at }) => keyText(mutation, at)))
  const which = keys.size === 1 ? [...keys][0] : undefined
  // Where the row cannot be identified, only the engine's own text for its key is available.
  const whose = which ?? `{ ${key} }`
  const details = { layout: mutations.find((mutation) => mutation.table === table)?.layout, cause }
  return isMissing ? missingRow(table, whose, details) : existingRow(table, whose, details)
}

/** Whether the engine's key, `Int64(40), String("a")↓`, may be that of a row: key columns that the database makes may be any. */
function hasKey(mutation: RowMutation, at: number, key: string): boolean {
  const said = Array.from(key.matchAll(/\w+\((.*?)\)/gsu), ([, value = '']) => value.replaceAll('"', ''))
  return (mutation.layout?.key ?? []).every(({ column }, part) => {
    const wire = mutation.rows[at]?.[mutation.columns.indexOf(column.name)]
    return wire === undefined || sameText(String(wire), said[part])
  })
}

function sameText(wire: string, said: string | undefined): boolean {
  return wire === said || (said !== undefined && timeText(wire) === timeText(said))
}

/** A time as text, written one way: the engine says `2026-08-01 10:00:00.120+00` of `2026-08-01T10:00:00.12Z`. */
function timeText(text: string): string {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?)(?:Z|\+00)$/.exec(text) ?? []
  if (day === undefined || time === undefined) return text
  return `${day} ${time.includes('.') ? time.replace(/\.?0+$/, '') : time}`
}

/** `{ id: 40n }`, as the model has it; undefined for rows without a layout. */
function keyText({ layout, columns, rows }: RowMutation, at: number): string | undefined {
  if (!layout) return undefined
  const key: Record<string, unknown> = {}
  for (const field of keyFields(layout)) {
    const wires = field.physical.map(({ name }) => rows[at]?.[columns.indexOf(name)])
    if (wires.every((wire) => wire !== undefined)) key[field.column.property] = field.parse(wires)
  }
  return shownKey(key)
}

// If the connection fails, the client repeats a stream's request at once and without end: while a database cannot be
// reached, each call takes a whole processor until its timeout. This code delays these requests, and stops them.

/** Milliseconds before the client's second request, its third, and so on; after these it is not allowed another. */
const PAUSES = [0, 30, 100]

interface StreamConfig {
  /** The same object for all requests of one call. */
  readonly gaxOpts?: object
  readonly reqOpts: { readonly resumeToken?: unknown }
}

interface Requesting {
  requestStream(config: StreamConfig): Readable
}

interface Failures {
  count: number
  last: Error
  /** Where the last request began; a later position is progress. */
  readonly token: unknown
}

/** An error of the transport, without the code that would make the client resume the stream. */
class NotResumable extends Error {}

const failures = new WeakMap<object, Failures>()

/** Paces the requests of a snapshot or transaction of the client. Only what fails pays for it. */
export function delayResumption(source: object): void {
  const requesting = source as Requesting
  const request = requesting.requestStream

  const watched = (config: StreamConfig, call: object): Readable => {
    const stream = request.call(source, config)
    stream.once('error', (last: Error) => {
      const { resumeToken: token } = config.reqOpts
      const before = failures.get(call)
      const count = before && before.token === token ? before.count : 0
      failures.set(call, { count: count + 1, last, token })
    })
    return stream
  }

  requesting.requestStream = (config) => {
    const call = config.gaxOpts ?? config
    const failed = failures.get(call)
    if (!failed) return watched(config, call)
    const pause = PAUSES[failed.count - 1]
    const stream = new PassThrough({ objectMode: true })
    const timer = setTimeout(() => {
      if (pause === undefined) {
        stream.destroy(new NotResumable(failed.last.message, { cause: failed.last }))
        return
      }
      const resumed = watched(config, call)
      resumed.once('error', (error: Error) => stream.destroy(error))
      stream.once('close', () => resumed.destroy())
      resumed.pipe(stream)
    }, pause)
    stream.once('close', () => clearTimeout(timer))
    return stream
  }
}

// The only place that knows the client's error codes (gRPC's: https://grpc.github.io/grpc/core/md_doc_statuscodes.html).

const CODES: Readonly<Record<number, IsothermErrorCode>> = {
  1: 'CANCELLED',
  4: 'TIMEOUT',
  5: 'NOT_FOUND',
  6: 'ALREADY_EXISTS',
  9: 'CONSTRAINT',
  10: 'ABORTED',
  11: 'CONSTRAINT',
  14: 'UNAVAILABLE',
}

const FIXES: Partial<Readonly<Record<IsothermErrorCode, string>>> = {
  TIMEOUT: SLOW_DATABASE,
  UNAVAILABLE: 'Check that the database can be reached.',
  SNAPSHOT_EXPIRED:
    'Read again at the current time, or let the database keep versions longer (version_retention_period).',
}

/**
 * The message for a timestamp whose versions the database has removed: a failed precondition that only its text
 * distinguishes.
 */
const EXPIRED = /exceeded the maximum timestamp staleness/

/** Messages of the database, and what to do about them: of both dialects, the service and the emulator. */
const SAID: readonly { readonly says: RegExp; readonly fix: string }[] = [
  {
    says: /database not found/i,
    fix: 'Create the database (gcloud spanner databases create, or isotherm emulator --database), or check that its name, its instance and SPANNER_EMULATOR_HOST are right.',
  },
  {
    says: /table not found|relation "[^"]*" does not exist/i,
    fix: 'Run the migrations: isotherm migrate.',
  },
  {
    says: /column not found|column \S+ is not present in table|column "[^"]*" (of relation "[^"]*" )?does not exist|unrecognized name/i,
    fix: 'Check that the migrations were run (isotherm migrate), and that the models are those of this database.',
  },
  {
    says: /keys? exists? within the child table|found child row|update or delete on .* violates foreign key|deleting or updating referenced|cannot (delete|update) .*referenced|is still referenced/i,
    fix: "Delete the rows that belong to it first, or declare onDelete: 'cascade'.",
  },
  {
    says: /parent row .* is missing|not found in parent table|insert or update on .* violates foreign key|foreign key constraint .* violat|cannot find referenced/i,
    fix: 'Insert the row that it refers to first, or both in one transaction.',
  },
  {
    says: /unique (index )?violation on index|violates unique constraint/i,
    fix: 'Use another value, or change the row that already has it.',
  },
  {
    says: /row .* already exists|due to previously existing row/i,
    fix: THERE_ALREADY,
  },
  {
    says: /null value for (column|.*not null column)|violates not-null constraint|cannot be null|must not be null in table/i,
    fix: 'Give the column a value; or declare it nullable, or with a default, and run isotherm generate.',
  },
  {
    says: /exceeds the maximum size limit for this column|value too long for type/i,
    fix: 'Give a shorter value; or declare a larger length, and run isotherm generate.',
  },
  {
    says: /check constraint .* is violated|violates check constraint/i,
    fix: 'Give values that the CHECK of this name in the model allows; or change the CHECK, and run isotherm generate.',
  },
  {
    says: /number of (query )?parameters .*exceeds the maximum/i,
    fix: 'Make several calls with fewer values each; or pass the values as one list, in one parameter of an array type.',
  },
]

/** The emulator refuses a schema change while a transaction or another schema change runs; the service lets it wait. */
const BUSY = /concurrent schema change operation or read-write transaction/

/** Errors of a closed client: they have no code, and do not come from the database. */
const CLOSED =
  /^(database is closed|the client has already been closed|the channel has been closed|channel has been shut down)/i

/** Codes after which it is unknown whether a commit happened: cancelled, unknown, timeout, internal, unavailable. */
const OUTCOME_UNKNOWN = new Set([1, 2, 4, 13, 14])
const ABORTED = 10

/** Codes after which the same read may succeed: unknown (a broken connection), resource exhausted, internal, unavailable. */
const RETRYABLE = new Set([2, 8, 13, 14])

interface GrpcError extends Error {
  readonly code: number
  readonly details?: string
}

function isGrpcError(error: unknown): error is GrpcError {
  return error instanceof Error && typeof (error as { code?: unknown }).code === 'number'
}

/** The database's own message; errors of the client do not have one. */
function saidBy({ details, message }: GrpcError): string {
  return details || message
}

function isClosed(error: unknown): error is Error {
  return error instanceof Error && CLOSED.test(error.message)
}

function closed(cause: Error): IsothermError {
  return new IsothermError('DATABASE', 'The client of the database was closed.', {
    fix: 'Finish all calls before database.close() and before the emulator stops, or open a new client.',
    cause,
  })
}

/** How deeply the client's error may be nested as a cause of other errors. */
const DEEPEST_CAUSE = 8

/**
 * The client's own error after which it runs a transaction again, since that was aborted or its session is lost; undefined
 * for any other error. The work may have wrapped the error in one of its own.
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

/** Whether the database refused a call, and would refuse it again. */
export function isRefusal(error: unknown): error is IsothermError {
  return (
    error instanceof IsothermError && !error.retryable && REFUSALS.has(error.code) && isGrpcError(error.cause)
  )
}

const REFUSALS: ReadonlySet<string> = new Set(['DATABASE', 'NOT_FOUND', 'CONSTRAINT'])

/** Whether a call failed before there was a connection to send it over. */
export function isUnsent(error: unknown): boolean {
  return (
    isGrpcError(error) &&
    error.code === 14 &&
    /no connection established|name resolution failed/i.test(saidBy(error))
  )
}

/** For the failure of statements that were sent together. */
export function translateBatch(failure: unknown): unknown {
  const error = translate(failure)
  if (!(error instanceof IsothermError) || error.cause !== failure) return error
  // The client records the rows of the earlier statements; it also records none if the call as a whole has failed, in which
  // case only the transport's error has details.
  const { rowCounts, details } = failure as {
    readonly rowCounts?: readonly number[]
    readonly details?: unknown
  }
  if (!rowCounts || details !== undefined) return error
  const { code, fix, retryable } = error
  return new IsothermError(code, (failure as Error).message, {
    statement: rowCounts.length,
    retryable,
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
  const error = failure instanceof NotResumable ? failure.cause : failure
  if (!isGrpcError(error)) return isClosed(error) ? closed(error) : error
  const isBusy = BUSY.test(error.message)
  const code = isBusy
    ? 'ABORTED'
    : EXPIRED.test(error.message)
      ? 'SNAPSHOT_EXPIRED'
      : (CODES[error.code] ?? 'DATABASE')
  const said = saidBy(error)
  const refused = code === 'UNAVAILABLE' ? refusedConnection(said, error) : undefined
  if (refused) return refused
  const fix = SAID.find(({ says }) => says.test(said))?.fix ?? FIXES[code]
  // A fix follows on the same line; some messages of the database contain a drawing of the statement.
  const ends = fix === undefined || said.includes('\n') || /[.!?]$/.test(said)
  return new IsothermError(code, ends ? said : `${said}.`, {
    cause: error,
    retryable: isBusy || RETRYABLE.has(error.code),
    ...(fix !== undefined && { fix }),
  })
}

/**
 * For the failure of a commit: some codes mean that it may have taken effect all the same.
 *
 * @param mutations the mutations of the commit
 */
export function translateCommit(error: unknown, mutations: readonly Mutation[]): unknown {
  if (!isGrpcError(error)) return translate(error)
  if (!OUTCOME_UNKNOWN.has(error.code)) return refusedRow(saidBy(error), mutations, error) ?? translate(error)
  return outcomeUnknown(error)
}

export function outcomeUnknown(cause: Error): IsothermError {
  return new IsothermError(
    'OUTCOME_UNKNOWN',
    `The commit was sent, but its answer was lost (${cause.message}): it may or may not have happened.`,
    {
      fix: 'Read the rows back by their keys before you write them again; rows has those of an insert.',
      cause,
    },
  )
}

/** For the failure of a schema change that was sent. */
export function translateSchemaChange(error: unknown): unknown {
  const isUnanswered = isGrpcError(error) ? OUTCOME_UNKNOWN.has(error.code) : isEndedByClient(error)
  if (!isUnanswered) return translate(error)
  return new IsothermError(
    'OUTCOME_UNKNOWN',
    `The schema change was sent, but its outcome is unknown (${(error as Error).message}): it may have been applied, or may still be applied.`,
    {
      fix: 'Check the schema with driver.readDdl() before you send the statements again.',
      cause: error,
    },
  )
}

/**
 * Whether a call ended in this process and not in the database: by its timeout, its signal, or a host that refuses
 * connections.
 */
export function isEndedByClient(error: unknown): error is IsothermError {
  return error instanceof IsothermError && ENDED_BY_CLIENT.has(error.code)
}

const ENDED_BY_CLIENT: ReadonlySet<string> = new Set(['TIMEOUT', 'CANCELLED', 'UNAVAILABLE'])
