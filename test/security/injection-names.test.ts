import {
  compileDdl,
  defineSchema,
  defineTable,
  IsothermError,
  openDatabase,
  type SqlDialect,
  type Schema,
} from '@isotherm/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dialects } from '../support/spanner.js'
import {
  anyText,
  attempt,
  hostileText,
  inheritedByAll,
  named,
  PROTOTYPE_NAMES,
  RESERVED_WORDS,
} from './hostile.js'
import {
  differences,
  NAMES,
  namesFor,
  places,
  renamed,
  schemaNamed,
  shapesOf,
  unchecked,
} from './named-schema.js'
import { recordingDriver } from './recording-driver.js'

// Names of a schema: those that are declared, and those of a schema that was put together by hand or read from a file, which
// nobody has checked. They stand in DDL and in statements in quotes, or are refused by name.

const before = inheritedByAll()

const name = fc.oneof(
  { weight: 4, arbitrary: anyText },
  fc.constantFrom(...PROTOTYPE_NAMES, ...RESERVED_WORDS),
  fc.constantFrom('x'.repeat(64), 'x'.repeat(128), 'x'.repeat(129), 'a.b', 'a.b.c', 'ſelect', 'K\u212A'),
)

const plainSchema = schemaNamed()
const plainDdl = new Map(
  dialects.map((dialect) => [dialect, shapesOf(compileDdl(plainSchema, { dialect }), dialect)]),
)

/** DDL that differs from that of plain names by the names alone, or a refusal. */
function expectQuoted(schema: Schema, dialect: SqlDialect, names: ReadonlyMap<string, string>): void {
  const ddl = attempt(() => compileDdl(schema, { dialect }))
  if (ddl instanceof IsothermError) return
  expect(differences(plainDdl.get(dialect)!, shapesOf(ddl, dialect), names)).toEqual([])
}

describe('a declared name', () => {
  it.each(places)('of a %s is a plain one, in quotes', (place) => {
    fc.assert(
      fc.property(name, (given) => {
        const schema = attempt(() => schemaNamed({ [place]: given }))
        if (schema instanceof IsothermError) {
          named(schema, 'SCHEMA_INVALID')
          return
        }
        expect(given).toMatch(/^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)?$/)
        const names = new Map([[NAMES[place] as string, given]])
        for (const dialect of dialects) expectQuoted(schema, dialect, names)
      }),
      { numRuns: 80 },
    )
  })

  it('may be a word that SQL reserves', () => {
    for (const place of places) {
      for (const word of RESERVED_WORDS.filter((each) => each !== 'AT')) {
        const schema = schemaNamed({ [place]: word })
        for (const dialect of dialects) {
          const ddl = compileDdl(schema, { dialect })
          const names = new Map([[NAMES[place] as string, word]])
          expect(differences(plainDdl.get(dialect)!, shapesOf(ddl, dialect), names)).toEqual([])
        }
      }
    }
  })
})

describe.each(dialects)('an unchecked name in %s', (dialect) => {
  const plain = unchecked(plainSchema)

  it.each(places)('of a %s stands in the DDL in quotes, or is refused', (place) => {
    fc.assert(
      fc.property(hostileText, (given) => {
        const names = namesFor(place, given)
        expectQuoted(renamed(plain, names), dialect, names)
      }),
      { numRuns: 60 },
    )
  })

  it('stands in the DDL in quotes in all places at once', () => {
    fc.assert(
      fc.property(fc.array(hostileText, { minLength: places.length, maxLength: places.length }), (given) => {
        const names = new Map(places.flatMap((place, at) => [...namesFor(place, `${given[at]}${at}`)]))
        expectQuoted(renamed(plain, names), dialect, names)
      }),
      { numRuns: 200 },
    )
  })

  it('stands in statements in quotes', async () => {
    const { driver, take } = recordingDriver(dialect)
    const statementsOf = async (schema: Schema, nameOf: (plainName: string) => string): Promise<string[]> => {
      const db = openDatabase({ driver, schema })
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
          .via(strategy)
        await query.page()
        await query.byIndex(nameOf(NAMES.index)).all()
        await db.fanOut(table).byIndex(nameOf(NAMES.shardedIndex)).orderBy('at').via(strategy).all()
      }
      await db.fanOut(table).groupBy('note').count()
      return take().statements.map(({ text }) => text)
    }
    const expected = shapesOf(await statementsOf(plain, (each) => each), dialect)
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), hostileText, async (place, given) => {
        const names = namesFor(place, given)
        const schema = renamed(plain, names)
        const found = await statementsOf(schema, (each) => names.get(each) ?? each).then(
          (statements) => differences(expected, shapesOf(statements, dialect), names),
          (error: unknown) => {
            take()
            named(error)
            return []
          },
        )
        expect(found).toEqual([])
      }),
      { numRuns: 400 },
    )
  })
})

describe.each(dialects)('a property in %s', (dialect) => {
  it('may have any name, its column has a plain one', async () => {
    const { driver, take } = recordingDriver(dialect)
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
      // Left out, it is NULL, whatever an object inherits under that name.
      const [empty] = await db.insert('Item', [{ id }])
      expect(Object.getOwnPropertyDescriptor(empty, property)?.value).toBeNull()
      await db.get('Item', { id })
      await db.update('Item', row)
      await db.upsert('Item', [row])
      await db.transaction(async (tx) => {
        await tx.insert('Item', [row])
        await tx.update('Item', row)
      })
      const filter = Object.defineProperty({}, property, { value: 'x', enumerable: true })
      const query = db.fanOut('Item').where(filter).orderBy(property).via('push-down')
      await query.page()
      await query.groupBy(property).count()
      const { reads, mutations, ...rest } = take()
      return {
        ...rest,
        reads: reads.map(({ columns }) => columns.map((column) => column.name)),
        // A layout is the model again, of which a driver sends nothing.
        mutations: mutations.map((mutation) => ({ ...mutation, layout: undefined })),
      }
    }
    const expected = await textsOf('plain')
    await fc.assert(
      fc.asyncProperty(name, async (property) => {
        // Names that are numbers come first in an object, and so would their columns.
        if (property === 'id' || /^\d+$/.test(property)) return
        const found = await textsOf(property).catch((error: unknown) => {
          take()
          named(error, 'SCHEMA_INVALID')
          return expected
        })
        expect(found).toEqual(expected)
      }),
      { numRuns: 500 },
    )
  })
})

it('leaves what every object inherits as it was', () => {
  expect(inheritedByAll()).toEqual(before)
})
