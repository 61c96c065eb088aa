import { inspect } from 'node:util'
import { isErrorOf, markError } from './copies.js'

/**
 * What went wrong, for programs. A code is stable across releases; messages are for people and may change.
 * docs/reference/errors.md has each code's causes, what to do, and whether a retry helps.
 */
export type IsothermErrorCode =
  // models
  | 'SCHEMA_INVALID'
  | 'HOTSPOT'
  | 'UNKNOWN_TABLE'
  | 'UNSUPPORTED_MODEL'
  // calls
  | 'INVALID_OPTION'
  | 'INVALID_CLIENT'
  | 'NOT_INSTALLED'
  | 'UNSUPPORTED_FEATURE'
  | 'UNSUPPORTED_QUERY'
  | 'UNSUPPORTED_WRITE'
  | 'UNSUPPORTED_STATEMENT'
  | 'INVALID_VALUE'
  | 'INVALID_QUERY'
  | 'INVALID_CURSOR'
  | 'INVALID_QUERY_PARTITION'
  | 'SNAPSHOT_EXPIRED'
  | 'KEY_INCOMPLETE'
  | 'TOO_MANY_MUTATIONS'
  | 'READ_OF_BUFFERED_TABLE'
  | 'TRANSACTION_ENDED'
  | 'CALL_NOT_AWAITED'
  | 'IN_TRANSACTION'
  // answers of the database
  | 'ALREADY_EXISTS'
  | 'NOT_FOUND'
  | 'ROW_INCOMPLETE'
  | 'CONSTRAINT'
  | 'ABORTED'
  | 'TIMEOUT'
  | 'CANCELLED'
  | 'UNAVAILABLE'
  | 'OUTCOME_UNKNOWN'
  | 'PARTLY_WRITTEN'
  | 'DATABASE'
  // sequences
  | 'SEQUENCE_MISSING'
  | 'SEQUENCE_EXHAUSTED'
  | 'SEQUENCE_MOVED_BACK'
  | 'SEQUENCE_CLOSED'
  | 'SEQUENCE_WOULD_WAIT'
  // introspection
  | 'UNSUPPORTED_OBJECT'
  // migrations
  | 'MIGRATION_INVALID'
  | 'MIGRATION_REFUSED'
  | 'MIGRATION_DIALECT'
  | 'MIGRATION_CHANGED'
  | 'MIGRATION_OUT_OF_ORDER'
  | 'MIGRATION_LOCKED'
  | 'MIGRATION_FAILED'
  // changes of a key
  | 'RESHARD_REFUSED'
  | 'RESHARD_ENDED'
  // engines for tests and demos
  | 'ENGINE_UNAVAILABLE'

interface IsothermErrorDetails {
  /** How to fix it, as a sentence. */
  readonly fix?: string
  readonly table?: string
  readonly column?: string
  readonly rows?: readonly object[]
  readonly statement?: number
  readonly retryable?: boolean
  readonly retryFor?: number
  readonly cause?: unknown
}

/**
 * The one error type that Isotherm throws. `instanceof` also finds errors of another copy of this package.
 *
 * @example
 * try {
 *   await db.insert(Order, [order])
 * } catch (error) {
 *   if (error instanceof IsothermError && error.code === 'ALREADY_EXISTS') return
 *   throw error
 * }
 */
export class IsothermError extends Error {
  override readonly name: string = 'IsothermError'
  readonly code: IsothermErrorCode
  readonly fix: string | undefined
  readonly table: string | undefined
  readonly column: string | undefined
  /**
   * The affected rows, with the keys that were made for them: those of an insert whose outcome is unknown
   * (`OUTCOME_UNKNOWN`), the committed ones (`PARTLY_WRITTEN`).
   */
  readonly rows: readonly object[] | undefined
  /**
   * The index of the statement that failed, from 0, among statements that were sent together; undefined where it is
   * unknown.
   */
  readonly statement: number | undefined
  /** Whether the same call may succeed if it is repeated: the database, or the connection to it, failed temporarily. */
  readonly retryable: boolean
  /**
   * For how many milliseconds, at least, it makes sense to repeat the call after a retryable failure: by then the engine's
   * client is connected, if it can be. Undefined where the engine does not say.
   */
  readonly retryFor: number | undefined

  constructor(code: IsothermErrorCode, what: string, details: IsothermErrorDetails = {}) {
    super(
      details.fix === undefined ? what : `${what} ${details.fix}`,
      details.cause === undefined ? undefined : { cause: details.cause },
    )
    this.code = code
    this.fix = details.fix
    this.table = details.table
    this.column = details.column
    this.rows = details.rows
    this.statement = details.statement
    this.retryable = details.retryable ?? false
    this.retryFor = details.retryFor
    markError(this, 'IsothermError')
  }

  /** The address of the description of this error's code. */
  get docs(): string {
    return `https://github.com/isotherm-orm/isotherm/blob/main/docs/reference/errors.md#${this.code.toLowerCase()}`
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(this, value) || (this === IsothermError && isErrorOf(value, 'IsothermError'))
  }
}

/** Whether a value is an instance of a class or of one that extends it, as `instanceof` says where nothing else is defined. */
export function isInstance(type: { readonly prototype: object }, value: unknown): boolean {
  return Object.prototype.isPrototypeOf.call(type.prototype, value as object)
}

/** One thing that is wrong with a schema, and where. */
export interface SchemaFinding {
  readonly table: string
  readonly column?: string
  readonly message: string
  readonly fix: string
}

/** A declaration that cannot become a schema. Carries everything that is wrong, not only the first. */
export class SchemaError extends IsothermError {
  override readonly name = 'SchemaError'
  readonly findings: readonly SchemaFinding[]

  constructor(findings: readonly SchemaFinding[]) {
    super('SCHEMA_INVALID', describeFindings('The schema is not valid', findings), firstLocation(findings))
    this.findings = findings
    markError(this, 'SchemaError')
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(this, value) || (this === SchemaError && isErrorOf(value, 'SchemaError'))
  }
}

/** A list of findings as one message, a line each. */
export function describeFindings(
  title: string,
  findings: readonly (SchemaFinding & { readonly rule?: string })[],
): string {
  const lines = findings.map(({ table, column, message, fix, rule }) => {
    const where = column === undefined ? table : `${table}.${column}`
    return `  - ${where}: ${message} ${fix}${rule === undefined ? '' : ` (${rule})`}`
  })
  return [`${title}:`, ...lines].join('\n')
}

/** Where an error that carries several findings is: where the first of them is. */
export function firstLocation(
  findings: readonly Pick<SchemaFinding, 'table' | 'column'>[],
): Pick<IsothermErrorDetails, 'table' | 'column'> {
  const [first] = findings
  return { table: first?.table, column: first?.column }
}

/** As long as a value is shown in a message. */
const MAX_SHOWN = 140

/**
 * A value as a message shows it: short, on one line, and without calling anything of its own (no getter, no `toJSON`, no trap
 * of a proxy).
 *
 * @example
 * shown('false') // 'false', with its quotes
 * shown({ of: ['id'], at: new Date(0) }) // { of: [ 'id' ], at: 1970-01-01T00:00:00.000Z }
 */
export function shown(value: unknown): string {
  try {
    const text = inspect(value, {
      depth: 1,
      maxArrayLength: 5,
      maxStringLength: 60,
      breakLength: Infinity,
      customInspect: false,
      compact: true,
    })
    const line = text.replaceAll(/\s+/gu, ' ')
    return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN - 1)}…` : line
  } catch {
    // A class may name itself by a getter that throws.
    return `a value of type ${typeof value}`
  }
}

/** A name as a message shows it: a string in double quotes, and any other value as it is printed. */
export function quoted(name: unknown): string {
  return typeof name === 'string' ? JSON.stringify(name) : shown(name)
}

/** A model that a dialect does not support: the table or other object, what is unsupported, and what to do instead. */
export function unsupportedModel(
  object: string,
  what: string,
  fix: string,
  property?: string,
): IsothermError {
  const where = property === undefined ? object : `${object}.${property}`
  return new IsothermError('UNSUPPORTED_MODEL', `${where} ${what}`, {
    fix,
    table: object,
    ...(property !== undefined && { column: property }),
  })
}

/**
 * Refuses the first column of a type or length that a dialect does not have, by its name.
 *
 * @param typeText the dialect's text for a type; throws for one that it does not have
 */
export function refuseTypes<Type>(
  table: string,
  columns: readonly { readonly name: string; readonly type: Type }[],
  typeText: (type: Type) => string,
): void {
  for (const { name, type } of columns) {
    try {
      typeText(type)
    } catch (error) {
      if (!(error instanceof IsothermError) || error.table !== undefined) throw error
      const { code, message, fix = '' } = error
      const what = message.slice(0, message.length - fix.length).trimEnd()
      throw new IsothermError(code, `${table}.${name}: ${what}`, { fix, table, column: name })
    }
  }
}
