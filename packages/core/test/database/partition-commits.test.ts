import { defineTable, IsothermError } from '@isotherm/core'
import { cql } from '@isotherm/cassandra'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RowWrite } from '../../src/engine/driver.js'
import { partitionCommits, partitionsOf, runCommits } from '../../src/engine/partition-writes.js'
import { layoutOf } from '../support/layout.js'
import { refusal } from '../support/refusal.js'
import { rowsOf } from './support/partition-driver.js'

// Which rows go together where a commit is one partition, and what becomes of many commits.

const layout = layoutOf(
  cql,
  defineTable('Event', (t) => ({
    place: t.int32().key(),
    at: t.int32().key(),
    note: t.string({ nullable: true }),
  })),
)

type Op = 'insert' | 'update' | 'upsert' | 'delete'

function placed(op: Op, rows: readonly (readonly [place: number, at: number])[], fresh = false): RowWrite {
  const { name } = layout.table
  const places = rows.map((_, at) => at)
  if (op === 'delete') return { op, table: name, layout, keys: rows, places }
  // Columns are in whatever order the caller has them.
  const columns = ['note', 'at', 'place']
  const wires = rows.map(([place, at]) => ['x', at, place])
  return { op, table: name, layout, columns, rows: wires, places, ...(fresh ? { fresh: true as const } : {}) }
}

const commitsOf = (
  writes: readonly RowWrite[],
  { most = 100, conditional }: { readonly most?: number; readonly conditional?: boolean } = {},
) => partitionCommits(writes, most, { ...(conditional !== undefined && { conditional }) })

const grouped = fc.uniqueArray(fc.tuple(fc.nat(4), fc.nat(30)), { selector: (row) => row.join() })

describe('rows that depend on nothing', () => {
  it.each([
    ['upsert', {}],
    ['delete', {}],
    ['insert', { conditional: false }],
    ['update', { conditional: false }],
    ['insert', {}, true],
  ] as const)('go by partitions, each of them once: %s %o', (op, options, fresh?: boolean) => {
    fc.assert(
      fc.property(grouped, fc.integer({ min: 1, max: 6 }), (rows, most) => {
        const writes = placed(op, rows, fresh)
        const commits = commitsOf([writes], { ...options, most })
        const partOf = op === 'delete' ? 0 : 2
        for (const { mutations, places } of commits) {
          const wires = rowsOf(mutations)
          expect(new Set(wires.map((row) => row[partOf])).size).toBe(1)
          expect(wires.length).toBeLessThanOrEqual(most)
          expect(wires.map((row) => row[partOf])).toStrictEqual(places.map((place) => rows[place]![0]))
        }
        const all = commits.flatMap(({ places }) => places).sort((a, b) => a - b)
        expect(all).toStrictEqual(rows.map((_, at) => at))
        const each = new Map<number, number>()
        for (const [place] of rows) each.set(place, (each.get(place) ?? 0) + 1)
        expect(commits.length).toBe([...each.values()].reduce((sum, rows) => sum + Math.ceil(rows / most), 0))
        expect(partitionsOf([writes])).toBe(each.size)
      }),
    )
  })

  it('keep what each mutation says of them', () => {
    const [commit, ...more] = commitsOf([
      placed('insert', [[1, 1]], true),
      { ...placed('upsert', [[1, 2]]), places: [1] },
      { ...placed('delete', [[1, 3]]), places: [2] },
    ])
    expect(more).toStrictEqual([])
    expect(commit!.mutations.map(({ op }) => op)).toStrictEqual(['insert', 'upsert', 'delete'])
    expect(commit!.mutations[0]).toMatchObject({ fresh: true, layout, columns: ['note', 'at', 'place'] })
    expect(commit!.places).toStrictEqual([0, 1, 2])
  })

  it.each([
    ['upsert', {}],
    ['update', {}],
    ['update', { conditional: false }],
    ['insert', { conditional: false }],
  ] as const)('are each there once: %s %o', (op, options) => {
    const rows = [
      [1, 1],
      [1, 2],
      [1, 1],
    ] as const
    expect(refusal(() => commitsOf([placed(op, rows)], options))).toMatchObject({
      code: 'INVALID_VALUE',
      message: expect.stringContaining('Rows 0 and 2 of Event have the same key.'),
    })
  })

  it('may be deleted twice', () => {
    const rows = [
      [1, 1],
      [1, 1],
    ] as const
    expect(commitsOf([placed('delete', rows)])).toHaveLength(1)
  })
})

it.each(['insert', 'update'] as const)('a row that depends on what is there goes alone: %s', (op) => {
  fc.assert(
    fc.property(grouped, (rows) => {
      const commits = commitsOf([placed(op, rows)])
      expect(commits.map(({ places }) => places)).toStrictEqual(rows.map((_, at) => [at]))
      expect(commits.map(({ mutations }) => rowsOf(mutations).length)).toStrictEqual(rows.map(() => 1))
    }),
  )
})

describe('commits side by side', () => {
  const commits = Array.from({ length: 200 }, (_, at) => ({ places: [at] }))
  const failing = (code: 'ALREADY_EXISTS' | 'OUTCOME_UNKNOWN') => new IsothermError(code, 'It did not work.')

  it('are 64 at a time', async () => {
    let now = 0
    let most = 0
    await runCommits(commits, async () => {
      most = Math.max(most, ++now)
      await new Promise((resolve) => setImmediate(resolve))
      now--
    })
    expect(most).toBe(64)
  })

  it('wait for those that have begun, and begin no other, once one has failed', async () => {
    const ended: number[] = []
    const run = runCommits(commits, async ({ places: [place] }) => {
      if (place === 3) throw failing('ALREADY_EXISTS')
      await new Promise((resolve) => setImmediate(resolve))
      ended.push(place!)
    })
    const error: unknown = await run.catch((caught: unknown) => caught)
    const begun = commits.flatMap((_, at) => (at < 64 && at !== 3 ? [at] : []))
    expect(ended).toStrictEqual(begun)
    expect(error).toMatchObject({ committed: begun, unknown: [], cause: { code: 'ALREADY_EXISTS' } })
  })

  it('tell of an unknown outcome before all else, and whose it is', async () => {
    const run = runCommits(commits.slice(0, 5), async ({ places: [place] }) => {
      if (place === 0) throw failing('ALREADY_EXISTS')
      await new Promise((resolve) => setImmediate(resolve))
      if (place! > 2) throw failing('OUTCOME_UNKNOWN')
    })
    await expect(run).rejects.toMatchObject({
      committed: [1, 2],
      unknown: [3, 4],
      cause: { code: 'OUTCOME_UNKNOWN' },
    })
  })

  it('fail as their only one does', async () => {
    const run = runCommits(commits.slice(0, 1), () => Promise.reject(failing('ALREADY_EXISTS')))
    await expect(run).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
  })
})
