import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { goldens } from '../../packages/spanner/test/golden/schemas.js'
import { sharedEmulator } from '../support/spanner.js'

const ENDS_STATEMENT = /;\s*$/m

/**
 * How many tables, indexes and so on these statements make. Named schemas are not counted, since the emulator does not give
 * back those of GoogleSQL. A foreign key that is added later is a part of its table when it is read.
 */
function counts(statements: readonly string[]): Record<string, number> {
  const count: Record<string, number> = {}
  for (const statement of statements) {
    const kind = /^CREATE (?:UNIQUE |NULL_FILTERED )*(\w+)/.exec(statement)?.[1]
    if (kind !== undefined && kind !== 'SCHEMA') count[kind] = (count[kind] ?? 0) + 1
    const keys = statement.split('FOREIGN KEY').length - 1
    if (keys > 0) count['FOREIGN KEY'] = (count['FOREIGN KEY'] ?? 0) + keys
  }
  return count
}

const taken = goldens.filter(({ takenByEmulator }) => takenByEmulator)

describe('the golden DDL', () => {
  it.each(taken.map(({ name, dialect, ddl }) => ({ name, dialect, ddl })))(
    'of $name creates every table, index and foreign key in $dialect.name',
    async ({ dialect, ddl }) => {
      const emulator = await sharedEmulator()
      const statements = readFileSync(ddl, 'utf8')
        .split(ENDS_STATEMENT)
        .map((each) => each.trim())
        .filter(Boolean)
      const database = await emulator.database({ dialect, ddl: statements })
      const [read] = await database.getSchema()
      expect(counts(read)).toStrictEqual(counts(statements))
    },
  )
})
