import type { TransactionalDriver } from '@isotherm/core'
import { describe, expect, it, vi } from 'vitest'
import { dialects } from '../support/spanner.js'
import { emptyDatabase, tableOf } from './support/migrations.js'

async function insert(driver: TransactionalDriver, values: string): Promise<void> {
  const text = `INSERT INTO a (id, v) VALUES ${values}`
  await driver.atomic.run((context) => context.execute([{ text, parameters: [] }]))
}

describe.each(dialects)('schema changes of the driver in $name', (dialect) => {
  const [a, b] = [tableOf('a', dialect), tableOf('b', dialect)]

  it('run once under their operation id, and return their state by this id', async () => {
    const { driver } = await emptyDatabase(dialect)
    const changes = driver.schemaChanges!
    expect(await changes.state('first')).toBeUndefined()
    await changes.begin([a, b], 'first')
    const state = { statements: [a, b], done: true, applied: 2, progress: [100, 100] }
    expect(await changes.state('first')).toEqual(state)
    // The operation that was begun under the id continues.
    await changes.begin([tableOf('c', dialect)], 'first')
    expect(await changes.state('first')).toEqual(state)
    expect((await driver.readDdl()).join('\n')).not.toMatch(/\bc\b/)
  })

  it('apply no statement when the database rejects one statement at once', async () => {
    const { driver } = await emptyDatabase(dialect)
    await expect(driver.schemaChanges!.begin([a, 'CREATE NONSENSE'], 'first')).rejects.toMatchObject({
      code: 'DATABASE',
    })
    expect(await driver.schemaChanges!.state('first')).toBeUndefined()
    expect(await driver.readDdl()).toEqual([])
  })

  it('keep the statements before the first statement that the rows violate', async () => {
    const { driver } = await emptyDatabase(dialect)
    const changes = driver.schemaChanges!
    await changes.begin([a], 'first')
    await insert(driver, '(1, 5), (2, 5)')
    const statements = ['CREATE INDEX some_v ON a (v)', 'CREATE UNIQUE INDEX one_v ON a (v)', b]
    await changes.begin(statements, 'second')
    expect(await changes.state('second')).toMatchObject({
      statements,
      done: true,
      applied: 1,
      progress: [100, 0, 0],
      error: { code: 'CONSTRAINT', message: expect.stringMatching(/uniqueness violation/i) },
    })
  })

  it('end with CANCELLED by a signal and with TIMEOUT by a timeout', async () => {
    const { driver } = await emptyDatabase(dialect)
    const changes = driver.schemaChanges!
    const cancelled = { signal: AbortSignal.abort() }
    await expect(changes.begin([a], 'first', cancelled)).rejects.toMatchObject({ code: 'CANCELLED' })
    await expect(changes.state('first', { timeoutMs: 0 })).rejects.toMatchObject({ code: 'TIMEOUT' })
    await expect(
      driver.executePartitioned!({ text: 'DELETE FROM a WHERE id = 1', parameters: [] }, cancelled),
    ).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(await driver.readDdl()).toEqual([])
  })

  it('executePartitioned() returns the number of changed rows, and leaves no session behind', async () => {
    const { driver, client } = await emptyDatabase(dialect)
    await driver.schemaChanges!.begin([a], 'first')
    await insert(driver, '(1, 5), (2, 5), (3, 5)')
    const run = (text: string) => driver.executePartitioned!({ text, parameters: [] }, { priority: 'low' })
    const rows = async () =>
      (await driver.run({ text: 'SELECT id, v FROM a ORDER BY id', parameters: [] })).rows
    expect(await rows()).toEqual([1n, 2n, 3n].map((id) => [id, 5n]))
    const before = (await client.getSessions())[0].length
    const created = vi.spyOn(client, 'createSession')
    expect(await run('UPDATE a SET v = 6 WHERE id > 1')).toBe(2)
    expect(await run('DELETE FROM a WHERE id = 3')).toBe(1)
    expect(await run('UPDATE a SET v = 7 WHERE id > 100')).toBe(0)
    await expect(run('UPDATE a SET nope = 6 WHERE id > 1')).rejects.toMatchObject({
      code: 'DATABASE',
      message: expect.stringContaining('nope'),
    })
    // Each statement has used its own session, unless it ran in a transaction, and no session is left.
    expect(created).toHaveBeenCalledTimes(driver.lacks.includes('partitioned-dml') ? 0 : 4)
    expect((await client.getSessions())[0]).toHaveLength(before)
    expect(await rows()).toEqual([
      [1n, 5n],
      [2n, 6n],
    ])
  })
})
