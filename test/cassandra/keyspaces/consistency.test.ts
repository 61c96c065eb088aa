import { types } from 'cassandra-driver'
import { expect, it } from 'vitest'
import { openKeyspaces } from './support/open.js'
import { insert, readAll, rows, upsert } from './support/post.js'

it('the driver reads and writes at LOCAL_QUORUM by default', async () => {
  await using open = await openKeyspaces()
  open.server.answer(/"post"/, rows(1))
  open.server.answer(/INSERT/, { columns: { '[applied]': 'boolean' }, rows: [[true]] })
  await open.driver.read(readAll)
  await open.driver.writes.commit([upsert])
  await open.driver.writes.commit([insert])
  await open.driver.run({ text: 'SELECT * FROM "post"', parameters: [] })
  const { localQuorum } = types.consistencies
  expect(open.server.requests.map(({ consistency }) => consistency)).toEqual(Array(4).fill(localQuorum))
})

it('the driver uses the consistency of a call, and rejects a consistency that Keyspaces does not support', async () => {
  await using open = await openKeyspaces({ driver: { consistency: { read: 'local-one' } } })
  open.server.answer(/"post"/, rows(1))
  await open.driver.read(readAll)
  await open.driver.read(readAll, { consistency: 'one' })
  expect(open.server.requests.map(({ consistency }) => consistency)).toEqual([
    types.consistencies.localOne,
    types.consistencies.one,
  ])
  await expect(open.driver.read(readAll, { consistency: 'quorum' })).rejects.toMatchObject({
    code: 'INVALID_VALUE',
    fix: expect.stringContaining("'one', 'local-one', 'local-quorum'"),
  })
  await expect(open.driver.writes.commit([upsert], { consistency: 'all' })).rejects.toMatchObject({
    code: 'INVALID_VALUE',
  })
})

it('cassandra() rejects a default consistency of writes that Keyspaces does not support', async () => {
  await expect(openKeyspaces({ driver: { consistency: { write: 'quorum' } } })).rejects.toMatchObject({
    code: 'INVALID_VALUE',
    message: expect.stringContaining('Keyspaces writes at LOCAL_QUORUM only, not at "quorum"'),
  })
})
