import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PlainRow } from '../../../src/engine/codec.js'
import { sortGroups } from '../../../src/read/run/streams.js'

// Rows come in the order of a key that is coarser than the wanted order. What is read chunk by chunk, each chunk from the
// start of the group that the one before has left open, is the same as all rows sorted.

interface Row {
  readonly group: number
  readonly within: number
}

const compare = (a: PlainRow, b: PlainRow): number =>
  (a['group'] as number) - (b['group'] as number) || (a['within'] as number) - (b['within'] as number)

const keyOf = ({ group }: PlainRow) => [String(group)]

const plain = (rows: readonly Row[]): PlainRow[] => rows.map((row) => ({ ...row }))

/** No two rows are equal, but many are in one group, and in no order there. */
const rows: fc.Arbitrary<readonly Row[]> = fc
  .uniqueArray(fc.record({ group: fc.integer({ min: 0, max: 6 }), within: fc.nat({ max: 50 }) }), {
    maxLength: 60,
    selector: ({ group, within }) => `${group}/${within}`,
  })
  .map((all) => all.toSorted((a, b) => a.group - b.group))

interface Chunk {
  readonly requested: number
  readonly returned: readonly PlainRow[]
}

/** As a stream is read: the next chunk begins with the group that is not whole yet, and has room for more. */
function readAll(
  all: readonly Row[],
  limit: number,
  behind?: PlainRow,
): { read: PlainRow[]; chunks: Chunk[] } {
  const read: PlainRow[] = []
  const chunks: Chunk[] = []
  let [from, requested] = [behind === undefined ? -Infinity : (behind['group'] as number), limit]
  for (;;) {
    const chunk = plain(all.filter(({ group }) => group >= from).slice(0, requested))
    const open = chunk.length === requested
    const { rows: returned, began } = sortGroups(chunk, compare, { keyOf, open, behind })
    chunks.push({ requested, returned })
    if (chunks.length > 1000) throw new Error('It reads the same group for ever.')
    read.push(...returned)
    if (!open) return { read, chunks }
    from = chunk.at(-1)!['group'] as number
    // Or a group that fills a chunk would be read for ever.
    requested = began ? limit : requested * 4
  }
}

describe('sortGroups()', () => {
  it('returns, chunk by chunk, the same rows as sorting all rows at once', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 12 }), (all, limit) => {
        const { read } = readAll(all, limit)
        expect(read).toStrictEqual(plain(all).toSorted(compare))
      }),
      { numRuns: 1000 },
    )
  })

  it('returns only the rows after a given row, wherever this row is in its group', () => {
    fc.assert(
      fc.property(
        rows,
        fc.integer({ min: 1, max: 12 }),
        fc.record({ group: fc.integer({ min: 0, max: 6 }), within: fc.nat({ max: 50 }) }),
        (all, limit, row) => {
          const behind = { ...row }
          const { read } = readAll(all, limit, behind)
          expect(read).toStrictEqual(
            plain(all)
              .toSorted(compare)
              .filter((each) => compare(each, behind) > 0),
          )
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('returns no row of a group that may have more rows in the next chunk', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 12 }), (all, limit) => {
        const whole = new Map<number, number>()
        for (const { group } of all) whole.set(group, (whole.get(group) ?? 0) + 1)
        for (const { returned } of readAll(all, limit).chunks) {
          const seen = new Map<number, number>()
          for (const { group } of returned as unknown as Row[]) seen.set(group, (seen.get(group) ?? 0) + 1)
          for (const [group, count] of seen) expect(count).toBe(whole.get(group))
        }
      }),
    )
  })

  it('reports in began whether the chunk contains a complete group', () => {
    const one = plain([
      { group: 1, within: 2 },
      { group: 1, within: 1 },
    ])
    const two = [...one, { group: 2, within: 0 }]
    const groups = (some: PlainRow[], open: boolean, behind?: PlainRow) =>
      sortGroups(some, compare, { keyOf, open, behind })
    expect(groups(one, true)).toStrictEqual({ rows: [], began: false })
    expect(groups(one, false)).toStrictEqual({ rows: [one[1], one[0]], began: true })
    expect(groups(two, true)).toStrictEqual({ rows: [one[1], one[0]], began: true })
    expect(groups(two, false)).toStrictEqual({ rows: [one[1], one[0], two[2]], began: true })
    // The group is complete, although no row of it is left.
    expect(groups(two, true, { group: 1, within: 9 })).toStrictEqual({ rows: [], began: true })
    expect(groups([], false)).toStrictEqual({ rows: [], began: false })
  })

  it('keeps the order of its input list unchanged', () => {
    const input = plain([
      { group: 1, within: 9 },
      { group: 1, within: 1 },
      { group: 2, within: 5 },
      { group: 2, within: 0 },
    ])
    const copy = [...input]
    sortGroups(input, compare, { keyOf, open: false, behind: undefined })
    sortGroups(input, compare, { keyOf, open: true, behind: { group: 1, within: 1 } })
    expect(input).toStrictEqual(copy)
  })
})
