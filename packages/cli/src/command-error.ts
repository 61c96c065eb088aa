import { exitCodes, type ExitCode } from './exit-codes.js'

export type CommandErrorCode =
  | 'USAGE'
  | 'CONFIG'
  | 'MODELS'
  | 'NOT_INSTALLED'
  | 'REFUSED'
  | 'DATABASE'
  | 'CANCELLED'

const EXIT_CODES: Readonly<Record<CommandErrorCode, ExitCode>> = {
  USAGE: exitCodes.usage,
  CONFIG: exitCodes.usage,
  MODELS: exitCodes.usage,
  NOT_INSTALLED: exitCodes.usage,
  REFUSED: exitCodes.findings,
  DATABASE: exitCodes.failed,
  CANCELLED: exitCodes.interrupted,
}

/** What the command itself has to say against going on; errors of `@isotherm/core` are passed through as they are. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly code: CommandErrorCode
  /** What to do about it, as a sentence. */
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
