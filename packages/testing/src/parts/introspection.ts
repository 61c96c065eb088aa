import { compileDdl, defineSchema, introspect, lint } from '@isotherm/core'
import { sequenceTable } from '@isotherm/core/sequences'
import { expect, it } from 'vitest'
import { Customer, UserAccessLog } from '../data/models.js'
import { part } from '../part.js'

/** A schema, made of a live database, has the same DDL as the models. */
export const introspection = part(['introspection'], async ({ dialect, database }) => {
  it('reads the tables that DDL has made, and no other', async () => {
    const schema = defineSchema([UserAccessLog, Customer, sequenceTable()])
    const { db } = await database(schema)
    const live = await introspect({ driver: db.driver, dialect })
    expect(compileDdl(live, { dialect }).toSorted()).toEqual(compileDdl(schema, { dialect }).toSorted())
    expect(lint(live, { dialect })).toEqual([])
    const row = { customerId: crypto.randomUUID(), name: 'Ada' }
    await db.insert(Customer, [row])
    expect(await db.get('Customer', row)).toMatchObject(row)
  })

  it('finds nothing in a database that is empty', async () => {
    const { db } = await database(defineSchema([]))
    expect((await introspect({ driver: db.driver, dialect })).tables).toEqual([])
  })
})
