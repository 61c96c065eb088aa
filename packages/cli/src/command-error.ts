import { installation, missingPackage } from './engines.js'

/** The meanings of the command's exit codes, the same for every command. */
export const exitCodes = {
  /** All is well. */
  ok: 0,
  /** It ran, and found something: lint errors, drift, a refused change. */
  findings: 1,
  /** It was called or configured wrongly, and did nothing. */
  usage: 2,
  /** The database, or the engine, failed. */
  failed: 3,
  /** It was interrupted, by Ctrl+C or at a prompt. */
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** For people, in the order in which help lists them. */
export const exitCodeMeanings: readonly (readonly [ExitCode, string])[] = [
  [exitCodes.ok, 'success'],
  [exitCodes.findings, 'findings: lint errors, drift, or a refused change'],
  [exitCodes.usage, 'wrong usage or configuration'],
  [exitCodes.failed, 'the database or the engine failed'],
  [exitCodes.interrupted, 'interrupted'],
]

type CommandErrorCode =
  | 'USAGE'
  | 'CONFIG'
  | 'MODELS'
  | 'NOT_INSTALLED'
  | 'REFUSED'
  | 'DATA_LOSS'
  | 'DATABASE'
  | 'CANCELLED'

const EXIT_CODES: Readonly<Record<CommandErrorCode, ExitCode>> = {
  USAGE: exitCodes.usage,
  CONFIG: exitCodes.usage,
  MODELS: exitCodes.usage,
  NOT_INSTALLED: exitCodes.usage,
  REFUSED: exitCodes.findings,
  // A flag is missing, and the command did nothing.
  DATA_LOSS: exitCodes.usage,
  DATABASE: exitCodes.failed,
  CANCELLED: exitCodes.interrupted,
}

/** An error of the command itself; errors of `@isotherm/core` are passed through unchanged. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly code: CommandErrorCode
  /** The fix, as a sentence. */
  readonly fix: string | undefined
  readonly exitCode: ExitCode
  /** More to say to a program that reads `--json`. */
  readonly details: object | undefined

  constructor(
    code: CommandErrorCode,
    what: string,
    more: { readonly fix?: string; readonly cause?: unknown; readonly details?: object } = {},
  ) {
    super(what, more.cause === undefined ? undefined : { cause: more.cause })
    this.code = code
    this.fix = more.fix
    this.exitCode = EXIT_CODES[code]
    this.details = more.details
  }
}

/** An error as the command shows it. */
export interface Failure {
  readonly code: string
  readonly message: string
  readonly fix?: string
  /** The address of the description of the code; absent for the command's own codes. */
  readonly docs?: string
  readonly exitCode: ExitCode
  /** Only for a program that reads `--json`. */
  readonly details?: object
}

/** Errors of `@isotherm/core` that speak of what was asked, and of what was declared; the others are the database's. */
const USAGE = new Set([
  'UNKNOWN_TABLE',
  'INVALID_VALUE',
  'INVALID_QUERY',
  'INVALID_CURSOR',
  'INVALID_QUERY_PARTITION',
  'KEY_INCOMPLETE',
  'INVALID_CLIENT',
  'NOT_INSTALLED',
  'MIGRATION_INVALID',
  'MIGRATION_DIALECT',
])
const FINDINGS = new Set([
  'SCHEMA_INVALID',
  'HOTSPOT',
  'UNSUPPORTED_MODEL',
  'UNSUPPORTED_FEATURE',
  'UNSUPPORTED_QUERY',
  'UNSUPPORTED_WRITE',
  'UNSUPPORTED_STATEMENT',
  'UNSUPPORTED_OBJECT',
  'RESHARD_REFUSED',
  'RESHARD_ENDED',
  'MIGRATION_REFUSED',
  'MIGRATION_CHANGED',
  'MIGRATION_OUT_OF_ORDER',
])

// By name: engines have a class of their own for it, which this file must not load.
export function isCommandError(error: unknown): error is Omit<CommandError, 'exitCode'> {
  return error instanceof Error && error.name === 'CommandError' && 'code' in error && 'fix' in error
}

interface CoreError extends Error {
  readonly code: string
  readonly fix?: string | undefined
  readonly docs?: string
}

// By name: another copy of the package may have made it, and this file must not load one to find out.
function isCoreError(error: unknown): error is CoreError {
  return error instanceof Error && 'fix' in error && 'code' in error && 'retryable' in error
}

/** An error in another process, as that process described it. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError'

  constructor(readonly failure: Failure) {
    super(failure.message)
  }
}

const explanations: ((error: Error) => Error | undefined)[] = []

/** Has the engines that are loaded explain the errors of their clients, which may come from anywhere. */
export function explainBy(explain: (error: Error) => Error | undefined): void {
  explanations.push(explain)
}

export function failureOf(error: unknown): Failure {
  if (error instanceof RemoteError) return error.failure
  if (isCommandError(error)) {
    const { code, message, fix, details } = error
    return {
      code,
      message,
      ...(fix !== undefined && { fix }),
      exitCode: EXIT_CODES[code],
      ...(details && { details }),
    }
  }
  if (isCoreError(error)) {
    const { code, fix, docs } = error
    const message = fix === undefined ? error.message : error.message.slice(0, -fix.length).trimEnd()
    const findings = 'findings' in error ? { findings: error.findings } : undefined
    const refusals = 'refusals' in error ? { refusals: error.refusals } : undefined
    return {
      code,
      message,
      ...(fix !== undefined && { fix }),
      ...(docs !== undefined && { docs }),
      exitCode: exitCodeOf(code),
      ...((findings ?? refusals) && { details: { ...findings, ...refusals } }),
    }
  }
  const missing = missingPackage(error)
  if (missing !== undefined) {
    return {
      code: 'NOT_INSTALLED',
      message: `The package ${missing} is not installed here.`,
      fix: installation(missing),
      exitCode: exitCodes.usage,
    }
  }
  const ofFile = fileFailure(error)
  if (ofFile) return ofFile
  const message = error instanceof Error ? error.message : String(error)
  const explained =
    error instanceof Error ? explanations.map((explain) => explain(error)).find(Boolean) : undefined
  if (explained) return failureOf(explained)
  return {
    code: 'UNEXPECTED',
    message,
    fix: 'This error is unexpected: --verbose prints where it comes from.',
    exitCode: exitCodes.failed,
  }
}

/** Errors of the system for a folder or a file that the command cannot use. */
const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'it is not permitted',
  EROFS: 'the file system can only be read',
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the quota of the disk is used up',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'it already exists',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its links lead in a circle',
}

/** Calls without a path: an open file does not have one. */
const FILE_CALLS = new Set(['read', 'write', 'fsync'])

function fileFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', path, syscall = '' } = error as NodeJS.ErrnoException
  if (!Object.hasOwn(FILE_PROBLEMS, code) || (path === undefined && !FILE_CALLS.has(syscall)))
    return undefined
  return {
    code: 'FILES',
    message: `${path ?? 'A file'} cannot be read or written: ${FILE_PROBLEMS[code]} (${code}).`,
    fix: 'Fix that, or name another file or folder.',
    exitCode: exitCodes.usage,
  }
}

function exitCodeOf(code: string): ExitCode {
  if (code === 'CANCELLED') return exitCodes.interrupted
  if (USAGE.has(code)) return exitCodes.usage
  return FINDINGS.has(code) ? exitCodes.findings : exitCodes.failed
}
