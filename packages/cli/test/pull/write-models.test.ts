import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { goldens } from '../../../core/test/dialects/golden/schemas.js'
import { writeModels } from '../../src/pull/write-models.js'
import { findingsOf, ModelFolders, sortedDdl } from './models.js'

describe.each(['decorators', 'tables'] as const)('the golden schemas as %s', (style) => {
  let folders: ModelFolders

  beforeAll(async () => {
    folders = await ModelFolders.make()
    for (const { name, dialect, schema } of goldens) {
      await folders.write(`${name}.${dialect}`, writeModels(schema, { dialect, style }))
    }
  })

  afterAll(() => folders.remove())

  it('compile', { timeout: 60_000 }, async () => {
    expect(await folders.compile('standard')).toBe('')
  })

  it('are written as a formatter leaves them', async () => {
    expect(await folders.unformatted()).toEqual([])
  })

  it.each(goldens.map(({ name, dialect, schema }) => ({ name, dialect, schema })))(
    'have the same DDL and lint findings again, $name in $dialect',
    async ({ name, dialect, schema }) => {
      const loaded = await folders.load(`${name}.${dialect}`)
      expect(sortedDdl(loaded, dialect)).toEqual(sortedDdl(schema, dialect))
      expect(findingsOf(loaded, dialect)).toEqual(findingsOf(schema, dialect))
    },
  )
})
