import type { SetOperatorFn, SetOperators } from './select.types.js'

/** A select, as far as it can be an operand. */
type Operable = { readonly [Method in keyof SetOperators]: (right: Operable) => Operable }

function operator(method: keyof SetOperators): SetOperatorFn {
  const operate = (left: Operable, ...rights: readonly Operable[]): Operable =>
    rights.reduce((query, right) => query[method](right), left)
  return operate as never
}

/**
 * The rows of any of the queries, each once.
 *
 * @example
 * await union(db.select({ name: users.name }).from(users), db.select({ name: pets.name }).from(pets))
 */
export const union = operator('union')
/** The rows of all the queries, as often as they are in them. */
export const unionAll = operator('unionAll')
/** The rows that are in each of the queries, each once. */
export const intersect = operator('intersect')
/** The rows that are in each of the queries, as often as they are in each. */
export const intersectAll = operator('intersectAll')
/** The rows of the first query that are in none of the others, each once. */
export const except = operator('except')
/** The rows of the first query, each as many times more often as it is there than in the others. */
export const exceptAll = operator('exceptAll')

export const setOperators: SetOperators = { union, unionAll, intersect, intersectAll, except, exceptAll }
