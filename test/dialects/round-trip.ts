import { compileDdl, introspect, lintRules, type Dialect, type Schema, type SqlDialect } from '@isotherm/core'
import { spanner } from '@isotherm/spanner'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sharedEmulator } from '../support/spanner.js'
import { randomSchemas } from './random-schemas.js'
import { remembered } from './remembered.js'

const SCHEMAS = 200

// Random keys are often hot ones, and a database keeps no exceptions.
const noRules = (dialect: Dialect): Readonly<Record<string, 'off'>> =>
  Object.fromEntries(lintRules(dialect).map((rule) => [rule, 'off' as const]))

/** What a new database with these statements reads as, and the statements as the database writes them. */
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

/** A file of tests for each dialect calls it, since they take minutes: they run side by side. */
export function testRoundTrip(dialect: SqlDialect): void {
  it(`${SCHEMAS} random schemas read back the same from a second database, with nothing lost but what is listed`, async () => {
    await fc.assert(
      fc.asyncProperty(randomSchemas(dialect), async (schema) => {
        const first = await readBack(dialect, compileDdl(schema, { dialect, severity: noRules(dialect) }))
        expect(first.schema).toEqual(remembered(schema, dialect))

        const second = await readBack(
          dialect,
          compileDdl(first.schema, { dialect, severity: noRules(dialect) }),
        )
        expect(second.schema).toEqual(first.schema)
        // In the database's own words too; tables may have been made in another order.
        expect(sorted(second.ddl)).toEqual(sorted(first.ddl))
      }),
      { numRuns: SCHEMAS, endOnFailure: false },
    )
  })
}
