import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { type Operand, operand, side } from '../../sql/condition.js'

// Helpers that Drizzle has for other databases, as GoogleSQL says them.

/** Whether an array has all of these values. */
export function arrayContains(column: Operand, values: readonly unknown[] | SQLWrapper): SQL {
  return sql`array_includes_all(${side('arrayContains', column)}, ${operand(values, column)})`
}

/** Whether an array has only such values as these. */
export function arrayContained(column: Operand, values: readonly unknown[] | SQLWrapper): SQL {
  return sql`array_includes_all(${operand(values, column)}, ${side('arrayContained', column)})`
}

/** Whether an array has any of these values. */
export function arrayOverlaps(column: Operand, values: readonly unknown[] | SQLWrapper): SQL {
  return sql`array_includes_any(${side('arrayOverlaps', column)}, ${operand(values, column)})`
}

/** The straight distance of two vectors. */
export function l2Distance(column: Operand, value: readonly number[] | SQLWrapper): SQL<number> {
  return sql<number>`euclidean_distance(${side('l2Distance', column)}, ${operand(value, column)})`
}

/** One minus the cosine of the angle between two vectors. */
export function cosineDistance(column: Operand, value: readonly number[] | SQLWrapper): SQL<number> {
  return sql<number>`cosine_distance(${side('cosineDistance', column)}, ${operand(value, column)})`
}

/** The inner product of two vectors, negative for similar ones, so that it orders as a distance does. */
export function innerProduct(column: Operand, value: readonly number[] | SQLWrapper): SQL<number> {
  return sql<number>`-dot_product(${side('innerProduct', column)}, ${operand(value, column)})`
}
