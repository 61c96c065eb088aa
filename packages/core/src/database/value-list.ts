import type { Field } from '../dialects/layout.js'

// Lists of a filter may have thousands of values.

/** Each value once, from the least to the greatest, and no NULL. */
export function ascending(field: Field, values: readonly unknown[]): readonly unknown[] {
  return values
    .filter((value) => value !== null)
    .toSorted((a, b) => field.compare(a, b))
    .filter((value, at, sorted) => at === 0 || field.compare(sorted[at - 1], value) !== 0)
}

/** Whether a list that is ascending has it. */
export function isAmong(field: Field, sorted: readonly unknown[], value: unknown): boolean {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    const difference = field.compare(sorted[middle], value)
    if (difference === 0) return true
    if (difference < 0) from = middle + 1
    else to = middle
  }
  return false
}
