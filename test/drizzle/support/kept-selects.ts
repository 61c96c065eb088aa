import { Cache, type MutationOption } from 'drizzle-orm/cache/core'

/** A cache of all selects that can simulate an outage. */
export class KeptSelects extends Cache {
  isDown = false
  /** How many reads found a cached result. */
  hits = 0
  readonly #kept = new Map<string, { readonly tables: readonly string[]; readonly response: string }>()

  override strategy() {
    return 'all' as const
  }

  override async get(key: string) {
    const found = this.#kept.get(key)
    if (found) this.hits++
    return found && (JSON.parse(found.response) as unknown[])
  }

  override async put(key: string, response: unknown, tables: string[]) {
    this.#kept.set(key, { tables, response: JSON.stringify(response) })
  }

  /** A result that is cached under a tag has the tag as its key. */
  override async onMutate({ tables, tags }: MutationOption) {
    if (this.isDown) throw new Error('redis is down')
    for (const tag of [tags ?? []].flat()) this.#kept.delete(tag)
    const changed = new Set<unknown>([tables].flat())
    for (const [key, value] of this.#kept)
      if (value.tables.some((table) => changed.has(table))) this.#kept.delete(key)
  }
}
