import { compileDdl, introspect, lintRules, type Dialect, type Schema, type SqlDialect } from '@isotherm/core'
import { spanner } from '@isotherm/spanner'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sharedEmulator } from '../support/spanner.js'
import { randomSchemas } from './random-schemas.js'
import { remembered } from './remembered.js'

const SCHEMAS = 200

// Random keys often cause hotspots, and a database does not store suppressed findings.
const noRules = (dialect: Dialect): Readonly<Record<string, 'off'>> =>
  Object.fromEntries(lintRules(dialect).map((rule) => [rule, 'off' as const]))

/** The introspected schema of a new database with these statements, and the DDL that the database returns. */
async function readBack(
  dialect: SqlDialect,
  statements: readonly string[],
): Promise<{ readonly schema: Schema; readonly ddl: readonly string[] }> {
  const emulator = await sharedEmulator()
  const client = await emulator.database({ dialect, ddl: [...statements] })
  try {
    const driver = spanner(client)
    return { schema: await introspect({ driver, dialect }), ddl: await driver.readDdl() }
  } finally {
    await client.delete()
  }
}

function sorted(statements: readonly string[]): string[] {
  return statements.toSorted()
}

/** Each dialect has its own test file, because these tests take minutes: the files run in parallel. */
export function testRoundTrip(dialect: SqlDialect): void {
  it(`reproduce ${SCHEMAS} random schemas in a second database, without losses except the documented ones`, async () => {
    await fc.assert(
      fc.asyncProperty(randomSchemas(dialect), async (schema) => {
        const first = await readBack(dialect, compileDdl(schema, { dialect, severity: noRules(dialect) }))
        expect(first.schema).toEqual(remembered(schema, dialect))

        const second = await readBack(
          dialect,
          compileDdl(first.schema, { dialect, severity: noRules(dialect) }),
        )
        expect(second.schema).toEqual(first.schema)
        // The DDL of the database is equal too; tables may have been created in another order.
        expect(sorted(second.ddl)).toEqual(sorted(first.ddl))
      }),
      { numRuns: SCHEMAS, endOnFailure: false },
    )
  })
}
