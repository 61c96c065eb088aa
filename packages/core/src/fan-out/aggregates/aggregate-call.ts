import type { ReadOptions } from '../../database/driver.js'
import { Limits } from '../../database/retries.js'
import type { TableLayout } from '../../dialects/layout.js'
import { EVERYWHERE } from '../reading/place.js'
import { healthOf } from '../reading/shard-health.js'

/** A call over all shards of a table at once: tried again where it fails for the moment, under one deadline and signal. */
export async function callOverAll<T>(
  layout: TableLayout,
  options: ReadOptions,
  call: (options: ReadOptions, attempt: number) => Promise<T>,
): Promise<T> {
  const limits = new Limits(options)
  try {
    return await healthOf(layout).call(EVERYWHERE, (attempt) => call(limits.options, attempt), limits)
  } catch (error) {
    throw limits.said(error, layout.table.name)
  }
}
