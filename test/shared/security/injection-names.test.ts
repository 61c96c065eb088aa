import { defineSchema, defineTable, IsothermError, openDatabase, type Schema } from '@isotherm/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { engines } from '../../support/engines.js'
import {
  anyText,
  attempt,
  hostileText,
  inheritedByAll,
  named,
  PROTOTYPE_NAMES,
  RESERVED_WORDS,
} from './hostile.js'
import { useKeyspace } from './named-keyspace.js'
import { differences, NAMES, renamed, unchecked } from './named-schema.js'
import { namingOf } from './naming.js'
import { recorderOf } from './recorder.js'

// Names of a schema: declared names, and unchecked names of a schema that was written by hand or read from a file. They are
// quoted in DDL and in statements, or rejected.

const before = inheritedByAll()

const name = fc.oneof(
  { weight: 4, arbitrary: anyText },
  fc.constantFrom(...PROTOTYPE_NAMES, ...RESERVED_WORDS),
  fc.constantFrom('x'.repeat(64), 'x'.repeat(128), 'x'.repeat(129), 'a.b', 'a.b.c', 'ſelect', 'K\u212A'),
)

describe.each(engines)('names of a schema in $name', (engine) => {
  const naming = namingOf(engine)
  const { kinds, plainOf, ddl } = naming
  const plainSchema = naming.schema()
  const plainDdl = naming.shapes(ddl(plainSchema))
  const plain = unchecked(plainSchema)

  /** The DDL differs from the DDL of plain names only in the names, or the schema is rejected. */
  function expectQuoted(schema: Schema, names: ReadonlyMap<string, string>): void {
    const found = attempt(() => ddl(schema))
    if (found instanceof IsothermError) return
    expect(differences(plainDdl, naming.shapes(found), names)).toEqual([])
  }

  it.each(kinds)('declared names of a %s are plain identifiers that are quoted in the DDL', (kind) => {
    fc.assert(
      fc.property(name, (text) => {
        const schema = attempt(() => naming.schema({ [kind]: text }))
        if (schema instanceof IsothermError) {
          named(schema, 'SCHEMA_INVALID')
          return
        }
        expect(text).toMatch(/^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)?$/)
        expectQuoted(schema, new Map([[plainOf(kind), text]]))
      }),
      { numRuns: 80 },
    )
  })

  it('declared names can be reserved words', () => {
    for (const kind of kinds) {
      for (const word of RESERVED_WORDS.filter((each) => each !== 'AT')) {
        const found = ddl(naming.schema({ [kind]: word }))
        expect(differences(plainDdl, naming.shapes(found), new Map([[plainOf(kind), word]]))).toEqual([])
      }
    }
  })

  it.each(kinds)('unchecked names of a %s are quoted in the DDL, or rejected', (kind) => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const names = naming.namesFor(kind, text)
        expectQuoted(renamed(plain, names), names)
      }),
      { numRuns: 60 },
    )
  })

  it('unchecked names of all objects at once are quoted in the DDL, or rejected', () => {
    fc.assert(
      fc.property(fc.array(hostileText, { minLength: kinds.length, maxLength: kinds.length }), (text) => {
        const names = new Map(kinds.flatMap((kind, at) => [...naming.namesFor(kind, `${text[at]}${at}`)]))
        expectQuoted(renamed(plain, names), names)
      }),
      { numRuns: 200 },
    )
  })

  it('unchecked names are quoted in statements, or rejected', async () => {
    const { driver, take } = recorderOf(engine)
    const statementsOf = async (schema: Schema, nameOf: (plainName: string) => string): Promise<string[]> => {
      const db = openDatabase({ driver, schema })
      if (!engine.traits.transactions) {
        await useKeyspace(db, nameOf)
        return take().statements.map(({ text }) => text)
      }
      const table = nameOf(NAMES.table)
      const key = { key: 'k', day: '2026-01-01', id: 1n }
      const row = { ...key, pair: crypto.randomUUID(), note: 'x', at: new Date(0) }
      await db.transaction(async (tx) => {
        await tx.insert(table, [row])
        await tx.upsert(table, [row])
        await tx.update(table, row)
        await tx.delete(table, key)
      })
      for (const strategy of ['merge-shards', 'push-down'] as const) {
        const query = db
          .fanOut(table)
          .where({ note: 'x', pair: { gt: row.pair } })
          .orderBy('pair')
          .strategy(strategy)
        await query.page()
        await query.useIndex(nameOf(NAMES.index)).all()
        await db.fanOut(table).useIndex(nameOf(NAMES.shardedIndex)).orderBy('at').strategy(strategy).all()
      }
      await db.fanOut(table).groupBy('note').count()
      return take().statements.map(({ text }) => text)
    }
    const expected = naming.shapes(await statementsOf(plain, (each) => each))
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...kinds), hostileText, async (kind, text) => {
        const names = naming.namesFor(kind, text)
        const schema = renamed(plain, names)
        const found = await statementsOf(schema, (each) => names.get(each) ?? each).then(
          (statements) => differences(expected, naming.shapes(statements), names),
          (error: unknown) => {
            take()
            named(error)
            return []
          },
        )
        expect(found).toEqual([])
      }),
      { numRuns: engine.traits.transactions ? 400 : 40 },
    )
  })
})

describe.each(engines)('a property in $name', (engine) => {
  const { transactions } = engine.traits

  it('can have any name when its column has a plain name', async () => {
    const { driver, take } = recorderOf(engine)
    const textsOf = async (property: string): Promise<unknown> => {
      const table = defineTable('Item', (t) => {
        const columns: Record<string, ReturnType<typeof t.string>> = { id: t.uuidV4() as never }
        Object.defineProperty(columns, property, {
          value: t.string({ name: 'plain', nullable: true }),
          enumerable: true,
        })
        return columns
      })
      const db = openDatabase({ driver, schema: defineSchema([table]) })
      const id = '0f0e0d0c-0b0a-4908-8706-050403020100'
      const row = Object.defineProperty({ id }, property, { value: 'x', enumerable: true })
      const [inserted] = await db.insert('Item', [row])
      expect(Object.getOwnPropertyDescriptor(inserted, property)?.value).toBe('x')
      // An omitted property is NULL, also if objects inherit a property with this name.
      const [empty] = await db.insert('Item', [{ id }])
      expect(Object.getOwnPropertyDescriptor(empty, property)?.value).toBeNull()
      await db.get('Item', { id })
      await db.update('Item', row)
      await db.upsert('Item', [row])
      if (transactions) {
        await db.transaction(async (tx) => {
          await tx.insert('Item', [row])
          await tx.update('Item', row)
        })
      }
      const filter = Object.defineProperty({}, property, { value: 'x', enumerable: true })
      const matching = db.fanOut('Item').where(filter).orderBy(property)
      const query = transactions ? matching.strategy('push-down') : matching.where({ id })
      await query.page()
      await query.groupBy(property).count()
      const { reads, mutations, ...rest } = take()
      return {
        ...rest,
        reads: reads.map(({ columns }) => columns.map((column) => column.name)),
        // A layout contains the model, and a driver does not send it.
        mutations: mutations.map((mutation) => ({ ...mutation, layout: undefined })),
      }
    }
    const expected = await textsOf('plain')
    await fc.assert(
      fc.asyncProperty(name, async (property) => {
        // Numeric names come first in an object, and so would their columns.
        if (property === 'id' || /^\d+$/.test(property)) return
        const found = await textsOf(property).catch((error: unknown) => {
          take()
          named(error, 'SCHEMA_INVALID')
          return expected
        })
        expect(found).toEqual(expected)
      }),
      { numRuns: transactions ? 500 : 100 },
    )
  })
})

it('hostile names do not change the built-in prototypes of JavaScript', () => {
  expect(inheritedByAll()).toEqual(before)
})
