import {
  IsothermError,
  type IsothermErrorCode,
  type Mutation,
  type RowWrite,
  type TableLayout,
  existingRow,
  keyFields,
  shownKey,
} from '@isotherm/core/engine'

// The only place that knows PostgreSQL's error codes (https://www.postgresql.org/docs/current/errcodes-appendix.html), and how its
// clients report them.

/** An error of the server, as both clients have it. */
interface ServerError extends Error {
  /** SQLSTATE, five characters. */
  readonly code: string
  readonly detail?: string
  readonly table?: string
  readonly constraint?: string
}

function isServerError(error: unknown): error is ServerError {
  if (!(error instanceof Error)) return false
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)
}

interface Meaning {
  readonly code: IsothermErrorCode
  readonly fix?: string
  readonly retryable?: true
}

/** By a code, or by the class of codes that begin with these two characters. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  '08': { code: 'UNAVAILABLE', fix: 'Check that the database can be reached.', retryable: true },
  '22001': {
    code: 'CONSTRAINT',
    fix: 'Give a shorter value; or declare a larger length, and run isotherm generate.',
  },
  '23': { code: 'CONSTRAINT' },
  '23502': {
    code: 'CONSTRAINT',
    fix: 'Give the column a value; or declare it nullable, or with a default, and run isotherm generate.',
  },
  '23503': {
    code: 'CONSTRAINT',
    fix: "Insert the row that it refers to first; or delete the rows that belong to it first, or declare onDelete: 'cascade'.",
  },
  '23505': {
    code: 'ALREADY_EXISTS',
    fix: 'Use another value, or change the row that already has it.',
  },
  '23514': {
    code: 'CONSTRAINT',
    fix: 'Give values that the CHECK of this name in the model allows; or change the CHECK, and run isotherm generate.',
  },
  '25001': {
    code: 'UNSUPPORTED_STATEMENT',
    fix: 'Changes of the schema run in a transaction. Put the statement into a migration of its own, run it by hand, and record that: isotherm migrate --mark-applied.',
  },
  '25006': { code: 'CONSTRAINT', fix: 'Write in a transaction that is not read-only.' },
  '3D000': { code: 'NOT_FOUND', fix: 'Create the database (createdb), or check that its name is right.' },
  '40001': { code: 'ABORTED', fix: 'Run the transaction again.', retryable: true },
  '40P01': { code: 'ABORTED', fix: 'Run the transaction again.', retryable: true },
  '42P01': { code: 'NOT_FOUND', fix: 'Run the migrations: isotherm migrate.' },
  '42703': {
    code: 'NOT_FOUND',
    fix: 'Check that the migrations were run (isotherm migrate), and that the models are those of this database.',
  },
  '53': {
    code: 'UNAVAILABLE',
    fix: 'Give the server more room, or open fewer connections.',
    retryable: true,
  },
  '54000': { code: 'CONSTRAINT', fix: 'An entry of an index holds 2,704 bytes: give a shorter key.' },
  '55P03': {
    code: 'DATABASE',
    fix: 'End the transaction that has the lock. On PGlite, which has one session, a write in the midst of a transaction has to belong to it.',
  },
  '55P04': {
    code: 'UNSUPPORTED_STATEMENT',
    fix: 'Use the new value in a migration after the one that adds it.',
  },
  '57P': { code: 'UNAVAILABLE', fix: 'Check that the server runs.', retryable: true },
}

function meaningOf(code: string): Meaning {
  return MEANINGS[code] ?? MEANINGS[code.slice(0, 3)] ?? MEANINGS[code.slice(0, 2)] ?? { code: 'DATABASE' }
}

/** Errors of a client that was closed. */
const CLOSED = /after calling end on the pool|pglite is (closed|closing)|client was closed/i

/** Errors of a connection: those of Node have a code such as `ECONNREFUSED`. */
const DISCONNECTED =
  /connection terminated|connection ended|timeout exceeded when trying to connect|client has encountered a connection error/i

/** Whether the server gave no lock, or PGlite no turn of its one session. */
export function isLockMissing(error: unknown): boolean {
  return isServerError(error) && error.code === '55P03'
}

/** Whether the server cannot be asked over this connection any more. */
export function isConnectionLost(error: unknown): boolean {
  if (isServerError(error)) return meaningOf(error.code).code === 'UNAVAILABLE'
  if (!(error instanceof Error) || error instanceof IsothermError) return false
  const { code } = error as { readonly code?: unknown }
  return (typeof code === 'string' && /^E[A-Z_]+$/.test(code)) || DISCONNECTED.test(error.message)
}

/** An error of the client, in words of Isotherm; any other error as it is. */
export function translate(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof IsothermError) return error
  if (isServerError(error)) {
    const { code, fix, retryable } = meaningOf(error.code)
    const said = error.detail ? `${error.message}. ${error.detail}` : error.message
    const ends = fix === undefined || /[.!?]$/.test(said)
    return new IsothermError(code, ends ? said : `${said}.`, {
      cause: error,
      ...(fix !== undefined && { fix }),
      ...(retryable && { retryable }),
    })
  }
  if (CLOSED.test(error.message)) {
    return new IsothermError('DATABASE', 'The client of the database was closed.', {
      fix: 'Finish all calls before you close the client, or open a new one.',
      cause: error,
    })
  }
  if (!isConnectionLost(error)) return error
  return new IsothermError('UNAVAILABLE', `The database cannot be reached (${error.message}).`, {
    fix: 'Check that it runs, and that host and port of the pool are right.',
    retryable: true,
    cause: error,
  })
}

/**
 * The error of one of several statements, which says which one it was.
 *
 * @param hasFix whether the fix is for this statement: those of rows are not for a change of the schema
 */
export function failedStatement(
  failure: unknown,
  statement: number,
  hasFix: (code: IsothermErrorCode) => boolean = () => true,
): unknown {
  const error = translate(failure)
  if (!(error instanceof IsothermError) || error.cause !== failure) return error
  const { code, fix, retryable, message } = error
  return new IsothermError(code, fix === undefined ? message : message.slice(0, -fix.length - 1), {
    statement,
    retryable,
    cause: failure,
    ...(fix !== undefined && hasFix(code) && { fix }),
  })
}

/** How deeply the client's error may be nested as a cause of other errors. */
const DEEPEST_CAUSE = 8

/** Whether a transaction is to run again: the server has ended it because of another one. The work may have wrapped the error. */
export function isAborted(error: unknown): boolean {
  let inner = error
  for (let depth = 0; depth < DEEPEST_CAUSE && inner instanceof Error; depth++) {
    if (isServerError(inner)) return meaningOf(inner.code).code === 'ABORTED'
    inner = inner.cause
  }
  return false
}

/** An error after the commit was sent. */
export function translateCommit(error: unknown): unknown {
  const isRefusal = isServerError(error) && !isConnectionLost(error)
  return isRefusal || (error instanceof IsothermError && !ENDED_BY_CLIENT.has(error.code))
    ? translate(error)
    : outcomeUnknown(error as Error)
}

const ENDED_BY_CLIENT: ReadonlySet<string> = new Set(['TIMEOUT', 'CANCELLED'])

function outcomeUnknown(cause: Error): IsothermError {
  return new IsothermError(
    'OUTCOME_UNKNOWN',
    `The commit was sent, but its answer was lost (${cause.message}): it may or may not have happened.`,
    {
      fix: 'Read the rows back by their keys before you write them again; rows has those of an insert.',
      cause,
    },
  )
}

/** The error of a write that the server refused because a row with its key exists, in terms of the model. */
export function translateWrite(error: unknown, writes: readonly RowWrite[]): unknown {
  const cause = error instanceof IsothermError ? error.cause : error
  if (!isServerError(cause) || cause.code !== '23505') return error
  const rows = writes.flatMap((write) =>
    write.op === 'delete' || !write.layout || !isItsKey(write.layout.table.name, cause)
      ? []
      : write.rows.map((_, at) => ({ write, at })),
  )
  const likely =
    rows.length === 1 ? rows : rows.filter(({ write, at }) => hasKey(write, at, cause.detail ?? ''))
  const [first] = likely
  if (!first?.write.layout) return error
  const { layout } = first.write
  const keys = new Set(likely.map(({ write, at }) => writtenKey(write, layout, at)))
  const key =
    keys.size === 1 ? [...keys][0]! : (/=(\(.*\)) already exists/su.exec(cause.detail ?? '')?.[1] ?? '')
  return existingRow(layout.table.name, key, { layout, cause })
}

type RowsWritten = Exclude<Mutation, { readonly op: 'delete' }>

function isItsKey(table: string, { constraint }: ServerError): boolean {
  const name = table.slice(table.indexOf('.') + 1)
  return constraint?.endsWith('_pkey') === true && name.startsWith(constraint.slice(0, -'_pkey'.length))
}

const SYNTAX = /[\\^$.*+?()[\]{}|]/g

/** Whether the server's `Key ("id", at)=(40, 2026-08-01 10:00:00+00) already exists.` may be of a row. */
function hasKey({ layout, columns, rows }: RowsWritten, at: number, detail: string): boolean {
  const [, said = ''] = /=\((.*)\) already exists/su.exec(detail) ?? []
  const parts = layout!.key.map(({ column }) => {
    const wire = rows[at]?.[columns.indexOf(column.name)]
    const { kind } = column.type
    const isPlain = kind === 'int64' || kind === 'string' || kind === 'uuid' || kind === 'date'
    return isPlain && wire !== undefined ? String(wire).replaceAll(SYNTAX, String.raw`\$&`) : '.*'
  })
  return new RegExp(`^${parts.join(', ')}$`, 'su').test(said)
}

/** The key of a row that is written, `{ id: 40n }`, as the model has it. */
export function writtenKey({ columns, rows }: RowsWritten, layout: TableLayout, at: number): string {
  const key: Record<string, unknown> = {}
  for (const field of keyFields(layout)) {
    const wires = field.physical.map(({ name }) => rows[at]?.[columns.indexOf(name)])
    if (wires.every((wire) => wire !== undefined)) key[field.column.property] = field.parse(wires)
  }
  return shownKey(key)
}
