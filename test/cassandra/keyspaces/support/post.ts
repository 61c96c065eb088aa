import type { Mutation, ReadRequest } from '@isotherm/core/engine'
import { defineSchema, defineTable } from '@isotherm/core'
import { keyspacesCql } from '@isotherm/cassandra'

const Post = defineTable('post', (t) => ({
  blog: t.string().key(),
  id: t.int64().key(),
  title: t.string({ nullable: true }),
}))

export const schema = defineSchema([Post])
const layout = keyspacesCql.layout(schema.tables[0]!, schema)

export const readAll: ReadRequest = {
  layout,
  columns: layout.columns,
  ranges: [{ start: ['a'], startOpen: false, end: ['a'], endOpen: false }],
}

/** A row, as the server answers it. */
export function rows(...ids: readonly number[]) {
  return {
    columns: { blog: 'varchar', id: 'bigint', title: 'varchar' },
    rows: ids.map((id) => ['a', id, null]),
  } as const
}

export function cells(...ids: readonly number[]) {
  return ids.map((id) => ['a', BigInt(id), null])
}

const written = { table: 'post', layout, columns: ['blog', 'id', 'title'] }

export const upsert: Mutation = { ...written, op: 'upsert', rows: [['a', '1', 't']] }
export const update: Mutation = { ...written, op: 'update', rows: [['a', '1', 't']] }
export const insert: Mutation = { ...written, op: 'insert', rows: [['a', '1', null]] }
export const fresh: Mutation = { ...insert, fresh: true }
