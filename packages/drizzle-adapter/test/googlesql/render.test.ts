import { drizzle, int64, QueryBuilder, spannerTable, SpannerDialect, string } from '@isotherm/drizzle-adapter'
import { and, eq, gt, inArray, notInArray, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'

const dialect = new SpannerDialect()
const odd = spannerTable('Od`d', { id: int64('a\\b').primaryKey(), order: string('Order') })
const db = drizzle.mock()

const textOf = (query: ReturnType<typeof sql>) => dialect.toQuery(query)

describe('SQL text of the GoogleSQL dialect', () => {
  test('quotes and escapes the names of tables and columns', () => {
    expect(db.select().from(odd).toSQL().sql).toBe('select `Od\\`d`.`a\\\\b`, `Od\\`d`.`Order` from `Od\\`d`')
  })

  test('gives parameters and placeholders the type of the column in their comparison', () => {
    const query = textOf(
      and(
        eq(odd.id, 1n),
        eq(odd.order, sql.placeholder('o')),
        gt(odd.id, sql`${2}`),
        eq(odd.order, null as never),
      )!,
    )
    expect(query.params.map((param, at) => [typeof param, query.types[at]?.kind])).toEqual([
      ['string', 'int64'],
      ['object', 'string'],
      ['number', undefined],
      ['object', 'string'],
    ])
  })

  test('writes a list as UNNEST of one parameter, and an empty list as false', () => {
    expect(textOf(inArray(odd.id, [1n, 2n])).sql).toBe('`Od\\`d`.`a\\\\b` in unnest(@p1)')
    expect(textOf(inArray(odd.id, [])).sql).toBe('false')
  })

  test('writes IN (…) for lists of arrays, lists with placeholders and inlined lists', () => {
    const kinds = spannerTable('kinds', { tags: string().array(), id: int64() })
    const { tags, id } = kinds
    const list = (query: ReturnType<typeof sql>) => textOf(query).sql.replace(/^.*?` /, '')
    expect(list(inArray(tags, [['a'], ['b']]))).toBe('in (@p1, @p2)')
    expect(list(inArray(id, [1n, sql.placeholder('x')]))).toBe('in (@p1, @p2)')
    expect(list(sql`${id} in ${[1, 2]}`)).toBe('in (@p1, @p2)')
    expect(list(inArray(id, [1n, 2n]).inlineParams())).toBe('in (1, 2)')
    expect(list(notInArray(id, [1n, null as never]))).toBe('not in unnest(@p1)')
    expect(() => textOf(inArray(tags, sql.placeholder('lists')))).toThrow(
      'tags, of type array, cannot be compared with an array, which the placeholder "lists" stands for.',
    )
  })

  test('writes inlined values as literals without parameters', () => {
    const inline = sql`${odd.id} = ${sql.param(5n, odd.id)} and ${"it's"} <> ${'x'} and ${true} and ${null}`
    expect(textOf(inline.inlineParams())).toEqual({
      sql: "`Od\\`d`.`a\\\\b` = 5 and 'it\\'s' <> 'x' and TRUE and null",
      params: [],
      sources: [],
      types: [],
    })
    expect(textOf(sql`${sql`${1}`.inlineParams()} + ${2}`)).toMatchObject({ sql: '1 + @p1', params: [2] })
  })

  test('omits undefined values, sql.empty() and SQL with if(false)', () => {
    expect(textOf(sql`a${undefined}b${sql.empty()}${sql`c`.if(false)}`).sql).toBe('ab')
  })

  test('writes identifiers, tables and queries that are interpolated into a template', () => {
    const query = new QueryBuilder().select({ id: odd.id }).from(odd)
    expect(textOf(sql`${sql.identifier('x y')} ${odd} ${query}`).sql).toBe(
      '`x y` `Od\\`d` (select `Od\\`d`.`a\\\\b` from `Od\\`d`)',
    )
  })
})

test('a statement of drizzle.mock() returns its SQL, and fails when it is executed', async () => {
  const query = db.insert(odd).values({ id: 1n })
  expect(query.toSQL()).toEqual({ sql: 'insert into `Od\\`d` (`a\\\\b`) values (@p1)', params: ['1'] })
  await expect(query.execute()).rejects.toThrow('Failed query: insert into')
})
