import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Dialect, Schema, SqlDialect } from '@isotherm/core'
import { CommandError } from '../command-error.js'
import type { EngineEntry } from '../engines.js'
import { startLocal, withSql } from './needs.js'

/**
 * The schema of a file of DDL: it is applied to an emulator that is started for it, and read back.
 *
 * @throws {CommandError} for a file that cannot be read, or that the emulator refuses.
 */
export async function schemaOfDdlFile(
  { directory, file, engines }: DdlFile,
  requestedDialect: Dialect,
): Promise<Schema> {
  const fix = 'Leave it out to check the models, or give --live.'
  const dialect = withSql(requestedDialect, 'A file of DDL', fix)
  const ddl = statementsOf(directory, file, dialect)
  const { introspect, splitStatements } = await import('@isotherm/core')
  await using engine = await startLocal(dialect.name, engines, 'A file of DDL', { fix })
  const { driver } = await engine.createDatabase({ dialect })
  const statements = splitStatements(ddl, dialect)
  try {
    await driver.applyDdl(statements)
  } catch (cause) {
    throw new CommandError('REFUSED', `${file} is refused: ${(cause as Error).message}`, {
      fix: 'Give statements of DDL only, separated by semicolons, in the dialect that --dialect names.',
      cause,
    })
  }
  // The schema is only linted: it does not matter if the engine's wording differs.
  return await introspect({ driver, dialect })
}

interface DdlFile {
  readonly directory: string
  readonly file: string
  readonly engines: readonly EngineEntry[]
}

function statementsOf(directory: string, file: string, dialect: SqlDialect): string {
  try {
    return readFileSync(resolve(directory, file), 'utf8')
  } catch (cause) {
    throw new CommandError('USAGE', `${file} cannot be read: ${(cause as Error).message}`, {
      fix: `Give a file of DDL statements (${dialect.name}).`,
      cause,
    })
  }
}
