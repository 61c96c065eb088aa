import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { goldenSchemas } from '../../packages/core/test/dialects/golden/schemas.js'
import { sharedEmulator } from '../support/spanner.js'

const statement = /;\s*$/m

describe('the golden DDL', () => {
  it.each(goldenSchemas.map(({ name, ddl }) => ({ name, ddl })))(
    'of $name is taken by the engine',
    async ({ ddl }) => {
      const emulator = await sharedEmulator()
      const statements = readFileSync(ddl, 'utf8')
        .split(statement)
        .map((each) => each.trim())
        .filter(Boolean)
      const database = await emulator.database({ ddl: statements })
      const [read] = await database.getSchema()
      const tables = statements.filter((each) => each.startsWith('CREATE TABLE')).length
      expect(read.filter((each) => each.startsWith('CREATE TABLE')).length).toBe(tables)
      expect(read.filter((each) => /^CREATE (UNIQUE |NULL_FILTERED )*INDEX/.test(each)).length).toBe(
        statements.filter((each) => /^CREATE (UNIQUE |NULL_FILTERED )*INDEX/.test(each)).length,
      )
    },
  )
})
