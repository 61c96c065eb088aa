import { compileDdl, defineSchema, introspect, lint } from '@isotherm/core'
import { sequenceTable } from '@isotherm/core/sequences'
import { expect, it } from 'vitest'
import { Customer, UserAccessLog } from '../data/models.js'
import { part } from '../part.js'

/** A schema, made of a live database, has the same DDL as the models. */
export const introspection = part(['introspection'], async ({ dialect, database }) => {
  it('introspect() reads exactly the tables that the DDL of the models created', async () => {
    const schema = defineSchema([UserAccessLog, Customer, sequenceTable()])
    const { db } = await database(schema)
    const live = await introspect({ driver: db.driver, dialect })
    expect(compileDdl(live, { dialect }).toSorted()).toEqual(compileDdl(schema, { dialect }).toSorted())
    expect(lint(live, { dialect })).toEqual([])
    const row = { customerId: crypto.randomUUID(), name: 'Ada' }
    await db.insert(Customer, [row])
    expect(await db.get('Customer', row)).toMatchObject(row)
  })

  it('introspect() returns no tables for an empty database', async () => {
    const { db } = await database(defineSchema([]))
    expect((await introspect({ driver: db.driver, dialect })).tables).toEqual([])
  })
})
