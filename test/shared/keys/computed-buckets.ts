import {
  compileDdl,
  openDatabase,
  type BucketSize,
  type Database,
  type Schema,
  type SqlDialect,
} from '@isotherm/core'
import { spanner } from '@isotherm/spanner'
import { inDialect } from '../../keys/support.js'
import type { Traits } from '@isotherm/testing'
import { cassandraDatabase, type TestEngine } from '../../support/engines.js'
import { isCql } from '../../support/languages.js'
import { sharedEmulator } from '../../support/spanner.js'

// The start of the period of a time in UTC, as the database computes it.

export interface ComputedDatabase {
  readonly db: Database
  readonly traits: Traits
  /** For each row of a table, in milliseconds: the start of its `bucket`, and the start of the period of its `at`. */
  beginsOf(table: string, by: BucketSize): Promise<{ readonly bucket: number; readonly period: number }[]>
}

const truncated: Readonly<Record<SqlDialect['name'], (by: BucketSize) => string>> = {
  googlesql: (by) => `TIMESTAMP_TRUNC(\`at\`, ${by === 'week' ? 'ISOWEEK' : by.toUpperCase()}, 'UTC')`,
  'spanner-postgresql': (by) => `date_trunc('${by}', \`at\`, 'UTC')`,
}
/** The first moment of a day. */
const asTime: Readonly<Record<SqlDialect['name'], (by: BucketSize) => string>> = {
  googlesql: (by) => (by === 'hour' ? '`bucket`' : "TIMESTAMP(`bucket`, 'UTC')"),
  'spanner-postgresql': (by) =>
    by === 'hour' ? '`bucket`' : "(`bucket`::text || 'T00:00:00Z')::timestamptz",
}
/** In CQL, which counts periods from a given start: a Monday, or a new year. */
const floored: Readonly<Record<BucketSize, string>> = {
  hour: "1h, '1960-01-01 00:00:00.000+0000'",
  day: "1d, '1960-01-01 00:00:00.000+0000'",
  week: "7d, '1959-12-28 00:00:00.000+0000'",
  month: "1mo, '1960-01-01 00:00:00.000+0000'",
  year: "12mo, '1960-01-01 00:00:00.000+0000'",
}

export async function computed({ dialect, traits }: TestEngine, schema: Schema): Promise<ComputedDatabase> {
  if (isCql(dialect)) {
    const { db, handle: client } = await cassandraDatabase(schema, dialect)
    return {
      db,
      traits,
      async beginsOf(table, by) {
        const bucket = by === 'hour' ? '"bucket"' : 'to_timestamp("bucket")'
        const { rows } = await client.execute(
          `SELECT ${bucket} AS "bucket", floor("at", ${floored[by]}) AS "period" FROM "${table}"`,
        )
        return rows.map((row) => ({ bucket: Number(row['bucket']), period: Number(row['period']) }))
      },
    }
  }
  const emulator = await sharedEmulator()
  const client = await emulator.database({ dialect, ddl: compileDdl(schema, { dialect }) })
  return {
    db: openDatabase({ driver: spanner(client), schema }),
    traits,
    async beginsOf(table, by) {
      const columns = `${asTime[dialect.name](by)} AS bucket, ${truncated[dialect.name](by)} AS period`
      const [rows] = await client.run({
        sql: inDialect(dialect, `SELECT ${columns} FROM \`${table}\``),
        json: true,
      })
      return (rows as unknown as { bucket: Date; period: Date }[]).map(({ bucket, period }) => ({
        bucket: Number(bucket),
        period: Number(period),
      }))
    },
  }
}
