/** What the command's exit code says; the same for every command. */
export const exitCodes = {
  /** All is well. */
  ok: 0,
  /** It ran, and found something: lint errors, drift, a change that is refused. */
  findings: 1,
  /** It was called or configured wrongly, and nothing was done. */
  usage: 2,
  /** The database, or the engine, failed. */
  failed: 3,
  /** It was interrupted, by Ctrl+C or at a prompt. */
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** For people, in the order in which help lists them. */
export const exitCodeMeanings: readonly (readonly [ExitCode, string])[] = [
  [exitCodes.ok, 'all is well'],
  [exitCodes.findings, 'it found something: lint errors, drift, a change that it refuses'],
  [exitCodes.usage, 'it was called or configured wrongly'],
  [exitCodes.failed, 'the database or the engine failed'],
  [exitCodes.interrupted, 'it was interrupted'],
]
