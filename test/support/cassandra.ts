import { startCassandra, type Cassandra } from '@isotherm/cassandra/local'
import { inject } from 'vitest'
import { atEndOfFile } from './end-of-file.js'

let engine: Promise<Cassandra> | undefined

/** The one node that all files share; what a file creates with it is dropped when the file is done. */
export function sharedCassandra(): Promise<Cassandra> {
  if (engine) return engine
  const existing = startCassandra({ launchers: ['given'], contactPoints: inject('cassandraContactPoints') })
  atEndOfFile(async () => {
    engine = undefined
    await (await existing).stop()
  })
  engine = existing
  return existing
}

/** The client options that the driver needs. */
export const clientOptions = { encoding: { useBigIntAsLong: true, map: Map } }

/**
 * For statements beside the driver's: stamped by the node, as the driver's are. With the client's clock a deletion can have the
 * same time as the insert that follows it, and then the deletion wins.
 */
export const byNodeClock = { timestamp: null as never }

/** Syntax that only Keyspaces supports; all other statements are those of Cassandra. */
const PROPERTIES =
  /\s+AND CUSTOM_PROPERTIES = \{.*?\}\}|CUSTOM_PROPERTIES = \{.*?\}\}\s+AND\s+|\s+WITH CUSTOM_PROPERTIES = \{.*?\}\}$/

/** The DDL of either dialect in the syntax of Cassandra. */
export function asCassandraTakes(ddl: readonly string[]): string[] {
  return ddl.map((statement) => statement.replace(PROPERTIES, ''))
}
