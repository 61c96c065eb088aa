import { defineSchema, defineTable, IsothermError, openDatabase, type SqlDialect } from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { statementDriver } from '../support/statements.js'

const Item = defineTable('Item', (t) => ({
  id: t.uuidV4({ storage: 'int64-pair' }),
  name: t.string(),
  total: t.int64(),
  active: t.bool(),
  raw: t.bytes(),
  info: t.json(),
}))
const schema = defineSchema([Item])

async function errorOf(ask: () => unknown): Promise<IsothermError> {
  try {
    await ask()
  } catch (error) {
    if (error instanceof IsothermError) return error
    throw error
  }
  throw new Error('It is not refused.')
}

describe.each([googlesql, spannerPostgresql])('invalid aggregates in $name', (dialect) => {
  const driver = statementDriver(dialect)
  // By name, so that the compiler has nothing to say.
  const items = openDatabase({ driver, schema }).fanOut('Item')
  const groups = items.groupBy('name').select({ rows: { count: true }, sum: { sum: 'total' } })

  const refusals: readonly (readonly [ask: () => unknown, said: string])[] = [
    [() => items.sum('x"; --'), 'Item has no property "x\\"; --" to sum. Choose from id, name,'],
    [() => items.min('nothing'), 'Item has no property "nothing" to take the minimum of.'],
    [() => items.sum(undefined as never), 'Item has no property undefined to sum. Choose from id, name,'],
    [() => items.avg(undefined as never), 'Item has no property undefined to average.'],
    [() => items.min(undefined as never), 'Item has no property undefined to take the minimum of.'],
    [() => items.max(undefined as never), 'Item has no property undefined to take the maximum of.'],
    [() => items.countDistinct(undefined as never), 'Item has no property undefined to count.'],
    [() => items.sum('name'), 'Item cannot sum name, of type string. Choose from total.'],
    [() => items.avg('info'), 'Item cannot average info, of type json. Choose from total.'],
    [() => items.max('info'), 'Item cannot take the maximum of info, of type json. Choose from name, total'],
    [
      () => items.max('id'),
      "Or take the first row: where({ id: { ne: null } }).orderBy('id', 'desc').limit(1).",
    ],
    [
      () => items.min('id'),
      'Item cannot take the minimum of id, which lies in 2 columns. Choose from name, total',
    ],
    [() => items.countDistinct('info'), 'Item cannot count info, of type json.'],
    [() => items.groupBy('name', 'info'), 'Item cannot be grouped by info, of type json.'],
    [() => items.groupBy('__proto__'), 'Item has no property "__proto__" to group by.'],
    [() => items.groupBy('name', 'name'), 'Item is grouped by name, name. Name each property once.'],
    [() => items.groupBy(...([] as unknown as ['name'])), 'Item has a groupBy() without properties.'],
    [
      () => items.groupBy('name').select({ name: { count: true } }),
      'Item cannot have a measure named name. A property that it is grouped by has that name',
    ],
    [() => items.groupBy('name').select({ OR: { count: true } }), 'Item cannot have a measure named OR.'],
    [
      () => items.groupBy('name').select({ rows: { median: 'total' } as never }),
      'Item has no valid measure for rows.',
    ],
    [
      () => items.groupBy('name').select({ rows: { count: 'total' } as never }),
      'Item has no valid measure for rows.',
    ],
    [
      () => items.groupBy('name').select({ rows: { count: true, sum: 'total' } }),
      'Item has no valid measure for rows.',
    ],
    [() => items.groupBy('name').select({ rows: null as never }), 'Item has no valid measure for rows.'],
    [
      () => items.groupBy('name').select({ rows: { sum: 7 } as never }),
      'Item has no valid measure for rows.',
    ],
    [
      () => items.groupBy('name').select({ rows: { toString: 'total' } as never }),
      'Item has no valid measure for rows.',
    ],
    [
      () => groups.having({ total: 1n } as never),
      'Item has no property "total" to filter by. Choose from rows, sum.',
    ],
    [
      () =>
        items
          .groupBy('name')
          .select({})
          .having({ rows: 1 } as never),
      'Item has groups without measures, so that having has nothing to compare. Name a measure:',
    ],
    [() => groups.having({ rows: { '>': 1 } } as never), 'Item has no operator ">" for rows.'],
    [
      () => groups.orderBy('total' as never),
      'Item has no property "total" to order by. Choose from name, rows, sum.',
    ],
    [() => groups.orderBy('rows', 'down' as never), 'Item cannot be ordered by rows "down".'],
    [() => groups.orderBy('rows').orderBy('rows'), 'Item is ordered by rows twice.'],
    [() => groups.limit(0), 'Item has the limit 0.'],
  ]
  it.each(refusals)('rejects the call %s with INVALID_QUERY', async (ask, said) => {
    const error = await errorOf(ask)
    expect(error.code).toBe('INVALID_QUERY')
    expect(error.message).toContain(said)
    expect(driver.calls).toEqual([])
  })

  it.each([
    [
      () => groups.having({ rows: { gt: 'many' as never } }),
      'Item.rows takes a whole number of up to 53 bits',
    ],
    [
      () => groups.having({ sum: { gt: 0.5 as never } }),
      'Item.sum is an integer, and its sum is compared with a bigint',
    ],
    [() => groups.having({ sum: { gt: 10n ** 29n } }), 'Item.sum is an integer'],
  ])('rejects the value in the call %s with INVALID_VALUE', async (ask, message) => {
    const error = await errorOf(ask)
    expect(error.code).toBe('INVALID_VALUE')
    expect(error.message).toContain(message)
  })
})

it('min() of a bool and max() of bytes are rejected in PostgreSQL and accepted in GoogleSQL', async () => {
  const refused = async (dialect: SqlDialect): Promise<unknown[]> => {
    const items = openDatabase({ driver: statementDriver(dialect), schema }).fanOut(Item)
    return Promise.all(
      [() => items.min('active'), () => items.max('raw')].map((ask) =>
        ask().catch((error: IsothermError) => error.message.split('.')[0]),
      ),
    )
  }
  expect(await refused(googlesql)).toEqual([null, null])
  expect(await refused(spannerPostgresql)).toEqual([
    'Item cannot take the minimum of active, of type bool',
    'Item cannot take the maximum of raw, of type bytes',
  ])
})
