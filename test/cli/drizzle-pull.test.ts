import { readFileSync } from 'node:fs'
import { compileDdl, lintRules, type Dialect, type SqlDialect, type Schema } from '@isotherm/core'
import { diffSchemas } from '@isotherm/migrations'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { modelSchema, writeModels } from '../../packages/cli/src/pull/write-models.js'
import { findingsOf, ModelFolders, sortedDdl } from '../../packages/cli/test/pull/models.js'
import { refusal } from '../../packages/core/test/support/refusal.js'
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

const DESCENDS = 'descends in the key, which pgTable can say of descTimestamp only'
const PASSES_OVER = 'passes over a range, which pgSequence cannot say'

/** Golden schemas of PostgreSQL that Drizzle's tables cannot declare, with what is refused of each. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'key-types': [`KeyInAnotherOrder.a ${DESCENDS}`],
  'desc-keys': [`DescKeys.a_number ${DESCENDS}`, `DescKeys.day ${DESCENDS}`],
  interleaving: [`Item.line ${DESCENDS}`],
  indexes: [`Customer.customer_id ${DESCENDS}`],
  'indexes-partial': [`Customer.customer_id ${DESCENDS}`],
  'bit-reversed-ids': [`CountedBoth_id_seq ${PASSES_OVER}`, `IdsSkipping ${PASSES_OVER}`],
  'made-by-database': ['Person.initial is computed whenever it is read, which pgTable cannot say'],
  objects: [`Receipts ${PASSES_OVER}`],
}
const refusedOf = (name: string, dialect: SqlDialect): readonly string[] =>
  (dialect.name === 'spanner-postgresql' && REFUSED[name]) || []
const [refused, declared] = [true, false].map((isRefused) =>
  taken.filter(({ name, dialect }) => refusedOf(name, dialect).length > 0 === isRefused),
) as [typeof taken, typeof taken]
const introspected = ({ dialect, ddl }: (typeof taken)[number]): Promise<Schema> => {
  const statements = readFileSync(ddl, 'utf8').split(ENDS_STATEMENT)
  return schemaMadeBy(dialect, statements.map((each) => each.trim()).filter(Boolean))
}

/** Whether Drizzle's tables can say a schema: what is refused costs an engine its time for nothing. */
const isDeclarable =
  (dialect: SqlDialect) =>
  ({ sequences, tables }: Schema): boolean =>
    dialect.name === 'googlesql' ||
    (sequences.every(({ skipRange }) => !skipRange) &&
      tables.every(({ columns }) => columns.every(({ generated }) => generated?.stored !== false)))

/** What has to be the same of a database and of its Drizzle tables. */
async function compare(found: Schema, dialect: SqlDialect, name: string) {
  const folder = `${name}.${dialect.name}`
  await folders.write(folder, writeModels(found, { dialect, style: 'drizzle' }).files)
  const pulled = await folders.load(folder)
  const comparable = (schema: Schema) => ({
    changes: diffSchemas(found, schema, { dialect }),
    sameProperties: diffSchemas(modelSchema(found, dialect), schema, { dialect }),
    ddl: sortedDdl(schema, dialect),
    findings: findingsOf(schema, dialect),
  })
  return { pulled: comparable(pulled), read: comparable(found) }
}

describe('Drizzle tables pulled from a database', () => {
  it.each(declared)(
    'create the golden DDL of $name again in $dialect.name, with the same lint findings',
    async (golden) => {
      const { name, dialect } = golden
      const { pulled, read } = await compare(await introspected(golden), dialect, name)
      expect(pulled).toEqual(read)
    },
  )

  it.each(refused)(
    'are refused with UNSUPPORTED_OBJECT for the golden DDL of $name in $dialect.name, and each reason is in the message',
    async (golden) => {
      const { name, dialect } = golden
      const found = await introspected(golden)
      expect(refusal(() => writeModels(found, { dialect, style: 'drizzle' }))).toMatchObject({
        code: 'UNSUPPORTED_OBJECT',
        message: expect.stringContaining(
          `Drizzle's tables cannot declare all of this database: ${refusedOf(name, dialect).join('; ')}. Pull it with`,
        ),
      })
    },
  )

  it('are refused for each golden schema that is expected to be', () => {
    expect(refused.map(({ name }) => name).toSorted()).toEqual(Object.keys(REFUSED).toSorted())
  })

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
          const { pulled, read } = await compare(found, dialect, `random-${count}`)
          expect(pulled).toEqual(read)
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
