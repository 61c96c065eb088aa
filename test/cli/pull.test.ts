import { readFileSync } from 'node:fs'
import { compileDdl, lintRules, type Dialect, type SqlDialect, type Schema } from '@isotherm/core'
import { diffSchemas } from '@isotherm/migrations'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeModels } from '../../packages/cli/src/pull/write-models.js'
import { findingsOf, ModelFolders, sortedDdl } from '../../packages/cli/test/pull/models.js'
import { goldens } from '../../packages/spanner/test/golden/schemas.js'
import { schemaMadeBy } from '../dialects/introspect-support.js'
import { randomSchemas } from '../dialects/random-schemas.js'
import { dialects } from '../support/spanner.js'

const ENDS_STATEMENT = /;\s*$/m
const RANDOM_SCHEMAS = 20

const styles = ['decorators', 'tables'] as const
const noRules = (dialect: Dialect): Readonly<Record<string, 'off'>> =>
  Object.fromEntries(lintRules(dialect).map((rule) => [rule, 'off' as const]))

// All databases that any test reads are written, and compiled together when all of them are there.
let folders: ModelFolders

beforeAll(async () => {
  folders = await ModelFolders.make()
})

afterAll(() => folders.remove())

interface Compared {
  readonly changes: { readonly changes: readonly unknown[]; readonly refusals: readonly unknown[] }
  readonly ddl: readonly string[]
  readonly findings: readonly string[]
}

/** Writes what was read of a database as models, and tells of both what has to be the same. */
async function compare(
  found: Schema,
  { dialect, style, name }: { dialect: SqlDialect; style: (typeof styles)[number]; name: string },
): Promise<{ readonly pulled: Compared; readonly read: Compared }> {
  const folder = `${name}.${dialect.name}.${style}`
  await folders.write(folder, writeModels(found, { dialect, style }).files)
  const pulled = await folders.load(folder)
  const comparable = (schema: Schema): Compared => ({
    changes: diffSchemas(found, schema, { dialect }),
    ddl: sortedDdl(schema, dialect),
    findings: findingsOf(schema, dialect),
  })
  return {
    pulled: comparable(pulled),
    read: { ...comparable(found), changes: { changes: [], refusals: [] } },
  }
}

const taken = goldens.filter(({ takenByEmulator }) => takenByEmulator)

describe('models pulled from a database', () => {
  it.each(taken.map(({ name, dialect, ddl }) => ({ name, dialect, ddl })))(
    'create the golden DDL of $name again in $dialect.name, with the same lint findings',
    async ({ name, dialect, ddl }) => {
      const statements = readFileSync(ddl, 'utf8')
        .split(ENDS_STATEMENT)
        .map((each) => each.trim())
        .filter(Boolean)
      const found = await schemaMadeBy(dialect, statements)
      for (const style of styles) {
        const { pulled, read } = await compare(found, { dialect, style, name })
        expect(pulled).toEqual(read)
      }
    },
  )

  it.each(dialects)(
    `create ${RANDOM_SCHEMAS} random schemas again in $name, with the same lint findings`,
    async (dialect) => {
      let count = 0
      await fc.assert(
        fc.asyncProperty(randomSchemas(dialect), async (schema) => {
          const found = await schemaMadeBy(
            dialect,
            compileDdl(schema, { dialect, severity: noRules(dialect) }),
          )
          count += 1
          const style = styles[count % 2]!
          const { pulled, read } = await compare(found, { dialect, style, name: `random-${count}` })
          expect(pulled).toEqual(read)
        }),
        { numRuns: RANDOM_SCHEMAS, endOnFailure: true },
      )
    },
  )

  it.each(['standard', 'legacy'] as const)('compile with %s decorators', async (decorators) => {
    expect(await folders.compile(decorators)).toBe('')
  })

  it('are formatted as the formatter would do', async () => {
    // A name that fills a whole line leaves no layout to agree on.
    const files = await folders.unformatted()
    expect(files.filter((file) => !file.includes('names-long'))).toEqual([])
  })
})
