import { defineTable } from '@isotherm/core'

// The models for `isotherm push` to a database whose table `person` has only the column `id`, on each engine.

export const Person = defineTable(
  'person',
  (t) => ({ id: t.uuidV4(), city: t.string({ nullable: true }), name: t.string({ nullable: true }) }),
  { indexes: [{ name: 'person_name', on: ['name'] }] },
)

export const Visit = defineTable('visit', (t) => ({ id: t.uuidV4(), page: t.string({ nullable: true }) }))
