import type { RowDatabase } from '@isotherm/core'
import {
  type Driver,
  IsothermError,
  type Kind,
  Limits,
  callback,
  checkArgument,
  either,
  kind,
  listOf,
  objectWith,
  onAbort,
  text,
  wholeNumber,
  withRetries,
} from '@isotherm/core/engine'
import { type BeginOptions, CALL_OPTIONS, CHANGE } from '@isotherm/core/tools'

// Checks the arguments of the public functions of migrations. `checkShape` checks schemas; the times of a lease are checked
// where it is taken.

/** An object of whatever kind, in which a function reads these properties. */
function objectOf(what: string, kinds: Readonly<Record<string, (value: unknown) => boolean>>): Kind {
  return kind(
    what,
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      Object.entries(kinds).every(([name, accepts]) => accepts((value as Record<string, unknown>)[name])),
  )
}

const isText = (value: unknown): boolean => typeof value === 'string'
const KINDS = ['ddl', 'transaction', 'partitioned', 'reshard']

const STATEMENT = objectOf('a statement of a migration: { kind, sql }', {
  kind: (value) => KINDS.includes(value as string),
  sql: isText,
})
export const STATEMENTS = listOf(STATEMENT, 'a list of statements, { kind, sql }')

export const SNAPSHOT = objectOf('a snapshot, which parseSnapshot reads', {
  dialect: isText,
  id: isText,
  previous: (value) => value === null || isText(value),
  schema: (value) => typeof value === 'object' && value !== null,
})

export const RECORDED = listOf(
  objectOf('a record, which recordedSql reads', { object: isText, model: isText, catalogue: isText }),
  'a list of records, which recordedSql reads',
)

const MIGRATION = objectOf('a migration, which readMigrations reads', {
  name: isText,
  hash: isText,
  statements: (value) => Array.isArray(value),
})
export const MIGRATION_LIST = listOf(MIGRATION, 'a list of migrations, which readMigrations reads')

const DRIVER = objectWith('a driver, as the package of an engine makes it', 'applyDdl', 'query')
const DATABASE = either(
  'a driver, as the package of an engine makes it, or what openDatabase returns',
  DRIVER,
  objectWith('a database', 'insert', 'transaction'),
)
const TEXT = text("'…'")
const FOLDER = text("'migrations'")
/** Of what runs for long. */
export const LISTENED = { onProgress: callback, signal: CALL_OPTIONS.signal }

const PAIRS = listOf(
  objectOf('a pair of tables: { from, to }', { from: isText, to: isText }),
  "the plan's tables",
)

/** The kinds of the arguments, by their names. */
const ARGUMENTS = {
  change: CHANGE,
  database: DATABASE,
  driver: DRIVER,
  file: TEXT,
  folder: FOLDER,
  length: wholeNumber(1),
  migrations: either('the folder of the migrations, or a list of them', FOLDER, MIGRATION_LIST),
  name: TEXT,
  pairs: PAIRS,
  snapshot: SNAPSHOT,
  sql: TEXT,
  statement: STATEMENT,
  statements: STATEMENTS,
  table: TEXT,
  text: TEXT,
} satisfies Record<string, Kind>

/**
 * Checks arguments by their names.
 *
 * @throws {IsothermError} `INVALID_OPTION`
 * @example checkArguments('excerpt', { sql, length })
 */
export function checkArguments(
  call: string,
  args: Readonly<Partial<Record<keyof typeof ARGUMENTS, unknown>>>,
): void {
  for (const [name, value] of Object.entries(args))
    checkArgument(call, name, ARGUMENTS[name as keyof typeof ARGUMENTS], value)
}

/** A driver of an engine whose schema can be migrated. */
export type MigrationDriver = Driver & Required<Pick<Driver, 'schemaChanges'>>

/** @throws {IsothermError} `INVALID_CLIENT` for an engine that has no changes of the schema that can be asked for. */
export function migrationDriver(db: RowDatabase | Driver): MigrationDriver {
  const driver = 'driver' in db ? db.driver : db
  if (driver.schemaChanges) return driver as MigrationDriver
  throw new IsothermError('INVALID_CLIENT', `${driver.name} cannot be migrated by this driver.`, {
    fix: 'Use a driver that has schemaChanges, as the packages of the engines make it.',
  })
}

/** Milliseconds between two looks at something that takes its time: few at first, then more. */
export class Backoff {
  readonly #first: number
  readonly #longest: number
  #next: number

  constructor(first = 20, longest = 3_000) {
    this.#first = first
    this.#longest = longest
    this.#next = first
  }

  next(): number {
    const now = this.#next
    this.#next = Math.min(now * 1.5, this.#longest)
    return now
  }

  /** Something has happened, so more may soon. */
  hurry(): void {
    this.#next = this.#first
  }
}

/** @throws {IsothermError} why it was stopped, at once or on the way. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  refuseStopped(signal)
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      forget()
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    const forget = onAbort(signal, end)
  })
  refuseStopped(signal)
}

/** @throws {IsothermError} `CANCELLED`, or the error with which the caller aborted. */
export function refuseStopped(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return
  if (signal.reason instanceof IsothermError) throw signal.reason
  throw new IsothermError('CANCELLED', 'The migration was stopped by its signal.', {
    fix: 'Migrate again to go on: what has run is written down.',
    cause: signal.reason,
  })
}

/**
 * How long to ask again while the database is busy with transactions, in milliseconds: the emulator refuses instead of
 * waiting.
 */
const PATIENCE = 30_000

/** Begins a change of the schema; again, under the same id, while it may be that the database has not heard of it. */
export async function beginChange(
  { schemaChanges }: MigrationDriver,
  statements: readonly string[],
  operation: string,
  { again, ...call }: BeginOptions,
): Promise<void> {
  const endsAt = performance.now() + PATIENCE
  const backoff = new Backoff(20, 500)
  for (;;) {
    const limits = new Limits(call)
    try {
      await withRetries(
        () => schemaChanges.begin(statements, operation, { ...limits.options, ...(again && { again }) }),
        limits,
      )
      return
    } catch (error) {
      const isBusy = error instanceof IsothermError && error.code === 'ABORTED'
      if (!isBusy || performance.now() > endsAt) throw error
    }
    await pause(backoff.next(), call.signal)
  }
}
