import {
  int64,
  primaryKey,
  spannerSchema,
  spannerTable,
  string,
  timestamp,
  SpannerDialect,
} from '@isotherm/drizzle-adapter'
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { TableMutations } from '../../src/keys/mutations.js'
import { Session } from '../../src/session/session.js'
import { refusal } from '../../../core/test/support/refusal.js'
import { scriptedDriver } from './support/scripted-driver.js'

let made = 0
const columns = {
  tenantId: int64({ mode: 'number' }).notNull(),
  id: int64().notNull(),
  name: string().$defaultFn(() => `made ${++made}`),
  changed: string().$onUpdate(() => 'just now'),
  upper: string().generatedAlwaysAs(sql`upper(name)`),
}
const users = spannerSchema('crm').table('users', columns, (t) => [
  primaryKey({ columns: [t.id, t.tenantId] }),
])
const plain = spannerTable('plain', { id: string().primaryKey(), at: timestamp() })

async function buffered(work: (tx: Session) => void): Promise<unknown> {
  const driver = scriptedDriver()
  await Session.of(driver).transaction(async (tx) => work(tx))
  return driver.calls.filter(({ what }) => what === 'transaction.buffer').map(({ options }) => options)
}

const of = (tx: Session) => new TableMutations(tx, users, new SpannerDialect({ casing: 'snake_case' }))

describe('TableMutations', () => {
  it('puts rows with the same columns into one mutation, and adds $defaultFn() and $onUpdate() values', async () => {
    made = 0
    const rows = [
      { tenantId: 1, id: 1n },
      { tenantId: 1, id: 2n, name: null },
      { tenantId: 2, id: 3n, name: 'c', changed: 'x' },
    ]
    expect(await buffered((tx) => of(tx).insert(rows))).toStrictEqual([
      [
        {
          op: 'insert',
          table: 'crm.users',
          columns: ['tenant_id', 'id', 'name', 'changed'],
          rows: [
            ['1', '1', 'made 1', 'just now'],
            ['1', '2', null, 'just now'],
            ['2', '3', 'c', 'x'],
          ],
        },
      ],
    ])
  })

  it('keeps the order of rows whose columns differ, and accepts one row without a list', async () => {
    const calls = await buffered((tx) => {
      const mutations = new TableMutations(tx, plain, new SpannerDialect())
      mutations.upsert([
        { id: 'a', at: new Date(0) },
        { id: 'b' },
        { id: 'c', at: null },
        { id: 'd', at: null },
      ])
      mutations.insert({ id: 'e' })
    })
    expect(calls).toStrictEqual([
      [
        {
          op: 'upsert',
          table: 'plain',
          columns: ['id', 'at'],
          rows: [['a', '1970-01-01T00:00:00.000000000Z']],
        },
        { op: 'upsert', table: 'plain', columns: ['id'], rows: [['b']] },
        {
          op: 'upsert',
          table: 'plain',
          columns: ['id', 'at'],
          rows: [
            ['c', null],
            ['d', null],
          ],
        },
      ],
      [{ op: 'insert', table: 'plain', columns: ['id'], rows: [['e']] }],
    ])
  })

  it('updates the given columns and the columns with $onUpdate()', async () => {
    expect(await buffered((tx) => of(tx).update({ tenantId: 1, id: 2n }))).toStrictEqual([
      [
        {
          op: 'update',
          table: 'crm.users',
          columns: ['tenant_id', 'id', 'changed'],
          rows: [['1', '2', 'just now']],
        },
      ],
    ])
  })

  it('deletes rows by their key parts in the order of the primary key', async () => {
    const calls = await buffered((tx) => {
      of(tx).delete([{ tenantId: 1, id: 2n }])
      new TableMutations(tx, plain, new SpannerDialect()).delete({ id: 'a' })
    })
    expect(calls).toStrictEqual([
      [{ op: 'delete', table: 'crm.users', keys: [['2', '1']] }],
      [{ op: 'delete', table: 'plain', keys: [['a']] }],
    ])
  })

  it('rejects partial keys, SQL expressions, generated columns and invalid values', async () => {
    await buffered((tx) => {
      const code = (work: () => void) => refusal(work).code
      expect(code(() => of(tx).delete({ id: 1n }))).toBe('KEY_INCOMPLETE')
      const row = { tenantId: 1, id: 1n }
      expect(code(() => of(tx).insert({ ...row, name: sql`upper('x')` } as never))).toBe('UNSUPPORTED_WRITE')
      expect(code(() => of(tx).insert({ ...row, upper: 'X' } as never))).toBe('INVALID_VALUE')
      expect(code(() => of(tx).insert({ ...row, tenantId: 1.5 }))).toBe('INVALID_VALUE')
    })
  })

  it('writes no mutation for an empty list', async () => {
    expect(
      await buffered((tx) => {
        of(tx).insert([])
        of(tx).delete([])
      }),
    ).toStrictEqual([])
  })
})
