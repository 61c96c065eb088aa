import { CommandError } from './command-error.js'
import { exitCodes, type ExitCode } from './exit-codes.js'

/** An error as the command shows it. */
export interface Failure {
  readonly code: string
  readonly message: string
  readonly fix?: string
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
  'INVALID_PART',
  'KEY_INCOMPLETE',
  'MIGRATION_INVALID',
])
const FINDINGS = new Set([
  'SCHEMA_INVALID',
  'HOTSPOT',
  'UNSUPPORTED',
  'MIGRATION_REFUSED',
  'MIGRATION_CHANGED',
  'MIGRATION_OUT_OF_ORDER',
])

interface CoreError extends Error {
  readonly code: string
  readonly fix?: string | undefined
}

// By name: another copy of the package may have made it, and this file must not load one to find out.
function isCoreError(error: unknown): error is CoreError {
  return error instanceof Error && 'fix' in error && 'code' in error && 'transient' in error
}

export function failureOf(error: unknown): Failure {
  if (error instanceof CommandError) {
    const { code, message, fix, exitCode, details } = error
    return { code, message, ...(fix !== undefined && { fix }), exitCode, ...(details && { details }) }
  }
  if (isCoreError(error)) {
    const { code, fix } = error
    const message = fix === undefined ? error.message : error.message.slice(0, -fix.length).trimEnd()
    const findings = 'findings' in error ? { findings: error.findings } : undefined
    const refusals = 'refusals' in error ? { refusals: error.refusals } : undefined
    return {
      code,
      message,
      ...(fix !== undefined && { fix }),
      exitCode: exitCodeOf(code),
      ...((findings ?? refusals) && { details: { ...findings, ...refusals } }),
    }
  }
  const missing = missingPackage(error)
  if (missing !== undefined) {
    return {
      code: 'NOT_INSTALLED',
      message: `The package ${missing} is not installed here.`,
      fix: `Install it: npm install ${missing}`,
      exitCode: exitCodes.usage,
    }
  }
  const ofFile = fileFailure(error)
  if (ofFile) return ofFile
  const message = error instanceof Error ? error.message : String(error)
  if (/default credentials/.test(message)) {
    return {
      code: 'DATABASE',
      message: 'There are no credentials for Google Cloud.',
      fix: 'Run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS; for an emulator, set SPANNER_EMULATOR_HOST.',
      exitCode: exitCodes.failed,
    }
  }
  return {
    code: 'UNEXPECTED',
    message,
    fix: 'This was not foreseen: --verbose shows where it comes from.',
    exitCode: exitCodes.failed,
  }
}

/** What the system says no to, where a folder or a file is not as the command needs it. */
const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'it is not permitted',
  EROFS: 'the file system can only be read',
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the quota of the disk is used up',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of its path is no folder',
  EISDIR: 'it is a folder',
  EEXIST: 'it is there already',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its links lead in a circle',
}

/** Calls that know no path any more: a file that is open has none. */
const FILE_CALLS = new Set(['read', 'write', 'fsync'])

function fileFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', path, syscall = '' } = error as NodeJS.ErrnoException
  if (!Object.hasOwn(FILE_PROBLEMS, code) || (path === undefined && !FILE_CALLS.has(syscall)))
    return undefined
  return {
    code: 'FILES',
    message: `${path ?? 'A file'} cannot be read or written: ${FILE_PROBLEMS[code]} (${code}).`,
    fix: 'Mend that, or name another place.',
    exitCode: exitCodes.usage,
  }
}

function exitCodeOf(code: string): ExitCode {
  if (code === 'CANCELLED') return exitCodes.interrupted
  if (USAGE.has(code)) return exitCodes.usage
  return FINDINGS.has(code) ? exitCodes.findings : exitCodes.failed
}

/** Which of the packages that a project brings along, as peers, it does not have. */
export function missingPackage(error: unknown): string | undefined {
  if (!(error instanceof Error) || (error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND')
    return undefined
  return /Cannot find package '(@isotherm\/core|@isotherm\/drizzle-adapter|drizzle-orm|@google-cloud\/spanner|cassandra-driver)/.exec(
    error.message,
  )?.[1]
}
