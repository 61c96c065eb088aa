import { compileDdl, introspect, lintRules, type Schema } from '@isotherm/core'
import { cql } from '@isotherm/cassandra'
import { compareWithLive, diffSchemas, planMigration } from '@isotherm/migrations'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { randomKeyspaces } from './random-schemas.js'
import { emptyKeyspace } from './support/keyspace.js'

/** How many pairs: a few in CI, more on request. */
const PAIRS = Number(process.env['ISOTHERM_PAIRS'] ?? 12)

// Random schemas are often hot.
const severity = Object.fromEntries(lintRules(cql).map((rule) => [rule, 'off' as const]))

/** What a keyspace reads as that was made with one schema and on which these statements were run then. */
async function keyspaceAfter(schema: Schema, statements: readonly string[] = []): Promise<Schema> {
  const { driver } = await emptyKeyspace({ ddl: compileDdl(schema, { dialect: cql, severity }) })
  for (const sql of statements) {
    try {
      await driver.applyDdl([sql])
    } catch (cause) {
      throw new Error(`${(cause as Error).message}\nrefuses\n${sql}`, { cause })
    }
  }
  return introspect({ driver, dialect: cql })
}

it(
  `${PAIRS} random pairs of schemas are either rejected or migrated to the keyspace of the second schema`,
  { timeout: 1_200_000 },
  async () => {
    const counts: Record<string, number> = {}
    const count = (what: string): void => void (counts[what] = (counts[what] ?? 0) + 1)
    await fc.assert(
      fc.asyncProperty(randomKeyspaces, randomKeyspaces, async (from, to) => {
        const { changes, refusals } = diffSchemas(from, to, { dialect: cql })
        for (const kind of new Set(refusals.map((refusal) => refusal.kind))) count(`refused: ${kind}`)
        count(refusals.length > 0 ? 'refused' : changes.length > 0 ? 'planned' : 'the same')
        if (refusals.length > 0) return
        const statements = planMigration(from, to, { dialect: cql }).map(({ sql }) => sql)
        const after = await keyspaceAfter(from, statements)
        expect(after).toEqual(await keyspaceAfter(to))
        expect(compareWithLive(to, after, { dialect: cql })).toEqual({ changes: [], refusals: [] })
      }),
      { numRuns: PAIRS, endOnFailure: true },
    )
    console.log(counts)
    expect(counts['planned'] ?? 0).toBeGreaterThan(0)
  },
)
