import { defineSchema, defineTable } from '@isotherm/core'
import { cassandra } from '@isotherm/cassandra'
import { errors, type Client } from 'cassandra-driver'
import { describe, expect, it } from 'vitest'
import type { Cells, Mutation, Wire } from '@isotherm/core/engine'
import { dialects, testKeyspace } from '../support/keyspace.js'

const schema = defineSchema([
  defineTable('item', (t) => ({
    list: t.string().key(),
    place: t.int32().key(),
    text: t.string({ nullable: true }),
  })),
])

/** A client that does not hear the first answer to a write, or does not even send the write. */
function losing(client: Client, { sends }: { readonly sends: boolean }, meanwhile: () => Promise<unknown>) {
  let isFirst = true
  const send = async (method: 'execute' | 'batch', call: unknown[]): Promise<unknown> => {
    const once = isFirst
    isFirst = false
    const result = once && !sends ? undefined : await Reflect.apply(client[method], client, call)
    if (!once) return result
    await meanwhile()
    throw new errors.OperationTimedOutError('The answer is lost.', '127.0.0.1:9042')
  }
  return new Proxy(client, {
    get(target, name): unknown {
      if (name === 'execute' || name === 'batch') return (...call: unknown[]) => send(name, call)
      return Reflect.get(target, name, target)
    },
  })
}

describe.each(dialects)('a repeated write in $name', async (dialect) => {
  const { driver, client, layout } = await testKeyspace(schema, dialect)
  const item = layout('item')
  const upsert = (list: string, text: string, places: readonly number[]): Mutation => ({
    op: 'upsert',
    table: 'item',
    layout: item,
    columns: ['list', 'place', 'text'],
    rows: places.map((place): Wire[] => [list, place, text]),
  })
  const remove = (list: string, places: readonly number[]): Mutation => ({
    op: 'delete',
    table: 'item',
    layout: item,
    keys: places.map((place): Wire[] => [list, place]),
  })
  const texts = (list: string): Promise<Cells[]> =>
    driver.read({
      layout: item,
      columns: item.columns.slice(2),
      ranges: [{ start: [list], startOpen: false, end: [list], endOpen: false }],
    })

  it.each([[[1]], [[1, 2]]])('keeps newer values of another client in the rows %j', async (places) => {
    const list = `since ${places.length}`
    const lost = losing(client, { sends: true }, () => driver.writes.commit([upsert(list, 'theirs', places)]))
    await cassandra(lost, { dialect }).writes.commit([upsert(list, 'ours', places)])
    expect(await texts(list)).toEqual(places.map(() => ['theirs']))
  })

  it('does not delete a row that another client has inserted in the meantime', async () => {
    await driver.writes.commit([upsert('deleted', 'old', [1])])
    const lost = losing(client, { sends: true }, () => driver.writes.commit([upsert('deleted', 'new', [1])]))
    await cassandra(lost, { dialect }).writes.commit([remove('deleted', [1])])
    expect(await texts('deleted')).toEqual([['new']])
  })

  it('is applied if the first attempt was not sent', async () => {
    await driver.writes.commit([upsert('made', 'old', [1, 2])])
    const lost = losing(client, { sends: false }, async () => {})
    await cassandra(lost, { dialect }).writes.commit([upsert('made', 'new', [1, 2])])
    expect(await texts('made')).toEqual([['new'], ['new']])
  })

  it('an insert whose answer is lost is not repeated and throws OUTCOME_UNKNOWN', async () => {
    const insert: Mutation = { ...upsert('inserted', 'ours', [1]), op: 'insert' } as Mutation
    const lost = losing(client, { sends: true }, async () => {})
    await expect(cassandra(lost, { dialect }).writes.commit([insert])).rejects.toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      retryable: false,
    })
    expect(await texts('inserted')).toEqual([['ours']])
  })
})
