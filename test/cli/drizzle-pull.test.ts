import { readFileSync } from 'node:fs'
import {
  compileDdl,
  IsothermError,
  lintRules,
  type Dialect,
  type SqlDialect,
  type Schema,
} from '@isotherm/core'
import { diffSchemas } from '@isotherm/migrations'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { modelSchema, writeModels } from '../../packages/cli/src/pull/write-models.js'
import { findingsOf, ModelFolders, sortedDdl } from '../../packages/cli/test/pull/models.js'
import { goldens } from '../../packages/spanner/test/golden/schemas.js'
import { schemaMadeBy } from '../dialects/introspect-support.js'
import { randomSchemas } from '../dialects/random-schemas.js'
import { dialects } from '../support/spanner.js'

const ENDS_STATEMENT = /;\s*$/m
const RANDOM_SCHEMAS = 12

const noRules = (dialect: Dialect): Readonly<Record<string, 'off'>> =>
  Object.fromEntries(lintRules(dialect).map((rule) => [rule, 'off' as const]))
const taken = goldens.filter(({ takenByEmulator }) => takenByEmulator)

// All databases that any test reads are written, and compiled together when all of them are there.
let folders: ModelFolders

beforeAll(async () => {
  folders = await ModelFolders.make()
})

afterAll(() => folders.remove())

/** Databases that have what Drizzle's tables cannot say: keys of PostgreSQL that descend, ranges that are passed over. */
const REFUSED = new Set(
  [
    'key-types desc-keys interleaving indexes indexes-partial',
    'uuid-native bit-reversed-ids made-by-database objects',
  ].flatMap((names) => names.split(' ').map((name) => `${name}.spanner-postgresql`)),
)

/** Whether Drizzle's tables can say a schema: what is refused costs an engine its time for nothing. */
const isDeclarable =
  (dialect: SqlDialect) =>
  ({ sequences, tables }: Schema): boolean =>
    dialect.name === 'googlesql' ||
    (sequences.every(({ skipRange }) => !skipRange) &&
      tables.every(({ columns }) => columns.every(({ generated }) => generated?.stored !== false)))

/** What has to be the same of a database and of its Drizzle tables; undefined for what Drizzle's tables cannot say. */
async function compare(found: Schema, dialect: SqlDialect, name: string) {
  const folder = `${name}.${dialect.name}`
  try {
    await folders.write(folder, writeModels(found, { dialect, style: 'drizzle' }).files)
  } catch (error) {
    if (error instanceof IsothermError && error.message.startsWith("Drizzle's tables cannot"))
      return undefined
    throw error
  }
  const pulled = await folders.load(folder)
  const told = (schema: Schema) => ({
    changes: diffSchemas(found, schema, { dialect }),
    sameProperties: diffSchemas(modelSchema(found, dialect), schema, { dialect }),
    ddl: sortedDdl(schema, dialect),
    findings: findingsOf(schema, dialect),
  })
  return { pulled: told(pulled), read: told(found) }
}

describe('Drizzle tables pulled from a database', () => {
  it.each(taken.map(({ name, dialect, ddl }) => ({ name, dialect, ddl })))(
    'create the golden DDL of $name again in $dialect.name, with the same lint findings',
    async ({ name, dialect, ddl }) => {
      const statements = readFileSync(ddl, 'utf8').split(ENDS_STATEMENT)
      const found = await schemaMadeBy(dialect, statements.map((each) => each.trim()).filter(Boolean))
      const compared = await compare(found, dialect, name)
      expect(compared === undefined).toBe(REFUSED.has(`${name}.${dialect.name}`))
      expect(compared?.pulled).toEqual(compared?.read)
    },
  )

  it.each(dialects)(
    `create ${RANDOM_SCHEMAS} random schemas again in $name, with the same lint findings`,
    async (dialect) => {
      let count = 0
      await fc.assert(
        fc.asyncProperty(randomSchemas(dialect).filter(isDeclarable(dialect)), async (schema) => {
          const found = await schemaMadeBy(
            dialect,
            compileDdl(schema, { dialect, severity: noRules(dialect) }),
          )
          count += 1
          const compared = await compare(found, dialect, `random-${count}`)
          expect(compared).toBeDefined()
          expect(compared?.pulled).toEqual(compared?.read)
        }),
        { numRuns: RANDOM_SCHEMAS, endOnFailure: true },
      )
    },
  )

  it('compile without errors', async () => {
    expect(await folders.compile('standard')).toBe('')
  })

  it('are formatted as the formatter would do', async () => {
    // A name that fills a whole line leaves no layout to agree on.
    const files = await folders.unformatted()
    expect(files.filter((file) => !file.includes('names-long'))).toEqual([])
  })
})
