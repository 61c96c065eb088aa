import type { CacheConfig, WithCacheConfig } from 'drizzle-orm/cache/core/types'

/** The argument of `$withCache`; `false` bypasses the cache. */
export type CacheChoice = { config?: CacheConfig; tag?: string; autoInvalidate?: boolean } | false

export function cacheConfigOf(choice: CacheChoice | undefined): WithCacheConfig {
  if (choice === false) return { enable: false }
  return { enable: true, autoInvalidate: true, ...(choice ?? { config: {} }) }
}
