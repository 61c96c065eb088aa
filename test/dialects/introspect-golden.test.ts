import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { dialectNamed } from '../../packages/core/src/dialects/registry.js'
import type { Schema } from '../../packages/core/src/model/schema.js'
import type { SqlDialect } from '../../packages/core/src/model/sql-expression.js'
import { goldens } from '../../packages/core/test/dialects/golden/schemas.js'
import { schemaMadeBy } from './introspect-support.js'

const ENDS_STATEMENT = /;\s*$/m

/** The DDL of a schema, without regard to its heat: what is read carries no exceptions. */
function ddlOf(schema: Schema, name: SqlDialect): string[] {
  const dialect = dialectNamed(name)
  return dialect.ddl(
    schema,
    schema.tables.map((table) => dialect.layout(table)),
  )
}

const taken = goldens.filter(({ takenByEmulator }) => takenByEmulator)

describe('what is read of a database', () => {
  it.each(taken.map(({ name, dialect, ddl }) => ({ name, dialect, ddl })))(
    'made by the golden DDL of $name makes the same in $dialect',
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
