import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { DialectName, Schema } from '@isotherm/core'
import { CommandError } from '../command-error.js'
import { spannerOnly } from './spanner-only.js'

/**
 * What a file of DDL makes: it is applied to an emulator that is started for it, and read back.
 *
 * @throws {CommandError} for a file that cannot be read, or that the emulator refuses.
 */
export async function schemaOfDdlFile(directory: string, file: string, given: DialectName): Promise<Schema> {
  const dialect = spannerOnly(given, 'A file of DDL', 'Leave it out to judge the models, or give --live.')
  const ddl = statementsOf(directory, file, dialect)
  const { introspect, splitStatements } = await import('@isotherm/core')
  const { spanner } = await import('@isotherm/core/spanner')
  const { startSpannerEmulator } = await import('@isotherm/core/engines')
  await using emulator = await startSpannerEmulator()
  const driver = spanner(await emulator.database({ dialect }), { dialect })
  const statements = splitStatements(ddl, dialect)
  try {
    await driver.applyDdl(statements)
  } catch (cause) {
    throw new CommandError('REFUSED', `${file} is refused: ${(cause as Error).message}`, {
      fix: 'Give statements of DDL only, parted by semicolons, in the dialect that --dialect names.',
      cause,
    })
  }
  return await introspect({ driver })
}

function statementsOf(directory: string, file: string, dialect: DialectName): string {
  try {
    return readFileSync(resolve(directory, file), 'utf8')
  } catch (cause) {
    throw new CommandError('USAGE', `${file} cannot be read: ${(cause as Error).message}`, {
      fix: `Give a file of DDL statements (${dialect}).`,
      cause,
    })
  }
}
