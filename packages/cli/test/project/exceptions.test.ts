import { defineSchema, defineTable, lint } from '@isotherm/core'
import { googlesql } from '@isotherm/spanner'
import { expect, it } from 'vitest'
import type { LintConfig } from '../../src/config/config.js'
import { settingsFrom } from '../../src/config/settings.js'
import { listedEngines } from '../../src/engines.js'
import { withExceptions } from '../../src/project/project.js'

const schema = defineSchema([
  defineTable('Audit', (t) => ({ at: t.timestamp({ default: 'now' }).key(), id: t.int64().key() })),
])
const excepting = async (lintConfig: LintConfig) =>
  withExceptions(schema, {
    settings: await settingsFrom({
      options: {},
      environment: {},
      loaded: { config: { lint: lintConfig }, path: undefined, directory: '/', engines: listedEngines },
      directory: '/',
    }),
  })

it('of the configuration count like those of the models', async () => {
  expect(lint(schema, { dialect: googlesql }).map(({ rule }) => rule)).toEqual(['monotonic-first-key'])
  const excepted = await excepting({
    suppress: [{ table: 'Audit', rule: 'monotonic-first-key', reason: 'ten rows a day' }],
  })
  expect(lint(excepted, { dialect: googlesql })).toEqual([])
})

it('leave a schema as it is where there are none', async () => {
  expect(await excepting({})).toBe(schema)
})

it('of a table that is not there are a mistake', async () => {
  await expect(
    excepting({ suppress: [{ table: 'Adit', rule: 'monotonic-first-key', reason: 'x' }] }),
  ).rejects.toThrow('lint.suppress names the table Adit, which is not there.')
})
