import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { beforeAll, expect, it } from 'vitest'
import { Consumer } from './support/consumer.js'

// An application on Cassandra without any optional peer dependency: no OpenTelemetry, no reflect-metadata, no client of Spanner,
// no Docker, no sign-in to AWS.

const ABSENT = [
  '@opentelemetry/api',
  'reflect-metadata',
  '@google-cloud/spanner',
  '@isotherm/spanner',
  'drizzle-orm',
  'testcontainers',
  '@aws-sdk/credential-providers',
  '@smithy/signature-v4',
]

const PROGRAM = readFileSync(join(import.meta.dirname, 'programs/without-optional-peers.ts'), 'utf8')

let consumer: Consumer

beforeAll(async () => {
  consumer = await Consumer.withOnly(
    ['core', 'cassandra', 'migrations', 'cli'],
    ['cassandra-driver', '@types/node'],
  )
}, 300_000)

it('an application on Cassandra installs no optional peer dependency', () => {
  expect(consumer.installed).toContain('cassandra-driver')
  expect(ABSENT.filter((name) => consumer.installed.includes(name))).toEqual([])
})

it('the packages type-check with skipLibCheck: false without their optional peer dependencies', async () => {
  const entries = [
    ['core', 'core/keys', 'core/sequences', 'core/engine', 'core/local', 'core/adapter'],
    ['cassandra', 'cassandra/dialects', 'cassandra/keyspaces', 'cassandra/local', 'migrations'],
    ['cli', 'cli/bench'],
  ].flat()
  const lines = entries.map((entry, at) => `export * as e${at} from '@isotherm/${entry}'`)
  consumer.write('program.mts', [...lines, PROGRAM].join('\n'))
  const found = await consumer.typeCheck('program.mts', { module: 'nodenext', skipLibCheck: false })
  // A comment in the declarations of a dependency: TypeScript 7 checks it, TypeScript 5 does not.
  expect(found.filter((message) => !/precise-date.*TS8023: JSDoc/.test(message))).toEqual([])
})

it('an application on Cassandra runs in an empty home folder without optional peer dependencies', async () => {
  const home = join(consumer.folder, 'home')
  mkdirSync(home)
  const { code } = await transform(PROGRAM, { loader: 'ts', format: 'esm', target: 'es2022' })
  consumer.write('program.mjs', code)
  expect(await consumer.run('program.mjs', { HOME: home })).toBe('LogEntry of CQL, read by merge-shards\n')
})

it('an import of @isotherm/core/opentelemetry fails with the name of the missing package', async () => {
  consumer.write('traced.mjs', "import '@isotherm/core/opentelemetry'")
  await expect(consumer.run('traced.mjs')).rejects.toThrow("Cannot find package '@opentelemetry/api'")
})
