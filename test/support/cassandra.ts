import { startCassandra, type Cassandra } from '@isotherm/core/engines'
import { afterAll, inject } from 'vitest'

let engine: Promise<Cassandra> | undefined

/** The one node that all files share; what a file creates with it is dropped when the file is done. */
export function sharedCassandra(): Promise<Cassandra> {
  engine ??= startCassandra({ ways: ['given'], contactPoints: inject('cassandraContactPoints') })
  return engine
}

afterAll(async () => {
  await (await engine)?.stop()
})
