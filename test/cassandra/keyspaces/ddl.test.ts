import { expect, it } from 'vitest'
import { openKeyspaces, type Opened } from './support/open.js'
import { refusals } from './support/refusals.js'
import type { Answer, QueryRequest } from './support/server.js'

// Keyspaces answers DDL at once, and works it off then.

const create = 'CREATE TABLE "post" (\n  "id" bigint,\n  PRIMARY KEY (("id"))\n)'

const names = (column: string, ...values: readonly string[]): Answer => ({
  columns: { [column]: 'varchar' },
  rows: values.map((value) => [value]),
})

/** The status of the table at each request; undefined: the table does not exist. The last status stays. */
function tableIs(open: Opened, ...statuses: (string | undefined)[]): void {
  const next = () => (statuses.length > 1 ? statuses.shift() : statuses[0])
  open.server.answer(/FROM system_schema_mcs\.tables/, () => {
    const status = next()
    return names('status', ...(status === undefined ? [] : [status]))
  })
}

const polls = ({ server }: Opened): number =>
  server.requests.filter(({ text }) => text.includes('system_schema_mcs')).length

const textOf = (value: Buffer | null | undefined): string | undefined => value?.toString('utf8')

it('applyDdl() waits until a new table is ACTIVE', async () => {
  await using open = await openKeyspaces()
  open.server.answer(/^CREATE TABLE/, 'nothing')
  tableIs(open, undefined, 'CREATING', 'CREATING', 'ACTIVE')
  open.server.answer(/FROM system_schema\.tables/, names('table_name', 'post'))
  await open.driver.applyDdl([create])
  expect(polls(open)).toBe(4)
  const [request] = open.server.requests.filter(({ text }) => text.includes('system_schema_mcs'))
  expect(request).toMatchObject({
    text: 'SELECT status FROM system_schema_mcs.tables WHERE keyspace_name = ? AND table_name = ?',
    prepared: true,
  })
  expect(request!.values.map(textOf)).toEqual(['blog', 'post'])
  expect(open.server.requests.find(({ text }) => text === create)).toMatchObject({ prepared: false })
})

it('applyDdl() waits until a changed table is ACTIVE and the catalogue shows the change', async () => {
  await using open = await openKeyspaces()
  open.server.answer(/^ALTER TABLE/, 'nothing')
  tableIs(open, 'ACTIVE', 'UPDATING', 'ACTIVE')
  const columns = [['id'], ['id'], ['id', 'title']]
  open.server.answer(/FROM system_schema\.columns/, () => names('column_name', ...columns.shift()!))
  await open.driver.applyDdl(['ALTER TABLE "post" ADD "title" text'])
  expect(columns).toEqual([])
})

it('applyDdl() waits until a table is ACTIVE after a change of its options', async () => {
  await using open = await openKeyspaces()
  open.server.answer(/^ALTER TABLE/, 'nothing')
  tableIs(open, 'UPDATING', 'UPDATING', 'ACTIVE')
  await open.driver.applyDdl(['ALTER TABLE "post" WITH default_time_to_live = 60'])
  expect(polls(open)).toBe(3)
})

it('applyDdl() waits until a dropped table has disappeared', async () => {
  await using open = await openKeyspaces()
  open.server.answer(/^DROP TABLE/, 'nothing')
  tableIs(open, 'ACTIVE', 'DELETING', 'DELETING', undefined)
  open.server.answer(/FROM system_schema\.tables/, names('table_name'))
  await open.driver.applyDdl(['DROP TABLE "other"."post"'])
  expect(polls(open)).toBe(4)
  const [request] = open.server.requests.filter(({ text }) => text.includes('system_schema_mcs'))
  expect(request!.values.map(textOf)).toEqual(['other', 'post'])
})

it('applyDdl() waits until the catalogue shows a new type', async () => {
  await using open = await openKeyspaces()
  open.server.answer(/^CREATE TYPE/, 'nothing')
  const types = [[], ['Address']]
  open.server.answer(/FROM system_schema\.types/, () => names('type_name', ...types.shift()!))
  await open.driver.applyDdl(['CREATE TYPE "Address" ("street" text)'])
  expect(types).toEqual([])
})

it('applyDdl() throws DATABASE for a new table that becomes inaccessible', async () => {
  await using open = await openKeyspaces()
  open.server.answer(/^CREATE TABLE/, 'nothing')
  tableIs(open, 'CREATING', 'INACCESSIBLE_ENCRYPTION_CREDENTIALS')
  await expect(open.driver.applyDdl([create])).rejects.toMatchObject({
    code: 'DATABASE',
    table: 'post',
    message: expect.stringContaining('INACCESSIBLE_ENCRYPTION_CREDENTIALS'),
  })
})

it('applyDdl() runs no statement after a failed statement, and throws the error of the server', async () => {
  await using open = await openKeyspaces()
  open.server.answer(/^CREATE TABLE/, refusals.alreadyExists)
  await expect(open.driver.applyDdl([create, 'DROP TABLE "post"'])).rejects.toMatchObject({
    code: 'ALREADY_EXISTS',
  })
  expect(open.server.requests.map(({ text }) => text)).toEqual([create])
})

it('applyDdl() throws OUTCOME_UNKNOWN if its timeout passes while a table is being created', async () => {
  await using open = await openKeyspaces()
  open.server.answer(/^CREATE TABLE/, 'nothing')
  tableIs(open, 'CREATING')
  await expect(open.driver.applyDdl([create], { timeoutMs: 300 })).rejects.toMatchObject({
    code: 'OUTCOME_UNKNOWN',
    retryable: false,
  })
})

it('applyDdl() throws OUTCOME_UNKNOWN if the call is cancelled while a table is being created', async () => {
  await using open = await openKeyspaces()
  const stop = new AbortController()
  open.server.answer(/^CREATE TABLE/, 'nothing')
  open.server.answer(/FROM system_schema_mcs/, () => {
    stop.abort()
    return names('status', 'CREATING')
  })
  await expect(open.driver.applyDdl([create], { signal: stop.signal })).rejects.toMatchObject({
    code: 'OUTCOME_UNKNOWN',
  })
})

it('applyDdl() checks the catalogue if an answer is lost, and does not repeat the statement', async () => {
  await using open = await openKeyspaces()
  open.server.answer(/^CREATE TABLE/, refusals.serverError)
  const tables = [[], ['post'], ['post']]
  open.server.answer(/FROM system_schema\.tables/, () => names('table_name', ...tables.shift()!))
  tableIs(open, 'ACTIVE')
  await open.driver.applyDdl([create])
  expect(open.server.requests.filter(({ text }) => text === create)).toHaveLength(1)
})

it('schemaChanges.begin() with again runs only statements whose result the catalogue does not show', async () => {
  await using open = await openKeyspaces()
  const there = new Set(['post'])
  open.server.answer(/^CREATE TABLE/, ({ text }: QueryRequest) => {
    there.add(/"(\w+)"/.exec(text)![1]!)
    return 'nothing'
  })
  open.server.answer(/FROM system_schema\.tables/, () => names('table_name', ...there))
  tableIs(open, 'ACTIVE')
  const second = create.replace('post', 'comment')
  const { schemaChanges } = open.driver
  await schemaChanges!.begin([create, second], 'm1', { again: true })
  await expect
    .poll(() => schemaChanges!.state('m1'), { timeout: 60_000, interval: 20 })
    .toEqual({
      statements: [create, second],
      done: true,
      applied: 2,
      progress: [100, 100],
    })
  expect(
    open.server.requests.filter(({ text }) => text.startsWith('CREATE')).map(({ text }) => text),
  ).toEqual([second])
  expect(await schemaChanges!.state('m2')).toBeUndefined()
})

it('schemaChanges.begin() with again waits for a first attempt that is still running', async () => {
  await using open = await openKeyspaces()
  const add = 'ALTER TABLE "post" ADD "title" text'
  open.server.answer(/^ALTER TABLE/, refusals.alreadyExists)
  tableIs(open, 'UPDATING', 'UPDATING', 'ACTIVE')
  const columns = [['id'], ['id', 'title'], ['id', 'title']]
  open.server.answer(/FROM system_schema\.columns/, () => names('column_name', ...columns.shift()!))
  const { schemaChanges } = open.driver
  await schemaChanges!.begin([add], 'm1', { again: true })
  await expect
    .poll(() => schemaChanges!.state('m1'), { timeout: 60_000, interval: 20 })
    .toEqual({ statements: [add], done: true, applied: 1, progress: [100] })
  expect(columns).toEqual([])
})

it('schemaChanges.begin() with again reports a statement that the service rejects', async () => {
  await using open = await openKeyspaces()
  const add = 'ALTER TABLE "post" ADD "title" text'
  open.server.answer(/^ALTER TABLE/, refusals.alreadyExists)
  tableIs(open, 'ACTIVE')
  open.server.answer(/FROM system_schema\.columns/, names('column_name', 'id'))
  const { schemaChanges } = open.driver
  await schemaChanges!.begin([add], 'm1', { again: true })
  await expect
    .poll(() => schemaChanges!.state('m1'), { timeout: 60_000, interval: 20 })
    .toMatchObject({ done: true, applied: 0, error: expect.objectContaining({ code: 'ALREADY_EXISTS' }) })
})
