import type { ResultSet, Statement } from '@isotherm/core/adapter'
import { hashQuery, type Cache } from 'drizzle-orm/cache/core'
import type { WithCacheConfig } from 'drizzle-orm/cache/core/types'
import { fromCached, toCached } from './cached-result.js'

/** How a statement uses the cache: as `$withCache` says, or always where that is the cache's strategy; undefined: not at all. */
export function cacheUse(cache: Cache, given: WithCacheConfig | undefined): WithCacheConfig | undefined {
  const config =
    given ?? (cache.strategy() === 'all' ? { enable: true, autoInvalidate: true } : { enable: false })
  return config.enable ? config : undefined
}

/**
 * The result of a query from the cache, or else from the database, for the cache to keep.
 *
 * @param read the tables that it reads, by name
 */
export async function throughCache(
  cache: Cache,
  { tag, autoInvalidate, config }: WithCacheConfig,
  read: readonly string[],
  { text, parameters }: Statement,
  run: () => Promise<ResultSet>,
): Promise<ResultSet> {
  // The same text may have parameters of another type.
  const key =
    tag ??
    (await hashQuery(
      text,
      parameters.map(({ type, value }) => [type, value]),
    ))
  const tables = [...read]
  const isTag = tag !== undefined
  const kept = fromCached(await cache.get(key, tables, isTag, autoInvalidate))
  if (kept) return kept
  const result = await run()
  await cache.put(key, [toCached(result)], autoInvalidate ? tables : [], isTag, config)
  return result
}

/** Tells the cache that rows of these tables have changed. */
export async function invalidate(cache: Cache | undefined, tables: Iterable<string>): Promise<void> {
  const changed = [...new Set(tables)]
  if (cache && changed.length > 0) await cache.onMutate({ tables: changed })
}
