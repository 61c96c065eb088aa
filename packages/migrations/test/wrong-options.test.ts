import { defineSchema, defineTable } from '@isotherm/core'
import {
  checkSnapshots,
  compareWithLive,
  diffSchemas,
  recordApplied,
  renameCandidates,
  type DiffOptions,
} from '@isotherm/migrations'
import { googlesql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { refusal, rejection } from '../../core/test/support/refusal.js'
import { silentDriver } from '../../core/test/support/silent-driver.js'

const schema = defineSchema([defineTable('T', (t) => ({ id: t.uuidV4() }))])
const dialect = googlesql

it.each([{ dryRun: true }, { onProgress: () => {} }])(
  'recordApplied() rejects the option %o, because recordApplied() runs no migration',
  async (options) => {
    const error = await rejection(recordApplied(silentDriver, [], Object.assign({ dialect }, options)))
    expect(error.message).toContain(`recordApplied: ${Object.keys(options)[0]!} is not an option.`)
  },
)

describe.each([
  ['renameCandidates', renameCandidates, ['renames', 'ignore', 'live', 'recorded', 'earlier']],
  ['compareWithLive', compareWithLive, ['renames', 'live', 'earlier']],
] as const)('%s() with options of diffSchemas()', (name, call, others) => {
  const values: Readonly<Partial<DiffOptions>> = {
    renames: {},
    ignore: () => false,
    live: false,
    recorded: [],
    earlier: [],
  }

  it.each(others)('rejects the option %s of diffSchemas()', (option) => {
    const options = { dialect, [option]: values[option] } as never
    expect(refusal(() => call(schema, schema, options)).message).toContain(
      `${name}: ${option} is not an option. `,
    )
  })
})

it('diffSchemas() rejects a number in the list of earlier schemas', () => {
  expect(() => diffSchemas(schema, schema, { dialect, earlier: [schema] })).not.toThrow()
  expect(refusal(() => diffSchemas(schema, schema, { dialect, earlier: [1] as never })).message).toBe(
    'diffSchemas: earlier[0] is 1. Give a schema, which defineSchema, introspect and parseSnapshot make.',
  )
})

it('checkSnapshots() names the argument migrations when it rejects a number', () => {
  expect(refusal(() => checkSnapshots(5 as never)).message).toContain('checkSnapshots: migrations is 5.')
})
