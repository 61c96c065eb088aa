import { defineSchema, defineTable, openDatabase, type Capability, type SqlDialect } from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { statementDriver } from '../support/statements.js'

// The statements that are sent to the database. Tests on an engine check that its answers are right.

const Request = defineTable('Request', (t) => ({
  shard: t.shardKey({ shards: 4, of: ['user'] }),
  user: t.int64().key(),
  at: t.timestamp(),
  bytes: t.int64({ name: 'size_in_bytes' }),
  tries: t.int64({ as: 'number' }),
  seconds: t.float64({ nullable: true }),
  load: t.float32(),
  price: t.numeric({ nullable: true }),
  session: t.uuid({ storage: 'int64-pair', nullable: true }),
}))
const schema = defineSchema([Request])

function opened(dialect: SqlDialect, lacks: readonly Capability[] = []) {
  const driver = statementDriver(dialect, () => Promise.resolve([]), lacks)
  const requests = openDatabase({ driver, schema }).fanOut(Request)
  return {
    requests,
    take: () => driver.calls.splice(0).map(({ statement }) => statement),
  }
}

const dialects = [googlesql, spannerPostgresql]
const texts: Record<SqlDialect['name'], Record<string, string>> = {
  googlesql: {
    count: 'COUNT(*)',
    bytes: 'SUM(CAST(`size_in_bytes` AS NUMERIC))',
    tries: 'CAST(SUM(CAST(`tries` AS NUMERIC)) AS FLOAT64) / COUNT(`tries`)',
    seconds: 'AVG(`seconds`)',
    load: 'SUM(CAST(`load` AS FLOAT64))',
    price: 'SUM(`price`)',
    at: 'MAX(`at`)',
    sessions: "COUNT(DISTINCT CAST(`session_high` AS STRING) || '/' || CAST(`session_low` AS STRING))",
  },
  'spanner-postgresql': {
    count: 'COUNT(*)',
    bytes: 'SUM(CAST("size_in_bytes" AS numeric))',
    tries: 'CAST(SUM(CAST("tries" AS numeric)) AS double precision) / COUNT("tries")',
    seconds: 'AVG("seconds")',
    load: 'SUM(CAST("load" AS double precision))',
    price: 'SUM("price")',
    at: 'MAX("at")',
    sessions: `COUNT(DISTINCT CAST("session_high" AS text) || '/' || CAST("session_low" AS text))`,
  },
}

describe.each(dialects)('aggregate statements in $name', (dialect) => {
  const quote = dialect.name === 'googlesql' ? '`' : '"'
  const quoted = (name: string): string => quote + name + quote
  const parameter = (number: number): string => (dialect.name === 'googlesql' ? `@p${number}` : `$${number}`)
  const { requests, take } = opened(dialect)

  it.each([
    ['count', () => requests.count()],
    ['bytes', () => requests.sum('bytes')],
    ['tries', () => requests.avg('tries')],
    ['seconds', () => requests.avg('seconds')],
    ['load', () => requests.sum('load')],
    ['price', () => requests.sum('price')],
    ['at', () => requests.max('at')],
    ['sessions', () => requests.countDistinct('session')],
  ])('reads one aggregate value with one statement: %s', async (name, ask) => {
    await ask()
    const [statement, ...more] = take()
    expect(more).toEqual([])
    expect(statement).toEqual({
      text: `SELECT ${texts[dialect.name][name]} AS ${quoted('_0')} FROM ${quoted('Request')}`,
      parameters: [],
    })
  })

  it('read only the shards that can match, and are not sent if no row can match', async () => {
    await requests.where({ user: 7n }).sum('bytes')
    const [statement] = take()
    expect(statement!.text).toContain(`WHERE ${quoted('shard')} = ${parameter(1)} AND `)
    await requests.where({ user: { in: [] } }).sum('bytes')
    expect(take()).toEqual([])
  })

  it('groupBy() computes, filters, orders and limits groups in one statement', async () => {
    await requests
      .where({ seconds: { gt: 1 } })
      .groupBy('user', 'session')
      .select({ rows: { count: true }, 'a"`b': { sum: 'bytes' } })
      .having({ rows: { gte: 10, ne: 12 } })
      .having({ 'a"`b': { lt: 2n ** 70n } })
      .orderBy('a"`b', 'desc')
      .limit(5)
      .all()
    const [statement] = take()
    const names = ['_0', '_1', '_2', '_3', '_4'].map(quoted)
    const columns = ['user', 'session_high', 'session_low'].map(quoted)
    const expressions = [...columns, 'COUNT(*)', texts[dialect.name]['bytes']]
    const seconds = `${quoted('seconds')} > ${parameter(1)}`
    const filter =
      dialect.name === 'googlesql' ? seconds : `CASE WHEN "seconds" IS NULL THEN NULL ELSE ${seconds} END`
    expect(statement!.text).toBe(
      `SELECT ${names.join(', ')} FROM (` +
        `SELECT ${expressions.map((each, at) => `${each} AS ${names[at]}`).join(', ')}` +
        ` FROM ${quoted('Request')} WHERE ${filter} GROUP BY ${columns.join(', ')}) AS _groups` +
        ` WHERE (${names[3]} >= ${parameter(2)} AND ${names[3]} != ${parameter(3)}` +
        ` AND ${names[4]} < ${parameter(4)})` +
        ` ORDER BY ${names[4]} DESC, ${names[0]}, ${names[1]}, ${names[2]} LIMIT ${parameter(5)}`,
    )
    expect(statement!.parameters.map(({ type, value }) => [type.kind, value])).toEqual([
      ['float64', 1],
      ['int64', '10'],
      ['int64', '12'],
      ['numeric', String(2n ** 70n)],
      ['int64', '5'],
    ])
  })

  it('groupBy() sends having, order and limit to an engine that can order and compare all values', async () => {
    await requests
      .groupBy('price')
      .select({ last: { max: 'at' }, prices: { countDistinct: 'price' } })
      .having({ last: { lt: new Date(0) } })
      .orderBy('last')
      .limit(2)
      .all()
    const { text } = take()[0]!
    expect(text).toContain(`GROUP BY ${quoted('price')})`)
    expect(text).toContain(`COUNT(DISTINCT ${quoted('price')})`)
    expect(text).toContain(
      `WHERE ${quoted('_1')} < ${parameter(1)} ORDER BY ${quoted('_1')}, ${quoted('_0')} LIMIT`,
    )
  })

  it('groupBy() sends no having and no limit to an engine without numeric-order and nanosecond-extremes', async () => {
    const lacking = opened(dialect, ['numeric-order', 'nanosecond-extremes'])
    await lacking.requests
      .groupBy('price')
      .select({ last: { max: 'at' }, prices: { countDistinct: 'price' } })
      .having({ last: { lt: new Date(0) } })
      .limit(2)
      .all()
    const { text } = lacking.take()[0]!
    const price =
      dialect.name === 'googlesql'
        ? 'CAST(`price` AS STRING)'
        : `CASE WHEN strpos(CAST("price" AS text), '.') > 0` +
          ` THEN rtrim(rtrim(CAST("price" AS text), '0'), '.') ELSE CAST("price" AS text) END`
    expect(text).toBe(
      `SELECT ${price} AS ${quoted('_0')}, ARRAY_AGG(${quoted('at')}) AS ${quoted('_1')},` +
        ` COUNT(DISTINCT ${price}) AS ${quoted('_2')} FROM ${quoted('Request')} GROUP BY ${price}`,
    )
  })
})
