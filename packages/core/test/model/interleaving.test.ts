import { runInNewContext } from 'node:vm'
import { defineSchema, defineTable, type TableModel } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { logTable, looseTable } from '../support/layout.js'
import { findingsOf } from '../support/refusal.js'

type AnyModel = TableModel<object>

const Parent = defineTable('Parent', (t) => ({ region: t.string().key(), userId: t.int64().key('desc') }))

const childOf = (parent: () => object, columns: Parameters<typeof defineTable>[1], primaryKey?: string[]) =>
  looseTable('Child', columns, { interleaveIn: parent, ...(primaryKey && { primaryKey }) })

describe("a child's key", () => {
  it('starts with that of its parent', () => {
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

  it("does not repeat its parent's part as its own", () => {
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

  it("misses none of its parent's parts", () => {
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
  ])("has its parent's parts first and in their order, not %j", (primaryKey, wrong) => {
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
  })

  it('has no key part of its own where each row of its parent has one child', () => {
    const Child = childOf(
      () => Parent,
      (t) => ({ region: t.parentKey(), userId: t.parentKey(), note: t.string() }),
    )
    const [parent, child] = defineSchema([Parent, Child]).tables
    expect(child!.primaryKey).toEqual(parent!.primaryKey)
  })

  it('inherits key parts only, and by their names', () => {
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

describe('@ParentKey', () => {
  it('needs a parent', () => {
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

  it('may not be the only thing said of a column that has no type', () => {
    const Log = logTable(() => ({}), { primaryKey: ['id'] })
    expect(findingsOf(Log).map(({ message }) => message)).toContain(
      'is in the primary key, but is not a column.',
    )
  })
})

describe('a parent', () => {
  const child = (parent: () => object) =>
    childOf(parent, (t) => ({ region: t.parentKey(), userId: t.parentKey(), line: t.int64().key() }))

  it('is in the schema too', () => {
    expect(findingsOf(child(() => Parent))[0]).toStrictEqual({
      table: 'Child',
      message: 'is interleaved in Parent, which is not in this schema.',
      fix: 'Pass the parent to defineSchema as well.',
    })
  })

  it('is refused by name where an import cycle has left it undefined', () => {
    expect(findingsOf(child(() => undefined as never))[0]).toMatchObject({ table: 'Child' })
  })

  it('is not its own child, nor that of its child', () => {
    const models: Record<string, AnyModel> = {}
    const link = (name: string, parent: string) => {
      models[name] = defineTable(name, (t) => ({ id: t.parentKey(), line: t.int64().key() }), {
        interleaveIn: () => models[parent]!,
      })
    }
    link('Self', 'Self')
    expect(findingsOf(models['Self']!)[0]).toStrictEqual({
      table: 'Self',
      message: 'is interleaved in Self, which is interleaved in Self in turn.',
      fix: 'Interleaving makes a tree: take one of the two interleaveIn options away.',
    })
    link('A', 'B')
    link('B', 'C')
    link('C', 'A')
    expect(findingsOf(models['A']!, models['B']!, models['C']!)[0]).toMatchObject({
      table: 'C',
      message: 'is interleaved in A, which is interleaved in C in turn.',
    })
  })

  it('does not share its name with its child', () => {
    const Root = defineTable('Log', (t) => ({ id: t.uuidV4() }))
    const Child = defineTable('Log', (t) => ({ id: t.parentKey(), line: t.int64().key() }), {
      interleaveIn: () => Root,
    })
    for (const models of [
      [Root, Child],
      [Child, Root],
    ]) {
      // In a context of its own, because a loop without an end is what is looked for.
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

describe('a row tree', () => {
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

  it('has up to 7 levels', () => {
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
