import type { Schema, SqlDialect } from '@isotherm/core'
import { compareWithLive, diffSchemas, planMigration, type SchemaChange } from '@isotherm/migrations'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { randomSchemas } from '../dialects/random-schemas.js'
import { mutated } from './mutations.js'
import { type WithDatabase, databaseAfter, isMakable, recordedOf, unordered } from './planned.js'

/** How many pairs: a few in CI, 300 in a long run. */
const PAIRS = Number(process.env['ISOTHERM_PAIRS'] ?? 30)

interface Pair {
  readonly from: Schema
  readonly to: Schema
}

/** Mostly similar schemas, sometimes two unrelated schemas. */
function pairs(dialect: SqlDialect): fc.Arbitrary<Pair> {
  return randomSchemas(dialect)
    .chain((from) =>
      fc.record({
        from: fc.constant(from),
        to: fc.oneof(
          { weight: 9, arbitrary: mutated(from, dialect) },
          { weight: 1, arbitrary: randomSchemas(dialect) },
        ),
      }),
    )
    .filter(({ from, to }) => isMakable(to, dialect) && !isHeldByStream(from, to) && !endsWatch(from, to))
}

/**
 * Whether a table is dropped that a change stream watched by its columns, and the stream stays: the emulator keeps such a
 * table, however the stream is altered.
 */
function isHeldByStream(from: Schema, to: Schema): boolean {
  return from.changeStreams.some(
    ({ name, watch }) =>
      watch !== 'all' &&
      to.changeStreams.some((stream) => stream.name === name) &&
      watch.some(({ table, columns }) => columns !== 'all' && !to.tables.some((each) => each.name === table)),
  )
}

/** Whether a change stream that watched everything shall watch nothing: the emulator continues to report everything. */
function endsWatch(from: Schema, to: Schema): boolean {
  return from.changeStreams.some(
    ({ name, watch }) =>
      watch === 'all' && to.changeStreams.some((stream) => stream.name === name && stream.watch.length === 0),
  )
}

/** The data that a change deletes, as `Table` or `Table.column`. */
function dropped(change: SchemaChange): string[] {
  if (change.kind === 'drop-table') return [change.table]
  return change.kind === 'drop-column' ? [`${change.table}.${change.column}`] : []
}

/** @param on creates the databases */
export function testPairs(dialect: SqlDialect, on: WithDatabase): void {
  it(
    `a plan turns a database into its target schema for ${PAIRS} random pairs of schemas, or the diff refuses`,
    { timeout: 1_200_000 },
    async () => {
      const counts: Record<string, number> = {}
      const count = (what: string): void => {
        counts[what] = (counts[what] ?? 0) + 1
      }
      await fc.assert(
        fc.asyncProperty(pairs(dialect), async ({ from, to }) => {
          const { changes, refusals } = diffSchemas(from, to, { dialect })
          const kept = new Set(
            to.tables.flatMap(({ name, columns }) => [
              name,
              ...columns.map((column) => `${name}.${column.name}`),
            ]),
          )
          expect(changes.flatMap(dropped).filter((name) => kept.has(name))).toEqual([])
          for (const kind of new Set(refusals.map((refusal) => refusal.kind))) count(`refused: ${kind}`)
          count(refusals.length > 0 ? 'refused' : changes.length > 0 ? 'planned' : 'the same')
          if (refusals.length > 0) return
          const statements = planMigration(from, to, { dialect })
          const after = await databaseAfter(on, from, dialect, statements)
          const wanted = await databaseAfter(on, to, dialect)
          expect(unordered(after)).toEqual(unordered(wanted))
          const recorded = await recordedOf(on, to, dialect)
          expect(compareWithLive(to, after, { dialect, recorded })).toEqual({ changes: [], refusals: [] })
        }),
        {
          numRuns: PAIRS,
          endOnFailure: true,
          ...(process.env['SEED'] ? { seed: Number(process.env['SEED']), path: process.env['PATHX'] } : {}),
        },
      )
      console.log(`${dialect.name}:`, counts)
      expect(counts['planned'] ?? 0).toBeGreaterThan(counts['refused'] ?? 0)
    },
  )
}
