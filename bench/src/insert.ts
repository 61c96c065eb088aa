import { deepStrictEqual } from 'node:assert'
import type { Database } from '@google-cloud/spanner'
import type { Database as Isotherm } from '@isotherm/core'
import { AccessLog, accessAt, createAccessLog, type NewAccessOfUser } from './access-log.js'
import type { Benchmark } from './benchmark.js'
import { compare, type Comparison } from './harness.js'
import { spannerClass, toRaw } from './raw-access-log.js'

const SIZES = [
  { size: 100, turns: 20 },
  { size: 1_000, turns: 5 },
]

/**
 * Rows with a UUID, a timestamp and a shard, which the database computes. Isotherm makes the same values, checks what it
 * is given, and gives the rows back with their keys.
 */
export const insert: Benchmark = {
  name: 'insert',
  title: 'rows inserted by mutations: db.insert against table.insert',
  async run(context) {
    const comparisons: Comparison[] = []
    for (const { size, turns } of SIZES) {
      // A table of its own, so that the emulator does not slow down from one size to the next.
      const { database, db } = await createAccessLog(context)
      const accesses = Array.from({ length: size }, (_, position) => accessAt(position))
      comparisons.push(
        await compare({
          name: `batches of ${size.toLocaleString('en')}`,
          per: 'row',
          operations: size,
          turns,
          targets: { cpu: 1.15 },
          ...(await sidesOf(database, db, accesses)),
        }),
      )
      await database.delete()
    }
    return comparisons
  },
}

async function sidesOf(database: Database, db: Isotherm, accesses: readonly NewAccessOfUser[]) {
  const Spanner = await spannerClass()
  const table = database.table('AccessLog')
  const sides = {
    raw: () => table.insert(accesses.map((access) => toRaw(Spanner, access))),
    ours: () => db.insert(AccessLog, accesses),
  }
  await sides.raw()
  const byRaw = await givenFields(db)
  await sides.ours()
  const byBoth = await givenFields(db)
  deepStrictEqual(
    byBoth,
    byRaw.flatMap((access) => [access, access]),
    'Both sides write the same.',
  )
  return sides
}

/** What the table holds, without what is made anew for each row. */
async function givenFields(db: Isotherm): Promise<NewAccessOfUser[]> {
  const rows = await db.fanOut(AccessLog).orderBy('userId').all()
  return rows.map(({ userId, page, status, referrer }) => ({ userId, page, status, referrer }))
}
