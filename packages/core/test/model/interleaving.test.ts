import { runInNewContext } from 'node:vm'
import { defineSchema, defineTable, type TableModel } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { logTable, looseTable } from '../support/layout.js'
import { findingsOf } from '../support/refusal.js'

type AnyModel = TableModel<object>

const Parent = defineTable('Parent', (t) => ({ region: t.string().key(), userId: t.int64().key('desc') }))

const childOf = (parent: () => object, columns: Parameters<typeof defineTable>[1], primaryKey?: string[]) =>
  looseTable('Child', columns, { interleaveIn: parent, ...(primaryKey && { primaryKey }) })

describe('defineSchema() with the key of an interleaved child', () => {
  it('puts the key parts of the parent, with their order, first in the key of an interleaved child', () => {
    const Child = childOf(
      () => Parent,
      (t) => ({ region: t.parentKey(), userId: t.parentKey(), line: t.int64().key() }),
    )
    expect(defineSchema([Parent, Child]).tables[1]!.primaryKey).toStrictEqual([
      { property: 'region', order: 'asc' },
      { property: 'userId', order: 'desc' },
      { property: 'line', order: 'asc' },
    ])
  })

  it('rejects a child that declares a key part of its parent with .key() instead of parentKey()', () => {
    const Child = childOf(
      () => Parent,
      (t) => ({ region: t.string().key(), userId: t.parentKey(), line: t.int64().key() }),
    )
    expect(findingsOf(Parent, Child)).toStrictEqual([
      {
        table: 'Child',
        column: 'region',
        message: 'repeats the key part of its parent Parent.',
        fix: "Declare it as @ParentKey() region: its name, type and order are the parent's.",
      },
    ])
  })

  it('rejects a child whose key lacks a key part of its parent', () => {
    const Child = childOf(
      () => Parent,
      (t) => ({ region: t.parentKey(), line: t.int64().key() }),
    )
    expect(findingsOf(Parent, Child)).toMatchObject([
      {
        table: 'Child',
        column: 'userId',
        message: 'is a key part of the parent Parent that the child does not have.',
        fix: "Add @ParentKey() userId, before the child's own key parts.",
      },
    ])
  })

  it.each([
    [
      ['userId', 'region', 'line'],
      ['region', 'userId'],
    ],
    [
      ['line', 'region', 'userId'],
      ['region', 'userId'],
    ],
    [['region', 'line', 'userId'], ['userId']],
  ])(
    'rejects a child with the primaryKey %j, because the key parts of the parent come first',
    (primaryKey, wrong) => {
      const Child = childOf(
        () => Parent,
        (t) => ({ region: t.parentKey(), userId: t.parentKey(), line: t.int64().key() }),
        primaryKey,
      )
      const findings = findingsOf(Parent, Child)
      expect(findings.map(({ table, column }) => [table, column])).toStrictEqual(
        wrong.map((column) => ['Child', column]),
      )
      for (const { message, fix } of findings) {
        expect(message).toMatch(/^is key part [12] of the parent Parent, but not of the child\.$/)
        expect(fix).toBe("A child's key starts with its parent's key, in the same order.")
      }
    },
  )

  it('gives a child without a key part of its own the same key as its parent', () => {
    const Child = childOf(
      () => Parent,
      (t) => ({ region: t.parentKey(), userId: t.parentKey(), note: t.string() }),
    )
    const [parent, child] = defineSchema([Parent, Child]).tables
    expect(child!.primaryKey).toEqual(parent!.primaryKey)
  })

  it('rejects a parentKey() column with the name of a parent column outside the key', () => {
    const Wide = defineTable('Wide', (t) => ({ id: t.uuidV4(), note: t.string() }))
    const Child = childOf(
      () => Wide,
      (t) => ({ id: t.parentKey(), note: t.parentKey(), line: t.int64().key() }),
    )
    expect(findingsOf(Wide, Child)).toStrictEqual([
      {
        table: 'Child',
        column: 'note',
        message: 'is a @ParentKey, but Wide has no key part of that name.',
        fix: 'Name it after one of id.',
      },
    ])
  })
})

describe('defineSchema() with @ParentKey', () => {
  it('rejects a parentKey() column on a table without a parent', () => {
    const Orphan = defineTable('Orphan', (t) => ({ region: t.parentKey(), line: t.int64().key() }))
    expect(findingsOf(Orphan)).toStrictEqual([
      {
        table: 'Orphan',
        column: 'region',
        message: 'is a @ParentKey, but the table has no parent.',
        fix: 'Add interleaveIn: () => Parent to the table, or use @Key.',
      },
    ])
  })

  it('rejects a primaryKey that names a missing column', () => {
    const Log = logTable(() => ({}), { primaryKey: ['id'] })
    expect(findingsOf(Log).map(({ message }) => message)).toContain(
      'is in the primary key, but is not a column.',
    )
  })
})

describe('defineSchema() with interleaved tables', () => {
  const child = (parent: () => object) =>
    childOf(parent, (t) => ({ region: t.parentKey(), userId: t.parentKey(), line: t.int64().key() }))

  it('rejects a child whose parent is not in the schema', () => {
    expect(findingsOf(child(() => Parent))[0]).toStrictEqual({
      table: 'Child',
      message: 'is interleaved in Parent, which is not in this schema.',
      fix: 'Pass the parent to defineSchema as well.',
    })
  })

  it('rejects a child whose interleaveIn returns undefined, with the name of the child', () => {
    expect(findingsOf(child(() => undefined as never))[0]).toMatchObject({ table: 'Child' })
  })

  it('rejects a table that is its own parent or its own ancestor', () => {
    const models: Record<string, AnyModel> = {}
    const link = (name: string, parent: string) => {
      models[name] = defineTable(name, (t) => ({ id: t.parentKey(), line: t.int64().key() }), {
        interleaveIn: () => models[parent]!,
      })
    }
    link('Self', 'Self')
    expect(findingsOf(models['Self']!)[0]).toStrictEqual({
      table: 'Self',
      message: 'is interleaved in Self, which is itself interleaved in Self.',
      fix: 'Interleaved tables form a tree: remove one of the two interleaveIn options.',
    })
    link('A', 'B')
    link('B', 'C')
    link('C', 'A')
    expect(findingsOf(models['A']!, models['B']!, models['C']!)[0]).toMatchObject({
      table: 'C',
      message: 'is interleaved in A, which is itself interleaved in C.',
    })
  })

  it('rejects a parent and a child with the same table name', () => {
    const Root = defineTable('Log', (t) => ({ id: t.uuidV4() }))
    const Child = defineTable('Log', (t) => ({ id: t.parentKey(), line: t.int64().key() }), {
      interleaveIn: () => Root,
    })
    for (const models of [
      [Root, Child],
      [Child, Root],
    ]) {
      // Runs in a separate context with a timeout, because a bug here would be an endless loop.
      const findings: unknown = runInNewContext(
        'find()',
        { find: () => findingsOf(...models) },
        { timeout: 2000 },
      )
      expect(findings).toContainEqual({
        table: 'Log',
        message: 'has the same name as the table Log.',
        fix: 'Rename the table Log: names differ by more than upper and lower case.',
      })
    }
  })
})

describe('defineSchema() with a row tree', () => {
  const tree = (levels: number): AnyModel[] => {
    const models: AnyModel[] = []
    for (let level = 1; level <= levels; level++) {
      const parent = models.at(-1)
      const key = Array.from({ length: level }, (_, at) => `key${at + 1}`)
      models.push(
        defineTable(
          `Level${level}`,
          (t) =>
            Object.fromEntries(
              key.map((name, at) => [name, at === level - 1 ? t.int64().key() : t.parentKey<bigint>()]),
            ),
          parent && { interleaveIn: () => parent },
        ),
      )
    }
    return models
  }

  it('accepts a row tree of 7 levels, and rejects the tables at level 8 and deeper', () => {
    expect(defineSchema(tree(7)).tables).toHaveLength(7)
    expect(findingsOf(...tree(8))).toStrictEqual([
      {
        table: 'Level8',
        message: 'is level 8 of its row tree.',
        fix: 'A row tree has at most 7 levels.',
      },
    ])
    // In the order of the schema, parents first.
    expect(findingsOf(...tree(9).toReversed()).map(({ table }) => table)).toStrictEqual(['Level8', 'Level9'])
  })
})
