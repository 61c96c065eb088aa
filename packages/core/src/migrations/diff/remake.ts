import { matched } from '../names.js'

/** How things are changed that a table has by name, and that the database drops and adds as a whole. */
export interface Remaking<T> {
  drop(gone: { readonly name: string; readonly because?: string }): void
  add(thing: T): void
  /** Why one has to go and come again; undefined where it may stay. */
  because(from: T, to: T): string | undefined
  /** What there is to do to one that stays. */
  keep?(from: T, to: T): void
}

/** Drops what is gone, adds what is new, and lets go and come again what cannot stay as it is. */
export function remake<T extends { readonly name: string }>(
  from: readonly T[],
  to: readonly T[],
  remaking: Remaking<T>,
): void {
  const { both, gone, added } = matched(from, to)
  for (const { name } of gone) remaking.drop({ name })
  for (const thing of added) remaking.add(thing)
  for (const { from: old, to: thing } of both) {
    const because = remaking.because(old, thing)
    if (because === undefined) {
      remaking.keep?.(old, thing)
      continue
    }
    remaking.drop({ name: old.name, because })
    remaking.add(thing)
  }
}
