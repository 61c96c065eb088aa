import { compileDdl, introspect, lintRules, type Schema } from '@isotherm/core'
import { cassandra, cql } from '@isotherm/cassandra'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ModelFolders } from '../../../packages/cli/test/pull/models.js'
import { modelSchema, writeModels } from '../../../packages/cli/src/pull/write-models.js'
import { cqlGoldens } from '../../../packages/cassandra/test/golden/schemas.js'
import { sharedCassandra } from '../../support/cassandra.js'
import { clientOptions } from '../support/keyspace.js'
import { CqlProject } from './project.js'

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

describe('the models of a keyspace', () => {
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

  it('compile, and are written as a formatter leaves them', async () => {
    expect(await folders.compile('standard')).toBe('')
    expect(await folders.unformatted()).toEqual([])
  })

  it.each(goldens)('made by the golden DDL of $name make it again', async ({ name }) => {
    const schema = modelSchema(schemas.get(name)!, cql)
    for (const style of styles) expect(ddlOf(await folders.load(`${name}.${style}`))).toEqual(ddlOf(schema))
  })
})

it.each(FOLDED)('are refused for the table of a parent and its children: %s', async (name) => {
  const schema = await found(cqlGoldens.find((each) => each.name === name)!.ddl)
  expect(() => writeModels(schema, { dialect: cql, style: 'tables' }).files).toThrow(
    /(?:order|day) has the rows of a parent and of its children, which are two models/,
  )
})

it('are pulled with a first migration, after which nothing is left to do', async () => {
  const project = await CqlProject.create([
    'CREATE TYPE address (street text, zip ascii)',
    'CREATE TABLE visit (day date, shard int, at timestamp, place frozen<address>, seen int static, PRIMARY KEY ((day, shard), at)) WITH CLUSTERING ORDER BY (at DESC)',
  ])
  project.write(
    'isotherm.config.ts',
    `export default { dialect: 'cql', schema: './src/models/*.ts', database: '${project.url}' }`,
  )
  const pulled = await project.run('pull', '--baseline')
  expect(pulled.text).toContain('1 table.')
  expect(project.list('src/models')).toEqual(['address.ts', 'index.ts', 'visit.ts'])
  expect(await project.run('check')).toEqual({
    code: 0,
    text: 'agree models and migrations\nagree migrations and history\nagree database and history',
  })
})

it('goes on with a keyspace that has lint errors, and refuses new ones', async () => {
  const hot = (name: string): string =>
    `CREATE TABLE ${name} (day date, at timestamp, id uuid, PRIMARY KEY (day, at, id))`
  const project = await CqlProject.create([hot('log')])
  project.write(
    'isotherm.config.ts',
    `export default { dialect: 'cql', schema: './src/models/*.ts', database: '${project.url}' }`,
  )
  const pulled = await project.run('pull', '--baseline')
  expect(pulled.text).toMatch(/1 lint error that the database has already is excepted in the models/)
  expect(await project.run('generate')).toEqual({
    code: 0,
    text: 'No changes: the models are what the last migration left.',
  })
  expect((await project.run('lint')).code).toBe(0)
  expect((await project.run('lint', '--database', project.url)).text).toContain(
    'error log.day cassandra/time-partition',
  )
  // The exception is for this one rule alone.
  const model = project.read('src/models/log.ts')
  project.write(
    'src/models/log.ts',
    model.replace("rule: 'cassandra/time-partition'", "rule: 'cassandra/unbounded-partition'"),
  )
  const refused = await project.run('generate')
  expect(refused.text).toContain('error log.day cassandra/time-partition')
  expect(refused.code).toBe(1)
})
