import { sequenceTable } from '@isotherm/core/sequences'
import { beforeAll, describe, expect, it } from 'vitest'
import { layoutOf } from '../../packages/core/test/support/layout.js'
import { dialects, testDatabase, type TestDatabase } from '../support/spanner.js'
import { used } from './support/used.js'

// The statements that are sent to the database.

const TEXTS = {
  googlesql: {
    locked:
      '@{LOCK_SCANNED_RANGES=exclusive} SELECT `name`, `next_value` FROM `sequences` WHERE `name` = @p1',
    numbers: 'SELECT GET_NEXT_SEQUENCE_VALUE(SEQUENCE `MixedIds`) FROM UNNEST(GENERATE_ARRAY(1, @p1))',
  },
  'spanner-postgresql': {
    locked:
      '/*@ LOCK_SCANNED_RANGES=exclusive */ SELECT "name", "next_value" FROM "sequences" WHERE "name" = $1',
    numbers: `SELECT nextval('MixedIds') FROM unnest($1)`,
  },
} as const

describe.each(dialects)('statements for sequences in $name', (dialect) => {
  const layout = layoutOf(dialect, sequenceTable())
  let test: TestDatabase
  beforeAll(async () => {
    test = await testDatabase(used, dialect)
  })

  it('getLocked() reads the row of a sequence under an exclusive lock', async () => {
    const statement = dialect.sql!.statements.getLocked(layout, ['a'])
    expect(statement.text).toBe(TEXTS[dialect.name].locked)
    await test.db.insert('sequences', [{ name: 'a', nextValue: 7n }])
    const { value } = await test.db.driver.atomic.run((context) =>
      context.query(statement, [{ kind: 'string', length: 128 }, { kind: 'int64' }]),
    )
    expect(value).toEqual([['a', 7n]])
  })

  it('sequenceNumbers() returns one row for each number of a database sequence', async () => {
    const statement = dialect.sql!.statements.sequenceNumbers('MixedIds', 1_000)
    expect(statement.text).toBe(TEXTS[dialect.name].numbers)
    const { value } = await test.db.driver.atomic.run((context) =>
      context.query(statement, [{ kind: 'int64' }]),
    )
    expect(new Set(value.map(([number]) => number)).size).toBe(1_000)
  })
})
