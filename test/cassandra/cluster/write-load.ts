import { openDatabase } from '@isotherm/core'
import { cassandra, cql } from '@isotherm/cassandra'
import type { Cassandra } from '@isotherm/cassandra/local'
import type { Client } from 'cassandra-driver'
import { DAY, SHARDS, Sharded, Unsharded, schema } from './models.js'

/** Where the writes of one day went. */
export interface WriteLoad {
  readonly table: string
  readonly rows: number
  /** Rows of each partition, the fullest first: as the database counts them. */
  readonly partitions: readonly number[]
  /** Writes that each node says that it took for this table, the busiest first. */
  readonly nodes: readonly number[]
}

const ROWS_A_CALL = 500
const CALLS_IN_FLIGHT = 8

/** Writes a day into a table, and asks every node what of it came to it. */
export async function loadOfNodes(
  engine: Cassandra,
  client: Client,
  model: typeof Sharded | typeof Unsharded,
  rows: number,
): Promise<WriteLoad> {
  const table = model === Sharded ? 'sharded' : 'unsharded'
  const db = openDatabase({ driver: cassandra(client, { dialect: cql }), schema })
  const before = await countsOfNodes(engine, client, { view: 'local_write_latency', table })
  const midnight = Date.parse(`${DAY}T00:00:00Z`)
  let next = 0
  const writer = async (): Promise<void> => {
    while (next < rows) {
      const from = next
      next = Math.min(rows, from + ROWS_A_CALL)
      const posts = Array.from({ length: next - from }, (_, at) => ({
        publishDate: DAY,
        publishedAt: new Date(midnight + Math.floor(((from + at) * 86_400_000) / rows)),
        title: `Post ${from + at}`,
      }))
      await db.insert(model, posts, { allowMultipleCommits: true })
    }
  }
  await Promise.all(Array.from({ length: CALLS_IN_FLIGHT }, writer))
  const after = await countsOfNodes(engine, client, { view: 'local_write_latency', table })
  return {
    table,
    rows,
    partitions: (await rowsOfPartitions(client, table)).toSorted((a, b) => b - a),
    nodes: after.map((count, at) => count - before[at]!).toSorted((a, b) => b - a),
  }
}

/** By CQL of its own, so that nothing of what is measured counts itself. */
async function rowsOfPartitions(client: Client, table: string): Promise<number[]> {
  const count = async (where: string, values: readonly unknown[]): Promise<number> => {
    const { rows } = await client.execute(`SELECT count(*) AS n FROM "${table}" WHERE ${where}`, values, {
      prepare: true,
      readTimeout: 60_000,
    })
    return Number(rows[0]!['n'])
  }
  if (table === 'unsharded') return [await count('publish_date = ?', [DAY])]
  return Promise.all(
    Array.from({ length: SHARDS }, (_, shard) => count('publish_date = ? AND shard = ?', [DAY, shard + 1])),
  )
}

/** What each node counts for a table: the work that clients gave it, and the work that it did on its own rows. */
export async function countsOfNodes(
  engine: Cassandra,
  client: Client,
  { view, table }: { readonly view: View; readonly table: string },
): Promise<number[]> {
  return Promise.all(
    engine.contactPoints.map(async (address) => {
      const { rows } = await client.execute(
        `SELECT keyspace_name, table_name, count FROM system_views.${view}`,
        [],
        { host: client.hosts.get(address)! },
      )
      const own = rows.find((row) => row['keyspace_name'] === client.keyspace && row['table_name'] === table)
      return own ? Number(own['count']) : 0
    }),
  )
}

export type View =
  | 'local_write_latency'
  | 'coordinator_write_latency'
  | 'local_read_latency'
  | 'coordinator_read_latency'

export function shareOfBusiest(counts: readonly number[]): number {
  return counts[0]! / counts.reduce((sum, count) => sum + count, 0)
}

export function loadTable(loads: readonly WriteLoad[]): string {
  const percent = (share: number): string => `${(share * 100).toFixed(2)} %`
  const lines = [
    ['table', 'rows', 'partitions', 'busiest partition', 'busiest node of 3'],
    ...loads.map(({ table, rows, partitions, nodes }) => [
      table,
      rows.toLocaleString('en'),
      String(partitions.length),
      percent(shareOfBusiest(partitions)),
      percent(shareOfBusiest(nodes)),
    ]),
  ]
  const widths = lines[0]!.map((_, at) => Math.max(...lines.map((cells) => cells[at]!.length)))
  return lines
    .map((cells) =>
      cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join('  '),
    )
    .join('\n')
}
