import { defineSchema, defineTable, lint } from '@isotherm/core'
import { googlesql } from '@isotherm/spanner'
import { expect, it } from 'vitest'
import type { LintConfig } from '../../src/config/config.js'
import { settingsFrom } from '../../src/config/settings.js'
import { listedEngines } from '../../src/engines.js'
import { withSuppressions } from '../../src/project/project.js'

const schema = defineSchema([
  defineTable('Audit', (t) => ({ at: t.timestamp({ default: 'now' }).key(), id: t.int64().key() })),
])
const withLint = async (lintConfig: LintConfig) =>
  withSuppressions(schema, {
    settings: await settingsFrom({
      options: {},
      environment: {},
      loaded: { config: { lint: lintConfig }, path: undefined, directory: '/', engines: listedEngines },
      directory: '/',
    }),
  })

it('withSuppressions() suppresses findings with the suppressions of the configuration', async () => {
  expect(lint(schema, { dialect: googlesql }).map(({ rule }) => rule)).toEqual(['monotonic-first-key'])
  const suppressed = await withLint({
    suppress: [{ table: 'Audit', rule: 'monotonic-first-key', reason: 'ten rows a day' }],
  })
  expect(lint(suppressed, { dialect: googlesql })).toEqual([])
})

it('withSuppressions() returns the same schema when the configuration has no suppressions', async () => {
  expect(await withLint({})).toBe(schema)
})

it('withSuppressions() rejects a suppression for a table that does not exist', async () => {
  await expect(
    withLint({ suppress: [{ table: 'Adit', rule: 'monotonic-first-key', reason: 'x' }] }),
  ).rejects.toThrow('lint.suppress names the table Adit, which does not exist.')
})
