import { defineTable } from '@isotherm/core'
import { fingerprint } from '@isotherm/core/keys'
import { createHash } from 'node:crypto'

export const algorithms = ['farm-fingerprint', 'sha256', 'sha512'] as const

type Algorithm = (typeof algorithms)[number]

type By = 'database' | 'client'

/** Each algorithm, by all who can compute one. */
export const variantsBy = (computedBy: readonly By[]) =>
  algorithms.flatMap((algorithm) => computedBy.map((by) => [algorithm, by] as const))

export const suffix = (algorithm: Algorithm, by: By): string => `${algorithm.replace('-', '_')}_${by}`

/** The hash before what is unique, which stays in the key. */
export const before = (algorithm: Algorithm, by: By) =>
  defineTable(`Before_${suffix(algorithm, by)}`, (t) => ({
    hash: t.hashKey({ of: ['tenant', 'url'], algorithm, computedBy: by }),
    tenant: t.int64().key(),
    url: t.string({ length: 200 }).key(),
    hits: t.int64({ nullable: true }),
  }))

/** The hash alone; the hashed columns are outside of the key. */
export const alone = (algorithm: Algorithm, by: By) =>
  defineTable(`Alone_${suffix(algorithm, by)}`, (t) => ({
    digest: t.hashKey({ of: ['url'], algorithm, computedBy: by, name: 'url_hash' }),
    url: t.string({ length: 200, immutable: true }),
    hits: t.int64({ nullable: true }),
  }))

export const TwoOutside = defineTable('TwoOutside', (t) => ({
  digest: t.hashKey({ of: ['region', 'city'], algorithm: 'sha512' }),
  region: t.string({ length: 20, immutable: true }),
  city: t.string({ length: 20, immutable: true }),
}))

export const urls = [
  '',
  '\\N',
  '|',
  'https://例え.jp/ä',
  'a|b',
  "it's",
  ...Array.from({ length: 44 }, (_, at) => `/page/${at}`),
]

/** Written as plainly as can be, without the code under test. */
export function expectedHash(algorithm: Algorithm, text: string | Buffer): bigint | Buffer {
  return algorithm === 'farm-fingerprint' ? fingerprint(text) : createHash(algorithm).update(text).digest()
}
