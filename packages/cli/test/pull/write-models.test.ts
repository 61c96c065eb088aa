import { defineSchema, defineTable } from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { goldens } from '../../../spanner/test/golden/schemas.js'
import { writeModels } from '../../src/pull/write-models.js'
import { findingsOf, ModelFolders, sortedDdl } from './models.js'

describe.each(['decorators', 'tables'] as const)('writeModels() with the style %s', (style) => {
  let folders: ModelFolders

  beforeAll(async () => {
    folders = await ModelFolders.make()
    for (const { name, dialect, schema } of goldens) {
      await folders.write(`${name}.${dialect.name}`, writeModels(schema, { dialect, style }).files)
    }
  })

  afterAll(() => folders.remove())

  it('writes models of the golden schemas that compile', async () => {
    expect(await folders.compile('standard')).toBe('')
  })

  it.each([googlesql, spannerPostgresql])(
    'writes key: false for ids outside the primary key, in $name',
    async (dialect) => {
      const schema = defineSchema([
        defineTable('Asset', (t) => ({
          token: t.uuidV4({ key: false, name: 'the_token' }),
          code: t.string({ length: 20 }).key(),
          number: t.bitReversedId({ key: false, startCounter: 7n }),
          id: t.uuidV4(),
        })),
      ])
      const folder = `beside.${dialect.name}`
      await folders.write(folder, writeModels(schema, { dialect, style }).files)
      const loaded = await folders.load(folder)
      expect(sortedDdl(loaded, dialect)).toEqual(sortedDdl(schema, dialect))
      expect(loaded.tables[0]!.columns.map(({ source }) => source)).toEqual(
        schema.tables[0]!.columns.map(({ source }) => source),
      )
    },
  )

  it('writes models of the golden schemas as the formatter leaves them', async () => {
    expect(await folders.unformatted()).toEqual([])
  })

  it.each(goldens.map(({ name, dialect, schema }) => ({ name, dialect, schema })))(
    'writes models with the DDL and the lint findings of the golden schema $name in $dialect.name',
    async ({ name, dialect, schema }) => {
      const loaded = await folders.load(`${name}.${dialect.name}`)
      expect(sortedDdl(loaded, dialect)).toEqual(sortedDdl(schema, dialect))
      expect(findingsOf(loaded, dialect)).toEqual(findingsOf(schema, dialect))
    },
  )
})
