import { IsothermError, type Schema } from '@isotherm/core/engine'
import { checkSchema, checkShape, deepFreeze } from '@isotherm/core/tools'
import { checkArguments } from './options.js'

/** The schema as it is after a migration, so that the next one can be made from what has changed since. */
export interface Snapshot {
  readonly version: 1
  /** The name of the dialect: `googlesql`. */
  readonly dialect: string
  /** Tells this snapshot from all others. */
  readonly id: string
  /** The id of the snapshot before it; null for the first. Two with the same one come from branches that were merged. */
  readonly previous: string | null
  readonly schema: Schema
}

/**
 * Reads the text of a `snapshot.json`.
 *
 * @param file for messages
 * @throws {IsothermError} `MIGRATION_INVALID` naming the file and what is wrong with it.
 */
export function parseSnapshot(text: string, file: string): Snapshot {
  checkArguments('parseSnapshot', { text, file })
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (cause) {
    throw invalid(file, `is not JSON: ${(cause as Error).message}.`, cause)
  }
  if (typeof parsed !== 'object' || parsed === null) throw invalid(file, 'holds no snapshot.')
  const { version, dialect, id, previous = null, schema } = parsed as Partial<Snapshot>
  if (version !== 1) {
    throw invalid(
      file,
      `is a snapshot of version ${JSON.stringify(version)}, and this release reads version 1.`,
    )
  }
  if (typeof id !== 'string' || id === '') throw invalid(file, 'has no id.')
  if (previous !== null && typeof previous !== 'string')
    throw invalid(file, 'has a previous that is not an id.')
  if (typeof dialect !== 'string' || dialect === '') throw invalid(file, 'has no dialect.')
  if (!schema) throw invalid(file, 'holds no valid schema: it is missing.')
  try {
    checkSchema(schema)
  } catch (cause) {
    throw invalid(file, `holds no valid schema: ${(cause as Error).message}`, cause)
  }
  return deepFreeze({ version, dialect, id, previous, schema })
}

/** The text of a `snapshot.json`. */
export function formatSnapshot(snapshot: Snapshot): string {
  checkArguments('formatSnapshot', { snapshot })
  checkShape('formatSnapshot', snapshot.schema)
  const { version, dialect, id, previous, schema } = snapshot
  return `${JSON.stringify({ version, dialect, id, previous, schema }, undefined, 2)}\n`
}

function invalid(file: string, what: string, cause?: unknown): IsothermError {
  return new IsothermError('MIGRATION_INVALID', `${file} ${what}`, {
    fix: 'Take the file from version control, or generate its migration again.',
    ...(cause !== undefined && { cause }),
  })
}
