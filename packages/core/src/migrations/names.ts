// Spanner takes no two names that differ in the case of their letters only, in either dialect.

export function folded(name: string): string {
  return name.toLowerCase()
}

export function sameName(one: string | undefined, other: string | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && folded(one) === folded(other))
}

export function byName<T extends { readonly name: string }>(things: readonly T[]): ReadonlyMap<string, T> {
  return new Map(things.map((thing) => [folded(thing.name), thing]))
}

/** What both have, what only the first has, and what only the second has: each in its own order. */
export interface Matched<T> {
  readonly both: readonly { readonly from: T; readonly to: T }[]
  readonly gone: readonly T[]
  readonly added: readonly T[]
}

export function matched<T extends { readonly name: string }>(
  from: readonly T[],
  to: readonly T[],
): Matched<T> {
  const [before, after] = [byName(from), byName(to)]
  return {
    both: to.flatMap((thing) => {
      const old = before.get(folded(thing.name))
      return old ? [{ from: old, to: thing }] : []
    }),
    gone: from.filter(({ name }) => !after.has(folded(name))),
    added: to.filter(({ name }) => !before.has(folded(name))),
  }
}
