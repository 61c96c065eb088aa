import { splitStatements } from '@isotherm/core'
import { pglite, postgresql } from '@isotherm/postgresql'
import { beforeEach, describe, expect, it } from 'vitest'
import { emptyPglite } from '../support/pglite.js'

const client = await emptyPglite()
const driver = pglite(client)

beforeEach(emptyPglite)

async function tablesOf(): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND length(tablename) = 1 ORDER BY 1`,
  )
  return rows.map(({ name }) => name)
}

describe.each([
  ['applyDdl()', (statements: string[]) => driver.applyDdl(statements)],
  ['schemaChanges.begin()', (statements: string[]) => driver.schemaChanges!.begin(statements, 'some change')],
])('%s', (_, change) => {
  it.each([
    ['COMMIT between other statements', 'CREATE TABLE b (x int); COMMIT; CREATE TABLE c (x int)', 'COMMIT'],
    ['ROLLBACK at the end of a text', "CREATE TABLE b (x int) /* ; */; -- '\nrollback", 'ROLLBACK'],
    ['SET after a text in dollar signs', 'DO $$ BEGIN END; $$; SET search_path = pg_temp', 'SET'],
  ])('rejects %s before anything runs', async (__, text, word) => {
    await expect(change(['CREATE TABLE a (x int)', text, 'SELECT 1/0'])).rejects.toMatchObject({
      code: 'UNSUPPORTED_STATEMENT',
      message: expect.stringContaining(`${word} is not possible`) as string,
      statement: 1,
    })
    expect(await tablesOf()).toEqual([])
  })

  it('takes several statements in one text, words of a transaction in texts, and the body of a function', async () => {
    await change([
      "CREATE TABLE a (x text DEFAULT '; COMMIT'); SET LOCAL search_path = public; ; CREATE TABLE b (x int)",
      'DO $$ BEGIN PERFORM 1; END; $$',
      'CREATE FUNCTION two() RETURNS int BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true THEN 2 END; END; CREATE TABLE c ()',
      '',
    ])
    expect(await tablesOf()).toEqual(['a', 'b', 'c'])
  })
})

it('splitStatements() returns statements that run one by one, functions as a whole', async () => {
  const script = `
    CREATE FUNCTION size_of(x int) RETURNS text BEGIN ATOMIC
      SELECT 1 AS end;
      SELECT CASE WHEN x > 1 THEN CASE x WHEN 2 THEN 'two' ELSE 'many' END ELSE 'one' END;
    END;
    CREATE TABLE a (x int, size text DEFAULT size_of(2));
    INSERT INTO a VALUES (1)`
  await driver.applyDdl(splitStatements(script, postgresql))
  expect((await client.query('SELECT * FROM a')).rows).toEqual([{ x: 1, size: 'two' }])
})
