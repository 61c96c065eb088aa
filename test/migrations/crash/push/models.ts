import { defineTable } from '@isotherm/core'

// What `isotherm push` is to make of a database that has the table `person`, without its columns but `id`, on each engine.

export const Person = defineTable(
  'person',
  (t) => ({ id: t.uuidV4(), city: t.string({ nullable: true }), name: t.string({ nullable: true }) }),
  { indexes: [{ name: 'person_name', on: ['name'] }] },
)

export const Visit = defineTable('visit', (t) => ({ id: t.uuidV4(), page: t.string({ nullable: true }) }))
