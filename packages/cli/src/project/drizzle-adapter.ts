import type { DialectName, Schema } from '@isotherm/core'
import { CommandError } from '../command-error.js'
import type { DrizzleConfig } from '../config/config.js'
import { missingPackage } from '../failure.js'

/** What the command needs of `@isotherm/drizzle-adapter`. */
export interface DrizzleAdapter {
  toSchema(declarations: readonly unknown[], options: DrizzleConfig): Schema
  /** A decorated model as a table. */
  toDrizzle(model: object): object
}

/** Which entry of the package is for the dialect. Not imported by a name that TypeScript sees: it is the project's, or nobody's. */
const ENTRIES: Readonly<Partial<Record<DialectName, string>>> = {
  googlesql: '@isotherm/drizzle-adapter',
  'spanner-postgresql': '@isotherm/drizzle-adapter/postgresql',
}

/**
 * The project's own copy of the package: the one that its tables are made with.
 *
 * @param example a table that needs it
 * @throws {CommandError} `NOT_INSTALLED` where the project has none.
 */
export async function loadDrizzleAdapter(
  example: { readonly file: string; readonly name: string },
  dialect: DialectName,
  directory: string,
): Promise<DrizzleAdapter> {
  try {
    return (await import(ENTRIES[dialect]!)) as DrizzleAdapter
  } catch (cause) {
    const missing = missingPackage(cause)
    if (missing === undefined) throw cause
    throw new CommandError(
      'NOT_INSTALLED',
      `${example.name}, which ${example.file} exports, is of Drizzle, and ${missing} is not installed in ${directory}.`,
      { fix: `Install it: npm install ${missing}`, cause },
    )
  }
}
