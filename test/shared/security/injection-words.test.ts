import { compileDdl, defineSchema, defineTable, IsothermError, lint, type Schema } from '@isotherm/core'
import { googlesql } from '@isotherm/spanner'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { engines } from '../../support/engines.js'
import { isCql } from '../../support/languages.js'
import { anyText, attempt, hostileText, inheritedByAll, PROTOTYPE_NAMES } from './hostile.js'
import { schemaNamed, unchecked } from './named-schema.js'
import { namingOf } from './naming.js'

// Words and numbers that stand in DDL without quotes, where only some are right: the others are refused by name, those of a
// schema that was put together by hand or read from a file too.

const before = inheritedByAll()

const plainSchema = schemaNamed()

type Edit = (schema: never, text: string) => void

/** Where an unchecked schema has a word or a number that stands in DDL without quotes. */
const words: Record<string, Edit> = {
  'what becomes of children': (schema: Edited, text) => void (schema.tables[1]!.parent!.onDelete = text),
  'what becomes of referring rows': (schema: Edited, text) =>
    void (schema.tables[1]!.foreignKeys[0]!.onDelete = text),
  'whose rights a view has': (schema: Edited, text) => void (schema.views[0]!.security = text),
  'the order of a key part': (schema: Edited, text) => void (schema.tables[0]!.primaryKey[1]!.order = text),
  'the order of an index part': (schema: Edited, text) =>
    void (schema.tables[0]!.indexes[0]!.parts[0]!.order = text),
  'where an index has NULL': (schema: Edited, text) =>
    void (schema.tables[0]!.indexes[0]!.parts[0]!.nulls = text),
  'a type': (schema: Edited, text) => void (schema.tables[0]!.columns[5]!.type.kind = text),
  'a length': (schema: Edited, text) => void (schema.tables[0]!.columns[1]!.type.length = text),
  'a number of shards': (schema: Edited, text) => void (schema.tables[0]!.columns[0]!.source!.shards = text),
  'a first shard': (schema: Edited, text) => void (schema.tables[0]!.columns[0]!.source!.first = text),
  'a number of shards of an index': (schema: Edited, text) =>
    void (schema.tables[0]!.indexes[1]!.shard!.shards = text),
  'a number of days': (schema: Edited, text) =>
    void (schema.tables.find((table) => table.rowDeletion)!.rowDeletion!.days = text),
  'the start of a sequence': (schema: Edited, text) => void (schema.sequences[0]!.startCounter = text),
  'the start of a range': (schema: Edited, text) => void (schema.sequences[0]!.skipRange[0] = text),
  'the end of a range': (schema: Edited, text) => void (schema.sequences[0]!.skipRange[1] = text),
  'the value of an option': (schema: Edited, text) =>
    void (schema.changeStreams[0]!.options['retention_period'] = text),
  'an option': (schema: Edited, text) => void (schema.changeStreams[0]!.options = { [text]: '7d' }),
  'a kind of source': (schema: Edited, text) => void (schema.tables[0]!.columns[0]!.source!.kind = text),
  'a strategy': (schema: Edited, text) => void (schema.tables[0]!.columns[0]!.source!.strategy = text),
  'who computes': (schema: Edited, text) => void (schema.tables[0]!.columns[0]!.source!.computedBy = text),
  'a storage': (schema: Edited, text) => void (schema.tables[0]!.columns[4]!.type.storage = text),
}

/** The same of a keyspace. */
const wordsOfCql: Record<string, Edit> = {
  'the order of a key part': (schema: Edited, text) => void (schema.tables[0]!.primaryKey[3]!.order = text),
  'what makes a partition': (schema: Edited, text) => void (schema.tables[0]!.partitionKey = [text]),
  'a type': (schema: Edited, text) => void (schema.tables[0]!.columns[6]!.type.kind = text),
  'a type in a user type': (schema: Edited, text) => void (schema.userTypes[0]!.fields[0]!.type.kind = text),
  'a number of shards': (schema: Edited, text) => void (schema.tables[0]!.columns[0]!.source!.shards = text),
  'a time to live': (schema: Edited, text) => void (schema.tables[0]!.ttlSeconds = text),
  'whether a column is static': (schema: Edited, text) => void (schema.tables[0]!.columns[6]!.static = text),
  'a storage': (schema: Edited, text) => void (schema.tables[0]!.columns[5]!.type.storage = text),
  'what becomes of children': (schema: Edited, text) => void (schema.tables[2]!.parent!.onDelete = text),
}

/** The same as plain data, in which everything is text. */
interface Edited {
  readonly userTypes: { readonly fields: { readonly type: { kind: string } }[] }[]
  readonly tables: {
    partitionKey: string[]
    ttlSeconds: string
    readonly parent?: { onDelete: string }
    readonly foreignKeys: { onDelete: string }[]
    readonly primaryKey: { order: string }[]
    readonly indexes: {
      readonly parts: { order: string; nulls: string }[]
      readonly shard?: { shards: string }
    }[]
    readonly columns: {
      static: string
      readonly type: { kind: string; length: string; storage: string }
      readonly source?: { kind: string; strategy: string; computedBy: string; shards: string; first: string }
    }[]
    readonly rowDeletion?: { days: string }
  }[]
  readonly views: { security: string }[]
  readonly sequences: { startCounter: string; skipRange: string[] }[]
  readonly changeStreams: { options: Record<string, string> }[]
}

describe.each(engines)('an unchecked word in $name', (engine) => {
  const { schema: plain, ddl: ddlOf, shapes } = namingOf(engine)
  const known = new Set(
    shapes(ddlOf(plain()))
      .flat()
      .map(({ value }) => value),
  )

  it.each(Object.entries(isCql(engine.dialect) ? wordsOfCql : words))(
    'that says %s never enters the DDL',
    (what, edit) => {
      fc.assert(
        fc.property(
          fc.oneof(
            hostileText,
            fc.constantFrom(
              'cascade, row deletion policy (older_than(at, interval 0 day))',
              '1)) --',
              '1, 2',
              'x',
            ),
          ),
          (text) => {
            const schema = unchecked(plain())
            edit(schema as never, text)
            const ddl = attempt(() => ddlOf(schema))
            if (ddl instanceof IsothermError) return
            const loose = shapes(ddl)
              .flat()
              .filter(({ kind }) => kind !== 'quoted' && kind !== 'text')
              .map(({ value }) => value)
            // A whole number is one, however it was written, and an option that looks like one may be one.
            const right = what === 'an option' ? /^[a-z_]+$/ : /^\d+$/
            expect(loose.filter((value) => !known.has(value) && !right.test(value))).toEqual([])
          },
        ),
        { numRuns: 60 },
      )
    },
  )
})

/** Where the API takes a word of its own. */
const declared: Record<string, (text: string) => unknown> = {
  'a dialect': (text) => compileDdl(plainSchema, { dialect: text as never }),
  'a dialect to lint for': (text) => lint(plainSchema, { dialect: text as never }),
  'a rule to set a severity of': (text) =>
    lint(plainSchema, {
      dialect: googlesql,
      severity: Object.defineProperty({}, text, { value: 'off', enumerable: true }),
    }),
  'a rule to except from': (text) =>
    compileDdl(itemWith({ suppress: [{ rule: text, reason: 'x' }] }), { dialect: googlesql }),
  'what an exception is on': (text) =>
    compileDdl(itemWith({ suppress: [{ rule: 'redundant-index', on: text, reason: 'x' }] }), {
      dialect: googlesql,
    }),
  'what is hashed': (text) =>
    defineSchema([
      defineTable('Item', (t) => ({ s: t.shardKey({ shards: 4, of: [text] }), id: t.int64().key() })),
    ]),
  'what a hash key hashes': (text) =>
    defineSchema([defineTable('Item', (t) => ({ h: t.hashKey({ of: [text] }), id: t.int64().key() }))]),
  'a part of the key': (text) => itemWith({ primaryKey: [text] }),
  'a part of an index': (text) => itemWith({ indexes: [{ name: 'I', on: [text] }] }),
  'what an index stores': (text) => itemWith({ indexes: [{ name: 'I', on: ['note'], storing: [text] }] }),
  'what is not NULL in an index': (text) =>
    itemWith({ indexes: [{ name: 'I', on: ['note'], notNull: [text] }] }),
  'what an index’s shard hashes': (text) =>
    itemWith({ indexes: [{ name: 'I', on: ['note'], shard: { shards: 4, of: [text] } }] }),
  'a column of a foreign key': (text) =>
    itemWith({ foreignKeys: [{ columns: [text], references: () => item, on: ['id'] }] }),
  'a column that a foreign key refers to': (text) =>
    itemWith({ foreignKeys: [{ columns: ['id'], references: () => item, on: [text] }] }),
  'what rows are deleted by': (text) => itemWith({ rowDeletion: { property: text, days: 1 } }),
  'an expected load': (text) => itemWith({ workload: { writesPerSecond: text } }),
  'what becomes of children': (text) => itemWith({ interleaveIn: () => item, onDelete: text }),
  'what a change stream watches': (text) =>
    defineSchema([item], { changeStreams: [{ name: 'S', watch: [{ table: item, columns: [text] }] }] }),
  'whose rights a view has': (text) =>
    defineSchema([item], { views: [{ name: 'V', query: 'SELECT 1 AS x', security: text as never }] }),
  'the start of a sequence': (text) =>
    defineSchema([item], { sequences: [{ name: 'S', startCounter: text as never }] }),
  'a range that a sequence skips': (text) =>
    defineSchema([item], { sequences: [{ name: 'S', skipRange: [text, text] as never }] }),
  'a length': (text) =>
    defineSchema([
      defineTable('Item', (t) => ({ id: t.uuidV4(), note: t.string({ length: text as never }) })),
    ]),
  'a number of shards': (text) =>
    defineSchema([
      defineTable('Item', (t) => ({
        s: t.shardKey({ shards: text as never, of: ['id'] }),
        id: t.int64().key(),
      })),
    ]),
  'where an index has NULL': (text) =>
    itemWith({ indexes: [{ name: 'I', on: [{ property: 'note', nulls: text }] }] }),
  'an order': (text) => itemWith({ indexes: [{ name: 'I', on: [{ property: 'note', order: text }] }] }),
  'a storage': (text) =>
    defineSchema([defineTable('Item', (t) => ({ id: t.uuidV4({ storage: text as never }) }))]),
}

const item = defineTable('Parent', (t) => ({ id: t.int64().key() }))

function itemWith(options: object): Schema {
  return defineSchema([
    item,
    defineTable(
      'Item',
      (t) => ({
        id: 'interleaveIn' in options ? t.parentKey<bigint>() : t.int64().key(),
        n: t.int64().key(),
        note: t.string({ nullable: true }),
      }),
      options as never,
    ),
  ])
}

describe('a declared word', () => {
  // A name with a prefix is a rule of another engine.
  const right = /^(id|n|note|s|h|text|bytes|native|asc|desc|\d+|[a-z][a-z\d-]*\/[a-z][a-z\d-]*)$/

  it.each(Object.entries(declared))('that says %s is refused by name', (_, declare) => {
    fc.assert(
      fc.property(
        fc
          .oneof({ weight: 3, arbitrary: anyText }, fc.constantFrom(...PROTOTYPE_NAMES))
          .filter((text) => !right.test(text) && text.trim() !== ''),
        (text) => {
          expect(attempt(() => declare(text))).toBeInstanceOf(IsothermError)
        },
      ),
      { numRuns: 40 },
    )
  })
})

it('leaves what every object inherits as it was', () => {
  expect(inheritedByAll()).toEqual(before)
})
