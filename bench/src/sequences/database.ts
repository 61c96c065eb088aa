import { benchSchema } from '@isotherm/cli/bench'
import { compileDdl, openDatabase, type Database, type SqlDialect } from '@isotherm/core'
import type { SpannerEmulator } from '@isotherm/spanner/local'
import { spanner } from '@isotherm/spanner'

/** A database with a table of sequences. */
export async function sequenceDatabase(emulator: SpannerEmulator, dialect: SqlDialect): Promise<Database> {
  const schema = benchSchema(dialect)
  const database = await emulator.database({ ddl: compileDdl(schema, { dialect }), dialect })
  return openDatabase({ driver: spanner(database, { dialect }), schema })
}
