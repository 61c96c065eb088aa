// Compiled, never run: what a schema holds beside its tables.
import { defineSchema, defineTable, type Schema, type SchemaOptions } from '@isotherm/core'

const Log = defineTable('Log', (t) => ({ id: t.uuidV4() }))

class Decorated {}

export const schema: Schema = defineSchema([Log, Decorated], {
  namespaces: ['sales'],
  sequences: [{ name: 'ids', startCounter: 5n, skipRange: [1n, 2n] }],
  views: [
    { name: 'Daily', query: 'SELECT 1' },
    { name: 'Each', query: { googlesql: 'SELECT 1', 'spanner-postgresql': 'SELECT 1' }, security: 'definer' },
  ],
  changeStreams: [
    {
      name: 'All',
      watch: 'all',
      retention: '7d',
      values: 'NEW_ROW',
      options: { exclude_ttl_deletes: 'true' },
    },
    { name: 'Some', watch: [Log, Decorated, { table: Log, columns: ['id'] }] },
    { name: 'None' },
  ],
})

export const options: readonly SchemaOptions[] = [
  // @ts-expect-error: a sequence has a name
  { sequences: [{ startCounter: 5n }] },
  // @ts-expect-error: a counter is a bigint
  { sequences: [{ name: 'ids', startCounter: 5 }] },
  // @ts-expect-error: a range has two ends
  { sequences: [{ name: 'ids', skipRange: [1n] }] },
  // @ts-expect-error: a view has a query
  { views: [{ name: 'Daily' }] },
  // @ts-expect-error: there are no such rights
  { views: [{ name: 'Daily', query: 'SELECT 1', security: 'owner' }] },
  // @ts-expect-error: a change stream watches all, or models
  { changeStreams: [{ name: 'All', watch: 'some' }] },
  // @ts-expect-error: a change stream watches models, not their names
  { changeStreams: [{ name: 'All', watch: ['Log'] }] },
  // @ts-expect-error: there are no such values of a change
  { changeStreams: [{ name: 'All', values: 'OLD_ROW' }] },
]

// @ts-expect-error: a schema is readonly
schema.tables.push(schema.tables[0]!)

// @ts-expect-error: its tables are readonly too
schema.sequences[0]!.name = 'other'
