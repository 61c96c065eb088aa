import type { CqlTarget } from '../model/cql-target.js'
import type { ExpectedLoad } from '../model/table.js'
import { count } from './load.js'
import { PARTITION_LOADS, partitionShards } from './partition-load.js'

/** So few writes that one partition takes them beside its other work. */
export function isLightOn(load: ExpectedLoad | undefined, target: CqlTarget = 'cassandra'): boolean {
  if (load?.writesPerSecond === undefined) return false
  const { writesPerSecond, rowBytes = 0 } = load
  const { writeUnits } = partitionShards({ writesPerSecond, rowBytes }, target)
  return writeUnits <= PARTITION_LOADS[target].writeUnits / 10
}

/** What a message adds where one partition is enough for a table's writes. */
export function lightlyOn(load: ExpectedLoad | undefined, target: CqlTarget | undefined): string {
  return isLightOn(load, target)
    ? `, which take the ${count(load!.writesPerSecond!)} rows a second that expect speaks of`
    : ''
}
