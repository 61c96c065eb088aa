import { Database, Spanner } from '@google-cloud/spanner'
import { afterAll, describe, expect, it, vi } from 'vitest'

// Undocumented parts of the client that the driver uses: docs/decisions/0046-reaches-into-clients.md. A
// version of the client that changes one of these parts fails in this test, and not during a read.

// The client requests sessions as soon as there is a database, and does not report when that fails.
for (const asks of ['createSession', 'batchCreateSessions'] as const)
  vi.spyOn(Database.prototype, asks).mockImplementation((() => new Promise<never>(() => {})) as never)

vi.stubEnv('SPANNER_EMULATOR_HOST', 'localhost:1')
vi.stubEnv('METADATA_SERVER_DETECTION', 'none')
const client = new Spanner({ projectId: 'p' })
const database = client.instance('i').database('d')
const session = database.session('s')
const members: Readonly<Record<string, object>> = {
  database,
  'database.sessionFactory_': Reflect.get(database, 'sessionFactory_') as object,
  'the client': (database.parent as { readonly parent?: object }).parent!,
  'its options': Reflect.get(client, 'options') as object,
  'its credentials': Reflect.get(Reflect.get(client, 'options') as object, 'sslCreds') as object,
  'a session': session,
  'a snapshot': session.snapshot({}),
  'a transaction': session.transaction(),
  'partitioned DML': session.partitionedDml(),
}

afterAll(async () => {
  await client.close()
  vi.unstubAllEnvs()
})

describe.each([
  ['database', 'request', 'function'],
  ['database', 'commonHeaders_', 'object'],
  ['database', 'formattedName_', 'string'],
  ['database.sessionFactory_', 'getSession', 'function'],
  ['database.sessionFactory_', 'release', 'function'],
  ['the client', 'getDatabaseAdminClient', 'function'],
  ['its options', 'servicePath', 'string'],
  ['its credentials', '_isSecure', 'function'],
  ['a session', 'formattedName_', 'string'],
  ['a session', 'partitionedDml', 'function'],
  ['a snapshot', 'requestStream', 'function'],
  ['a snapshot', 'begin', 'function'],
  ['a transaction', 'requestStream', 'function'],
  ['a transaction', 'begin', 'function'],
  ['a transaction', 'setQueuedMutations', 'function'],
  ['partitioned DML', 'requestStream', 'function'],
] as const)('internals of the Spanner client: %s', (owner, member, kind) => {
  it(`has the member ${member} of type ${kind}`, () => {
    expect(typeof Reflect.get(members[owner]!, member)).toBe(kind)
  })
})

it('the Spanner client decodes the progress of schema changes', () => {
  const { descriptors } = (
    client as unknown as { getDatabaseAdminClient(): { descriptors: unknown } }
  ).getDatabaseAdminClient()
  expect(descriptors).toMatchObject({
    longrunning: { updateDatabaseDdl: { metadataDecoder: expect.any(Function) as unknown } },
  })
})
