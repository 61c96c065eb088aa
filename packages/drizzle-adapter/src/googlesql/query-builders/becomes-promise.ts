import { QueryPromise } from 'drizzle-orm'

/** A class has one parent: one whose parent is another is awaited all the same. */
export function becomesPromise(Class: { readonly prototype: { execute(): Promise<unknown> } }): void {
  for (const method of ['then', 'catch', 'finally'] as const) {
    Object.defineProperty(
      Class.prototype,
      method,
      Object.getOwnPropertyDescriptor(QueryPromise.prototype, method)!,
    )
  }
}
