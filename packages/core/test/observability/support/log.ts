import {
  defineSchema,
  defineTable,
  openDatabase,
  type Database,
  type Telemetry,
  type TransactionalDriver,
} from '@isotherm/core'
import { openTelemetry } from '@isotherm/core/opentelemetry'
import { shardOf } from '@isotherm/core/keys'
import { googlesql } from '@isotherm/spanner'
import type { PlainRow } from '../../../src/engine/codec.js'
import { CompiledTables } from '../../../src/rows/compiled-table.js'
import type { ReadOptions, ReadRequest } from '../../../src/engine/driver.js'
import { memoryDriver } from '../../fan-out/support/memory.js'

function logTable(shards: number) {
  return defineTable('Log', (t) => ({
    shardId: t.shardKey({ shards, of: ['userId'] }),
    at: t.timestamp().key(),
    userId: t.int64().key(),
  }))
}

export interface Log {
  readonly db: Database
  readonly driver: TransactionalDriver
  readonly table: ReturnType<typeof logTable>
  readonly rows: readonly PlainRow[]
}

/** What happens before a read is answered. */
export type Before = (shard: number, options: ReadOptions | undefined) => unknown

/** A table in memory, of so many shards with a row in each at least. */
export function openLog(
  shards: number,
  before: Before = () => {},
  more: Partial<TransactionalDriver> = {},
  telemetry: { readonly telemetry?: Telemetry } = { telemetry: openTelemetry() },
): Log {
  const table = logTable(shards)
  const schema = defineSchema([table])
  const compiled = new CompiledTables(schema, googlesql).of('Log')
  const rows: PlainRow[] = []
  const filled = new Set<number>()
  for (let userId = 0n; filled.size < shards; userId++) {
    const shard = shardOf(userId, shards)
    filled.add(shard)
    rows.push({ shardId: BigInt(shard), at: new Date(Number(userId)), userId })
  }
  const memory = memoryDriver(compiled, rows)
  // The database compiles the table for itself: its columns are other objects.
  const columns = compiled.layout.fields.flatMap(({ physical }) => physical)
  const read = async (request: ReadRequest, options?: ReadOptions) => {
    await before(Number(request.ranges?.[0]?.start[0]), options)
    const same = request.columns.map(({ name }) => columns.find((column) => column.name === name)!)
    return memory.read({ ...request, columns: same })
  }
  const driver: TransactionalDriver = {
    ...memory,
    system: 'gcp.spanner',
    read,
    snapshot: async () => ({ ...(await memory.snapshot()), read }),
    ...more,
  }
  return { db: openDatabase({ driver, schema, ...telemetry }), driver, table, rows }
}
