import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineSchema, defineTable } from '@isotherm/core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { push } from '../../src/commands/push.js'
import { silentOutput } from '../support/silent-output.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isotherm-push-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

const Hot = defineTable('Hot', (t) => ({ at: t.timestamp().key() }))

it.each([false, true])(
  'isotherm push refuses a schema with lint errors before it connects, with dryRun: %s',
  async (dryRun) => {
    writeFileSync(
      join(folder, 'schema.mjs'),
      `export const schema = ${JSON.stringify(defineSchema([Hot]))}\n`,
    )
    writeFileSync(
      join(folder, 'isotherm.config.mjs'),
      `export default {
        dialect: 'googlesql',
        schema: './schema.mjs',
        database() {
          throw new Error('It has connected.')
        },
      }\n`,
    )
    const pushed = push.run({
      args: [],
      options: { dryRun, config: 'isotherm.config.mjs' },
      output: silentOutput,
      directory: folder,
      environment: {},
      signal: new AbortController().signal,
    })
    await expect(pushed).rejects.toMatchObject({ code: 'REFUSED', message: 'Lint failed: 1 error.' })
  },
)
