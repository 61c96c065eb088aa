import { deepStrictEqual } from 'node:assert'
import { setTimeout as delay } from 'node:timers/promises'
import { shardOf } from '@isotherm/core/keys'
import { AccessLog, createAccessLog, loadAccessLog, SHARDS, type Access } from './access-log.js'
import type { Benchmark } from './benchmark.js'
import { compare, inFlight, type Comparison } from './harness.js'
import { AS_JSON, COLUMNS, fromRaw, type RawAccess } from './raw-access-log.js'

const ROWS = 4_000
const READS = 200

/**
 * A strong read on its own waits about 20 ms in the emulator, whatever the client, which would hide everything else: both
 * sides read as of a moment ago.
 */
const STALENESS = { exactStaleness: 1_000 }

export const pointRead: Benchmark = {
  name: 'point-read',
  title: 'one row by its key, 1 s stale: db.get against table.read with a hand-made shard',
  async run(context) {
    const { database, db } = await createAccessLog(context)
    const rows = await loadAccessLog(db, ROWS, context)
    await delay(STALENESS.exactStaleness + 100)

    const table = database.table('AccessLog')
    const raw = async ({ id, accessedAt }: Access): Promise<Access> => {
      const keys = [[String(shardOf(id, SHARDS)), accessedAt.toISOString(), id]]
      const [found] = await table.read({ keys, columns: COLUMNS, ...AS_JSON }, STALENESS)
      return fromRaw(found[0] as unknown as RawAccess)
    }
    const ours = ({ id, accessedAt }: Access) => db.get(AccessLog, { id, accessedAt }, { at: STALENESS })
    deepStrictEqual(await ours(rows[0]!), await raw(rows[0]!), 'Both sides read the same.')

    const comparisons: Comparison[] = []
    for (const width of [1, 16]) {
      // Every round reads other rows, the same ones on both sides.
      const turns = { raw: 0, ours: 0 }
      const next = (side: keyof typeof turns): Access[] => {
        const from = (turns[side]++ * READS) % ROWS
        return rows.slice(from, from + READS)
      }
      comparisons.push(
        await compare({
          name: width === 1 ? 'one after another' : `${width} in flight`,
          per: 'read',
          operations: READS,
          targets: { cpu: 1.15 },
          raw: () => inFlight(next('raw'), width, raw),
          ours: () => inFlight(next('ours'), width, ours),
        }),
      )
    }
    return comparisons
  },
}
