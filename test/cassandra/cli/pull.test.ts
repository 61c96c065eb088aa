import { compileDdl, introspect, lintRules, type Schema } from '@isotherm/core'
import { cassandra, cql } from '@isotherm/cassandra'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ModelFolders } from '../../../packages/cli/test/pull/models.js'
import { modelSchema, writeModels } from '../../../packages/cli/src/pull/write-models.js'
import { cqlGoldens } from '../../../packages/cassandra/test/golden/schemas.js'
import { sharedCassandra } from '../../support/cassandra.js'
import { clientOptions } from '../support/keyspace.js'

const ENDS_STATEMENT = /;\s*$/m
const PROPERTIES = /CUSTOM_PROPERTIES = \{.*\}\s+AND\s+/

const severity = Object.fromEntries(lintRules(cql).map((rule) => [rule, 'off' as const]))
const ddlOf = (schema: Schema): string[] => compileDdl(schema, { dialect: cql, severity }).toSorted()

/** What the golden DDL makes, as the catalogue tells it. */
async function found(ddl: URL): Promise<Schema> {
  const engine = await sharedCassandra()
  const statements = readFileSync(ddl, 'utf8')
    .split(ENDS_STATEMENT)
    .map((each) => each.trim().replace(PROPERTIES, ''))
    .filter(Boolean)
  const client = await engine.client(await engine.keyspace({ ddl: statements }), clientOptions)
  return introspect({ driver: cassandra(client, { dialect: cql }), dialect: cql })
}

/** Parents and children in one table: which columns are whose, no catalogue tells. */
const FOLDED = ['orders', 'folded-shards']

const goldens = cqlGoldens
  .filter(({ dialect, name }) => dialect === cql && !FOLDED.includes(name))
  .map(({ name, ddl }) => ({ name, ddl }))
const styles = ['decorators', 'tables'] as const

describe('models written from a keyspace', () => {
  let folders: ModelFolders
  const schemas = new Map<string, Schema>()

  beforeAll(async () => {
    folders = await ModelFolders.make()
    for (const { name, ddl } of goldens) {
      const schema = await found(ddl)
      schemas.set(name, schema)
      for (const style of styles)
        await folders.write(`${name}.${style}`, writeModels(schema, { dialect: cql, style }).files)
    }
  }, 300_000)

  afterAll(() => folders.remove())

  it('compile, and are formatted as the formatter would do', async () => {
    expect(await folders.compile('standard')).toBe('')
    expect(await folders.unformatted()).toEqual([])
  })

  it.each(goldens)('generate the golden DDL of $name again', async ({ name }) => {
    const schema = modelSchema(schemas.get(name)!, cql)
    for (const style of styles) expect(ddlOf(await folders.load(`${name}.${style}`))).toEqual(ddlOf(schema))
  })
})

it.each(FOLDED)(
  'writeModels() rejects a table that has the rows of a parent and of its children: %s',
  async (name) => {
    const schema = await found(cqlGoldens.find((each) => each.name === name)!.ddl)
    expect(() => writeModels(schema, { dialect: cql, style: 'tables' }).files).toThrow(
      /(?:order|day) has the rows of a parent and of its children, which are two models/,
    )
  },
)
