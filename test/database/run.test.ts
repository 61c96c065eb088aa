import { spanner } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { dialects, sharedEmulator } from '../support/spanner.js'

describe.each(dialects)('driver.run() in $name', (dialect) => {
  const setUp = async () => spanner(await (await sharedEmulator()).database({ dialect }))
  const statement = (text: string) => ({ text, parameters: [] })

  it('returns columns with the types that the database reports, and cells of these types', async () => {
    const driver = await setUp()
    const text =
      dialect.name === 'googlesql'
        ? "SELECT 1 AS a, 'x' AS b, b'y' AS c, TRUE AS d, 1.5 AS e, NUMERIC '1.25' AS f, DATE '2026-01-02' AS g, TIMESTAMP '1969-12-31T23:59:59.999999999Z' AS h, CAST(NULL AS INT64) AS i"
        : "SELECT 1::bigint AS a, 'x'::text AS b, 'y'::bytea AS c, true AS d, 1.5::float8 AS e, 1.25::numeric AS f, '2026-01-02'::date AS g, '1969-12-31T23:59:59.999999Z'::timestamptz AS h, NULL::bigint AS i"
    const { columns, rows } = await driver.run(statement(text))
    expect(columns.map(({ name }) => name).join('')).toBe('abcdefghi')
    expect(columns.map(({ type }) => type.kind)).toEqual([
      'int64',
      'string',
      'bytes',
      'bool',
      'float64',
      'numeric',
      'date',
      'timestamp',
      'int64',
    ])
    const time =
      dialect.name === 'googlesql' ? '1969-12-31T23:59:59.999999999Z' : '1969-12-31T23:59:59.999999000Z'
    const [cells] = rows
    expect(cells!.with(7, (cells![7] as Date).toISOString())).toEqual([
      1n,
      'x',
      Buffer.from('y'),
      true,
      1.5,
      '1.25',
      '2026-01-02',
      time,
      null,
    ])
  })

  it('returns the columns of a statement that finds no row', async () => {
    const driver = await setUp()
    const { columns, rows } = await driver.run(
      statement('SELECT 1 AS one FROM (SELECT 1 AS x) AS t WHERE x = 2'),
    )
    expect({ columns, rows }).toEqual({ columns: [{ name: 'one', type: { kind: 'int64' } }], rows: [] })
  })

  it('reads and writes in a transaction, and reads in a snapshot', async () => {
    const driver = await setUp()
    await driver.applyDdl([
      dialect.name === 'googlesql'
        ? 'CREATE TABLE T (id INT64 NOT NULL) PRIMARY KEY (id)'
        : 'CREATE TABLE T (id bigint NOT NULL, PRIMARY KEY (id))',
    ])
    const returning = dialect.name === 'googlesql' ? 'THEN RETURN' : 'RETURNING'
    const { value } = await driver.atomic.run((tx) =>
      tx.run(statement(`INSERT INTO T (id) VALUES (7) ${returning} id, id + 1`)),
    )
    expect(value).toMatchObject({ rows: [[7n, 8n]], rowCount: 1 })
    const without = await driver.atomic.run((tx) => tx.run(statement('DELETE FROM T WHERE id = 8')))
    expect(without.value).toStrictEqual({ columns: [], rows: [], rowCount: 0 })
    expect(await driver.run(statement('SELECT id FROM T'))).not.toHaveProperty('rowCount')
    const snapshot = await driver.snapshot()
    expect((await snapshot.run(statement('SELECT id FROM T'))).rows).toEqual([[7n]])
    snapshot.close()
  })
})

describe('driver.run() in GoogleSQL', () => {
  it('returns a STRUCT as an array of its fields, also inside other arrays', async () => {
    const driver = spanner(await (await sharedEmulator()).database())
    const text =
      "SELECT ARRAY(SELECT AS STRUCT x, ARRAY(SELECT AS STRUCT 'a' AS y, CAST(NULL AS INT64) AS z) AS zs FROM UNNEST([1, 2]) AS x ORDER BY x) AS xs, [1, NULL] AS plain"
    const { columns, rows } = await driver.run({ text, parameters: [] })
    expect(rows).toEqual([
      [
        [
          [1n, [['a', null]]],
          [2n, [['a', null]]],
        ],
        [1n, null],
      ],
    ])
    expect(columns[0]).toMatchObject({
      name: 'xs',
      type: { kind: 'array', of: { kind: 'struct', fields: [{ name: 'x' }, { name: 'zs' }] } },
    })
  })
})
