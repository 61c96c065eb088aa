import { defineSchema, defineTable, type Schema, sql } from '@isotherm/core'
import { describeChange, diffSchemas, losesData, renameCandidates } from '@isotherm/migrations'
import { googlesql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { both, table } from './plans/case.js'
import { planCases } from './plans/cases.js'

const described = (name: string): string[] => {
  const { from, to, renames } = planCases.find((each) => each.name === name)!
  const { changes } = diffSchemas(from, to, { dialect: googlesql, ...(renames && { renames }) })
  return changes.map(describeChange)
}

describe('diffSchemas()', () => {
  it.each(both)(
    'ignores property names, number types, workloads and other facts outside of the database in $name',
    (dialect) => {
      const from = table((t) => ({ n: t.int64(), name: t.string({ length: 36, nullable: true }) }))
      const to = table(
        (t) => ({
          title: t.uuid({ nullable: true, name: 'name' }),
          n: t.int64({ as: 'number', immutable: true }),
        }),
        { workload: { writesPerSecond: 9 }, suppress: [{ rule: 'monotonic-first-key', reason: 'few' }] },
      )
      expect(diffSchemas(from, to, { dialect })).toEqual({ changes: [], refusals: [] })
    },
  )

  it.each(both)('ignores white space, comments and quotes in expressions in $name', (dialect) => {
    const quote = dialect.name === 'googlesql' ? '`' : '"'
    const made = (generated: string) => table((t) => ({ n: t.int64({ generated }) }))
    const [from, to] = [made('id + 1'), made(`${quote}id${quote}\n+ 1 -- the next`)]
    expect(diffSchemas(from, to, { dialect })).toEqual({ changes: [], refusals: [] })
  })

  it.each(both)('omits the tables that the option "ignore" matches in $name', (dialect) => {
    const from = defineSchema([defineTable('isotherm_history', (t) => ({ id: t.uuidV4() }))])
    expect(
      diffSchemas(from, defineSchema([]), { dialect, ignore: (name) => name.startsWith('isotherm_') }),
    ).toEqual({ changes: [], refusals: [] })
  })

  it('losesData() is true for dropped tables, columns with data, sequences and change streams', () => {
    const from = defineSchema(
      [
        defineTable('A', (t) => ({ id: t.uuidV4(), n: t.int64(), g: t.int64({ generated: 'n' }) })),
        defineTable('B', (t) => ({ id: t.uuidV4() })),
      ],
      { sequences: [{ name: 'S' }], changeStreams: [{ name: 'W' }] },
    )
    const to = defineSchema([defineTable('A', (t) => ({ id: t.uuidV4() }))])
    const { changes } = diffSchemas(from, to, { dialect: googlesql })
    expect(changes.filter(losesData).map(describeChange)).toEqual([
      'W: drop the change stream, with its records',
      'A: drop the column n, with its data',
      'B: drop the table, with its data',
      'S: drop the sequence, with its count',
    ])
    expect(changes.filter((change) => !losesData(change)).map(describeChange)).toEqual([
      'A: drop the column g',
    ])
  })

  it.each(both)(
    'losesData() is true when a row deletion policy begins, or deletes more rows, in $name',
    (dialect) => {
      const deleting = (policy?: { readonly property: 'at' | 'seen'; readonly days: number }): Schema =>
        table((t) => ({ at: t.timestamp(), seen: t.timestamp() }), {
          ...(policy && { rowDeletion: policy }),
        } as never)
      const week = deleting({ property: 'at', days: 7 })
      const marked = (from: Schema, to: Schema): string[] =>
        diffSchemas(from, to, { dialect }).changes.filter(losesData).map(describeChange)
      expect(marked(deleting(), week)).toEqual(['T: delete rows 7 days after at, those too that are there'])
      expect(marked(week, deleting({ property: 'at', days: 6 }))).toHaveLength(1)
      expect(marked(week, deleting({ property: 'seen', days: 9 }))).toHaveLength(1)
      expect(marked(week, deleting({ property: 'at', days: 8 }))).toEqual([])
      expect(marked(week, deleting())).toEqual([])
      const renamed = table((t) => ({ time: t.timestamp(), seen: t.timestamp() }), {
        rowDeletion: { property: 'time', days: 7 },
      } as never)
      const renames = { columns: { T: { at: 'time' } } }
      const { changes } = diffSchemas(week, renamed, { dialect, renames })
      expect(changes.at(-1)).toEqual({ kind: 'drop-column', table: 'T', column: 'at', renamedTo: 'time' })
      expect(changes.filter(losesData)).toEqual([])
      expect(marked(defineSchema([]), week)).toEqual([])
    },
  )

  it('compares bytes literals by their bytes, not by their characters', () => {
    const dialect = googlesql
    const schemaWith = (value: string): Schema => table((t) => ({ b: t.bytes({ default: sql(value) }) }))
    expect(diffSchemas(schemaWith("b'\\xff'"), schemaWith("b'ÿ'"), { dialect }).changes).toMatchObject([
      { kind: 'alter-column' },
    ])
    expect(diffSchemas(schemaWith("b'\\xc3\\xbf'"), schemaWith("b'ÿ'"), { dialect }).changes).toEqual([])
  })

  it('returns changes that are plain data', () => {
    for (const { from, to } of planCases) {
      const { changes } = diffSchemas(from, to, { dialect: googlesql })
      expect(JSON.parse(JSON.stringify(changes))).toEqual(changes)
    }
  })

  it('describeChange() describes each change in a sentence with the old and the new state', () => {
    expect(described('changes lengths and nullability of columns')).toEqual([
      'T: change the column text: string of length 10 becomes string of length 20, it becomes NOT NULL',
      'T: change the column some: it becomes nullable',
      'T: change the column tags: array of string of length 5 becomes array of string of length max, it becomes nullable',
    ])
    expect(described('recreates an index when a key part becomes NOT NULL')).toEqual([
      'T: drop the index ByA, since a changes',
      'T: change the column a: it becomes NOT NULL',
      'T: create the index ByA (a)',
    ])
    expect(described('changes the counter of an identity and of a sequence')[0]).toBe(
      'S: change the sequence: it starts at 50, and values may repeat if the database counts from there again, it skips 1 to 9',
    )
    expect(described('gives a column another name')).toContain('T: copy mail into email')
  })

  it.each(planCases)(
    'describeChange() has a sentence for each change of a plan that $name',
    ({ from, to, renames }) => {
      const { changes } = diffSchemas(from, to, { dialect: googlesql, ...(renames && { renames }) })
      expect(changes.map(describeChange).filter((text) => !/^\S+: \S.*[\w)]$/.test(text))).toEqual([])
    },
  )
})

describe('renameCandidates()', () => {
  const customer = (name: string, columns: readonly string[]): Schema =>
    defineSchema([
      defineTable(name, (t) => ({
        id: t.uuidV4(),
        ...Object.fromEntries(columns.map((each) => [each, t.string({ length: 50 })])),
      })),
    ])

  it.each(both)('suggests a table of similar shape, but no table with other columns, in $name', (dialect) => {
    const [from, to] = [customer('Customer', ['a', 'b', 'c']), customer('Client', ['a', 'b', 'd'])]
    expect(renameCandidates(from, to, { dialect })).toMatchObject([
      { kind: 'table', from: 'Customer', to: 'Client' },
    ])
    const other = defineSchema([defineTable('Client', (t) => ({ id: t.int64().key(), a: t.string() }))])
    expect(renameCandidates(from, other, { dialect })).toEqual([])
  })

  it.each(both)(
    'suggests columns of the same type, and first the columns with the most similar names, in $name',
    (dialect) => {
      const [from, to] = [customer('C', ['email', 'town']), customer('C', ['city', 'emailAddress'])]
      const pairs = renameCandidates(from, to, { dialect }).map((each) => [each.from, each.to])
      expect(pairs).toHaveLength(4)
      expect(pairs[0]).toEqual(['email', 'emailAddress'])
    },
  )

  it('suggests no column of another type and no generated column', () => {
    const from = table((t) => ({ a: t.int64(), g: t.int64({ generated: 'id' }) }))
    const to = table((t) => ({ b: t.string(), h: t.int64({ generated: 'id' }) }))
    expect(renameCandidates(from, to, { dialect: googlesql })).toEqual([])
  })
})
