import { CommandError, messageWithoutFix } from '@isotherm/core/command'

/**
 * The client rejects promises that no code holds when it finds no credentials: the command checks every error for this
 * cause.
 */
export function explainCredentials({ message }: Error): CommandError | undefined {
  if (!/default credentials/.test(message)) return undefined
  return new CommandError('DATABASE', 'There are no credentials for Google Cloud.', {
    fix: 'Run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS; for an emulator, set SPANNER_EMULATOR_HOST. Both are read from the environment and from .env.',
  })
}

/** Explains the error of the first call. */
export function explainFirstCall(error: unknown, description: string): unknown {
  if (!(error instanceof Error)) return error
  const { code } = error as { readonly code?: unknown }
  if (code === 'NOT_FOUND') {
    return new CommandError('DATABASE', `The database does not exist: ${description}.`, {
      fix: 'Create it (gcloud spanner databases create, or isotherm emulator --database), or use another one.',
      cause: error,
    })
  }
  if (code === 'UNAVAILABLE' || code === 'TIMEOUT') {
    return new CommandError('DATABASE', `${description} does not answer: ${messageWithoutFix(error)}`, {
      fix: 'Check that it can be reached; for an emulator, that SPANNER_EMULATOR_HOST names one that runs.',
      cause: error,
    })
  }
  return error
}
