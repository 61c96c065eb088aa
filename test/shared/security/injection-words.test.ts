import { compileDdl, defineSchema, defineTable, IsothermError, lint, type Schema } from '@isotherm/core'
import { googlesql } from '@isotherm/spanner'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { engines } from '../../support/engines.js'
import { isCql } from '../../support/languages.js'
import { anyText, attempt, hostileText, inheritedByAll, PROTOTYPE_NAMES } from './hostile.js'
import { schemaNamed, unchecked } from './named-schema.js'
import { namingOf } from './naming.js'

// Words and numbers that are in DDL without quotes, where only some are valid. All others are rejected, also those of a schema
// that was written by hand or read from a file.

const before = inheritedByAll()

const plainSchema = schemaNamed()

type Edit = (schema: never, text: string) => void

/** The words and numbers of an unchecked schema that are in DDL without quotes. */
const words: Record<string, Edit> = {
  'the onDelete of an interleaved table': (schema: Edited, text) =>
    void (schema.tables[1]!.parent!.onDelete = text),
  'the onDelete of a foreign key': (schema: Edited, text) =>
    void (schema.tables[1]!.foreignKeys[0]!.onDelete = text),
  'the security of a view': (schema: Edited, text) => void (schema.views[0]!.security = text),
  'the order of a key part': (schema: Edited, text) => void (schema.tables[0]!.primaryKey[1]!.order = text),
  'the order of an index part': (schema: Edited, text) =>
    void (schema.tables[0]!.indexes[0]!.parts[0]!.order = text),
  'the NULL order of an index part': (schema: Edited, text) =>
    void (schema.tables[0]!.indexes[0]!.parts[0]!.nulls = text),
  'a column type': (schema: Edited, text) => void (schema.tables[0]!.columns[5]!.type.kind = text),
  'a string length': (schema: Edited, text) => void (schema.tables[0]!.columns[1]!.type.length = text),
  'a number of shards': (schema: Edited, text) => void (schema.tables[0]!.columns[0]!.source!.shards = text),
  'a first shard': (schema: Edited, text) => void (schema.tables[0]!.columns[0]!.source!.first = text),
  'a number of shards of an index': (schema: Edited, text) =>
    void (schema.tables[0]!.indexes[1]!.shard!.shards = text),
  'the days of a row deletion policy': (schema: Edited, text) =>
    void (schema.tables.find((table) => table.rowDeletion)!.rowDeletion!.days = text),
  'the start of a sequence': (schema: Edited, text) => void (schema.sequences[0]!.startCounter = text),
  'the start of a skip range': (schema: Edited, text) => void (schema.sequences[0]!.skipRange[0] = text),
  'the end of a skip range': (schema: Edited, text) => void (schema.sequences[0]!.skipRange[1] = text),
  'the value of a change stream option': (schema: Edited, text) =>
    void (schema.changeStreams[0]!.options['retention_period'] = text),
  'the name of a change stream option': (schema: Edited, text) =>
    void (schema.changeStreams[0]!.options = { [text]: '7d' }),
  'the kind of a column source': (schema: Edited, text) =>
    void (schema.tables[0]!.columns[0]!.source!.kind = text),
  'a shard strategy': (schema: Edited, text) => void (schema.tables[0]!.columns[0]!.source!.strategy = text),
  'the computedBy of a shard': (schema: Edited, text) =>
    void (schema.tables[0]!.columns[0]!.source!.computedBy = text),
  'a UUID storage': (schema: Edited, text) => void (schema.tables[0]!.columns[4]!.type.storage = text),
}

/** The same for a keyspace. */
const wordsOfCql: Record<string, Edit> = {
  'the order of a key part': (schema: Edited, text) => void (schema.tables[0]!.primaryKey[3]!.order = text),
  'a column of the partition key': (schema: Edited, text) => void (schema.tables[0]!.partitionKey = [text]),
  'a column type': (schema: Edited, text) => void (schema.tables[0]!.columns[6]!.type.kind = text),
  'a field type of a user type': (schema: Edited, text) =>
    void (schema.userTypes[0]!.fields[0]!.type.kind = text),
  'a number of shards': (schema: Edited, text) => void (schema.tables[0]!.columns[0]!.source!.shards = text),
  'the ttlSeconds of a table': (schema: Edited, text) => void (schema.tables[0]!.ttlSeconds = text),
  'the static flag of a column': (schema: Edited, text) => void (schema.tables[0]!.columns[6]!.static = text),
  'a UUID storage': (schema: Edited, text) => void (schema.tables[0]!.columns[5]!.type.storage = text),
  'the onDelete of an interleaved table': (schema: Edited, text) =>
    void (schema.tables[2]!.parent!.onDelete = text),
}

/** A schema as plain data, in which every value is text. */
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
    'hostile text as %s never enters the DDL without quotes',
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
            // Any form of an integer is valid, and so is the name of an option that has the right form.
            const right = what === 'the name of a change stream option' ? /^[a-z_]+$/ : /^\d+$/
            expect(loose.filter((value) => !known.has(value) && !right.test(value))).toEqual([])
          },
        ),
        { numRuns: 60 },
      )
    },
  )
})

/** The parameters of the API that take a word. */
const declared: Record<string, (text: string) => unknown> = {
  'a dialect': (text) => compileDdl(plainSchema, { dialect: text as never }),
  'a dialect of lint()': (text) => lint(plainSchema, { dialect: text as never }),
  'a rule with a severity': (text) =>
    lint(plainSchema, {
      dialect: googlesql,
      severity: Object.defineProperty({}, text, { value: 'off', enumerable: true }),
    }),
  'a suppressed rule': (text) =>
    compileDdl(itemWith({ suppress: [{ rule: text, reason: 'x' }] }), { dialect: googlesql }),
  'the target of a suppressed rule': (text) =>
    compileDdl(itemWith({ suppress: [{ rule: 'redundant-index', on: text, reason: 'x' }] }), {
      dialect: googlesql,
    }),
  'a column that a shard hashes': (text) =>
    defineSchema([
      defineTable('Item', (t) => ({ s: t.shardKey({ shards: 4, of: [text] }), id: t.int64().key() })),
    ]),
  'a column that a hash key hashes': (text) =>
    defineSchema([defineTable('Item', (t) => ({ h: t.hashKey({ of: [text] }), id: t.int64().key() }))]),
  'a key part': (text) => itemWith({ primaryKey: [text] }),
  'an index part': (text) => itemWith({ indexes: [{ name: 'I', on: [text] }] }),
  'a stored column of an index': (text) =>
    itemWith({ indexes: [{ name: 'I', on: ['note'], storing: [text] }] }),
  'a notNull column of an index': (text) =>
    itemWith({ indexes: [{ name: 'I', on: ['note'], notNull: [text] }] }),
  'a column that the shard of an index hashes': (text) =>
    itemWith({ indexes: [{ name: 'I', on: ['note'], shard: { shards: 4, of: [text] } }] }),
  'a column of a foreign key': (text) =>
    itemWith({ foreignKeys: [{ columns: [text], references: () => item, on: ['id'] }] }),
  'a column that a foreign key refers to': (text) =>
    itemWith({ foreignKeys: [{ columns: ['id'], references: () => item, on: [text] }] }),
  'the property of a row deletion policy': (text) => itemWith({ rowDeletion: { property: text, days: 1 } }),
  'a value of the workload': (text) => itemWith({ workload: { writesPerSecond: text } }),
  'the onDelete of an interleaved table': (text) => itemWith({ interleaveIn: () => item, onDelete: text }),
  'a column of a change stream': (text) =>
    defineSchema([item], { changeStreams: [{ name: 'S', watch: [{ table: item, columns: [text] }] }] }),
  'the security of a view': (text) =>
    defineSchema([item], { views: [{ name: 'V', query: 'SELECT 1 AS x', security: text as never }] }),
  'the start of a sequence': (text) =>
    defineSchema([item], { sequences: [{ name: 'S', startCounter: text as never }] }),
  'the skip range of a sequence': (text) =>
    defineSchema([item], { sequences: [{ name: 'S', skipRange: [text, text] as never }] }),
  'a string length': (text) =>
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
  'the NULL order of an index part': (text) =>
    itemWith({ indexes: [{ name: 'I', on: [{ property: 'note', nulls: text }] }] }),
  'the order of an index part in a declaration': (text) =>
    itemWith({ indexes: [{ name: 'I', on: [{ property: 'note', order: text }] }] }),
  'a UUID storage': (text) =>
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

  it.each(Object.entries(declared))('invalid text as %s is rejected with an IsothermError', (_, declare) => {
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

it('hostile words do not change the built-in prototypes of JavaScript', () => {
  expect(inheritedByAll()).toEqual(before)
})
