import { defineTable, IsothermError } from '@isotherm/core'
import { cql } from '@isotherm/cassandra'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RowWrite } from '../../src/engine/driver.js'
import { partitionCommits, partitionsOf, runCommits } from '../../src/engine/partition-writes.js'
import { layoutOf } from '../support/layout.js'
import { refusal } from '../support/refusal.js'
import { rowsOf } from './support/partition-driver.js'

// How rows are divided into commits if a commit is one partition, and how several commits run.

const layout = layoutOf(
  cql,
  defineTable('Event', (t) => ({
    position: t.int32().key(),
    at: t.int32().key(),
    note: t.string({ nullable: true }),
  })),
)

type Op = 'insert' | 'update' | 'upsert' | 'delete'

function placed(op: Op, rows: readonly (readonly [position: number, at: number])[], fresh = false): RowWrite {
  const { name } = layout.table
  const positions = rows.map((_, at) => at)
  if (op === 'delete') return { op, table: name, layout, keys: rows, positions }
  // Columns are in whatever order the caller has them.
  const columns = ['note', 'at', 'position']
  const wires = rows.map(([position, at]) => ['x', at, position])
  return {
    op,
    table: name,
    layout,
    columns,
    rows: wires,
    positions,
    ...(fresh ? { fresh: true as const } : {}),
  }
}

const commitsOf = (
  writes: readonly RowWrite[],
  { max = 100, conditional }: { readonly max?: number; readonly conditional?: boolean } = {},
) => partitionCommits(writes, max, { ...(conditional !== undefined && { conditional }) })

const grouped = fc.uniqueArray(fc.tuple(fc.nat(4), fc.nat(30)), { selector: (row) => row.join() })

describe('partitionCommits() for writes without a condition', () => {
  it.each([
    ['upsert', {}],
    ['delete', {}],
    ['insert', { conditional: false }],
    ['update', { conditional: false }],
    ['insert', {}, true],
  ] as const)(
    'divides rows into commits of one partition each, with every row once: %s %o',
    (op, options, fresh?: boolean) => {
      fc.assert(
        fc.property(grouped, fc.integer({ min: 1, max: 6 }), (rows, max) => {
          const writes = placed(op, rows, fresh)
          const commits = commitsOf([writes], { ...options, max })
          const partOf = op === 'delete' ? 0 : 2
          for (const { mutations, positions } of commits) {
            const wires = rowsOf(mutations)
            expect(new Set(wires.map((row) => row[partOf])).size).toBe(1)
            expect(wires.length).toBeLessThanOrEqual(max)
            expect(wires.map((row) => row[partOf])).toStrictEqual(
              positions.map((position) => rows[position]![0]),
            )
          }
          const all = commits.flatMap(({ positions }) => positions).sort((a, b) => a - b)
          expect(all).toStrictEqual(rows.map((_, at) => at))
          const each = new Map<number, number>()
          for (const [position] of rows) each.set(position, (each.get(position) ?? 0) + 1)
          expect(commits.length).toBe(
            [...each.values()].reduce((sum, rows) => sum + Math.ceil(rows / max), 0),
          )
          expect(partitionsOf([writes])).toBe(each.size)
        }),
      )
    },
  )

  it('keeps the operation, the columns and the row indexes of each mutation in a shared commit', () => {
    const [commit, ...more] = commitsOf([
      placed('insert', [[1, 1]], true),
      { ...placed('upsert', [[1, 2]]), positions: [1] },
      { ...placed('delete', [[1, 3]]), positions: [2] },
    ])
    expect(more).toStrictEqual([])
    expect(commit!.mutations.map(({ op }) => op)).toStrictEqual(['insert', 'upsert', 'delete'])
    expect(commit!.mutations[0]).toMatchObject({ fresh: true, layout, columns: ['note', 'at', 'position'] })
    expect(commit!.positions).toStrictEqual([0, 1, 2])
  })

  it.each([
    ['upsert', {}],
    ['update', {}],
    ['update', { conditional: false }],
    ['insert', { conditional: false }],
  ] as const)('rejects two rows with the same key: %s %o', (op, options) => {
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

  it('accepts two deletes of the same key', () => {
    const rows = [
      [1, 1],
      [1, 1],
    ] as const
    expect(commitsOf([placed('delete', rows)])).toHaveLength(1)
  })
})

it.each(['insert', 'update'] as const)(
  'partitionCommits() makes one commit for each row of a conditional %s',
  (op) => {
    fc.assert(
      fc.property(grouped, (rows) => {
        const commits = commitsOf([placed(op, rows)])
        expect(commits.map(({ positions }) => positions)).toStrictEqual(rows.map((_, at) => [at]))
        expect(commits.map(({ mutations }) => rowsOf(mutations).length)).toStrictEqual(rows.map(() => 1))
      }),
    )
  },
)

describe('runCommits()', () => {
  const commits = Array.from({ length: 200 }, (_, at) => ({ positions: [at] }))
  const failing = (code: 'ALREADY_EXISTS' | 'OUTCOME_UNKNOWN') => new IsothermError(code, 'It did not work.')

  it('runs at most 64 commits at the same time', async () => {
    let now = 0
    let max = 0
    await runCommits(commits, async () => {
      max = Math.max(max, ++now)
      await new Promise((resolve) => setImmediate(resolve))
      now--
    })
    expect(max).toBe(64)
  })

  it('waits for the running commits after a failure and starts no further commits', async () => {
    const ended: number[] = []
    const run = runCommits(commits, async ({ positions: [position] }) => {
      if (position === 3) throw failing('ALREADY_EXISTS')
      await new Promise((resolve) => setImmediate(resolve))
      ended.push(position!)
    })
    const error: unknown = await run.catch((caught: unknown) => caught)
    const begun = commits.flatMap((_, at) => (at < 64 && at !== 3 ? [at] : []))
    expect(ended).toStrictEqual(begun)
    expect(error).toMatchObject({ committed: begun, unknown: [], cause: { code: 'ALREADY_EXISTS' } })
  })

  it('reports an OUTCOME_UNKNOWN before other errors, with the rows of unknown outcome', async () => {
    const run = runCommits(commits.slice(0, 5), async ({ positions: [position] }) => {
      if (position === 0) throw failing('ALREADY_EXISTS')
      await new Promise((resolve) => setImmediate(resolve))
      if (position! > 2) throw failing('OUTCOME_UNKNOWN')
    })
    await expect(run).rejects.toMatchObject({
      committed: [1, 2],
      unknown: [3, 4],
      cause: { code: 'OUTCOME_UNKNOWN' },
    })
  })

  it('throws the error of the commit itself if there is only one commit', async () => {
    const run = runCommits(commits.slice(0, 1), () => Promise.reject(failing('ALREADY_EXISTS')))
    await expect(run).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
  })
})
