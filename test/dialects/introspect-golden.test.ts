import { readFileSync } from 'node:fs'
import type { Schema, SqlDialect } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { goldens } from '../../packages/spanner/test/golden/schemas.js'
import { schemaMadeBy } from './introspect-support.js'

const ENDS_STATEMENT = /;\s*$/m

/** The DDL of a schema, without lint: an introspected schema has no suppressed findings. */
function ddlOf(schema: Schema, dialect: SqlDialect): string[] {
  return dialect.ddl(
    schema,
    schema.tables.map((table) => dialect.layout(table)),
  )
}

const taken = goldens.filter(({ takenByEmulator }) => takenByEmulator)

describe('introspection', () => {
  it.each(taken.map(({ name, dialect, ddl }) => ({ name, dialect, ddl })))(
    'of the golden DDL of $name gives a schema with the same database in $dialect.name',
    async ({ dialect, ddl }) => {
      const statements = readFileSync(ddl, 'utf8')
        .split(ENDS_STATEMENT)
        .map((each) => each.trim())
        .filter(Boolean)
      const read = await schemaMadeBy(dialect, statements)
      expect(await schemaMadeBy(dialect, ddlOf(read, dialect))).toEqual(read)
    },
  )
})
