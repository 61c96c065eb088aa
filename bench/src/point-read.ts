import { deepStrictEqual } from 'node:assert'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@google-cloud/spanner'
import { shardOf } from '@isotherm/core/keys'
import { AccessLog, createAccessLog, loadAccessLog, SHARDS, type Access } from './access-log.js'
import type { Benchmark } from './benchmark.js'
import { compare, inTurn, type Comparison } from './harness.js'
import { AS_JSON, COLUMNS, fromRaw, type RawAccess } from './raw-access-log.js'

const ROWS = 4_000
/** In one turn. */
const READS = 32

/**
 * A strong read on its own waits about 20 ms in the emulator, whatever the client, which would hide everything else: both
 * sides read as of a moment ago.
 */
const STALENESS = { exactStaleness: 1_000 }

type Get = (access: Access) => Promise<Access | undefined>

export const pointRead: Benchmark = {
  name: 'point-read',
  title: 'one row by its key, 1 s stale: db.get against table.read with a hand-made shard',
  async run(context) {
    const { database, db } = await createAccessLog(context)
    const rows = await loadAccessLog(db, ROWS, context)
    await delay(STALENESS.exactStaleness + 100)

    const ours: Get = ({ id, accessedAt }) => db.get(AccessLog, { id, accessedAt }, { at: STALENESS })
    const sides = [
      { name: 'table.read', raw: byTableRead(database), targets: { cpu: 1.15 } },
      {
        name: 'single-use read in a kept session (a lower bound)',
        raw: await bySession(database),
        targets: {},
      },
    ]
    const comparisons: Comparison[] = []
    for (const { name, raw, targets } of sides) {
      deepStrictEqual(await ours(rows[0]!), await raw(rows[0]!), 'Both sides read the same.')
      for (const width of [1, 16]) {
        comparisons.push(
          await compare({
            name: `${name}, ${width === 1 ? 'one after another' : `${width} in flight`}`,
            per: 'read',
            operations: READS,
            turns: 4,
            targets,
            raw: inTurn(rows, READS, width, raw),
            ours: inTurn(rows, READS, width, ours),
          }),
        )
      }
    }
    return comparisons
  },
}

function requestFor({ id, accessedAt }: Access) {
  return {
    keys: [[String(shardOf(id, SHARDS)), accessedAt.toISOString(), id]],
    columns: COLUMNS,
    ...AS_JSON,
  }
}

function byTableRead(database: Database): Get {
  const table = database.table('AccessLog')
  return async (access) => {
    const [found] = await table.read(requestFor(access), STALENESS)
    return fromRaw(found[0] as unknown as RawAccess)
  }
}

/**
 * `table.read` begins a transaction before it reads. A session of your own needs no such round trip, but must be kept
 * alive, shared and replaced by hand: the least that a read can cost with this client.
 */
async function bySession(database: Database): Promise<Get> {
  const [session] = await database.createSession({})
  return async (access) => {
    const [found] = await session.snapshot(STALENESS).read('AccessLog', requestFor(access))
    return fromRaw(found[0] as unknown as RawAccess)
  }
}
