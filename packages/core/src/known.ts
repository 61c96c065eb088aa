// Access to values that must exist. A missing value is a defect of Isotherm itself, and fails with a message that names it.
// For code that runs once per table, statement or migration; not once per row.

/**
 * The value of a key that the map must have.
 *
 * @throws {Error} if the map does not have the key
 */
export function known<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): Value {
  return present(map.get(key), `entry for ${String(key)}`)
}

/**
 * An item of a list that must have enough items.
 *
 * @param at from 0; from the end if negative
 * @throws {Error} if it has fewer
 */
export function itemAt<Item>(list: readonly Item[], at: number): Item {
  return present(list.at(at), `item ${at} in a list of ${list.length}`)
}

/**
 * A value that must not be undefined.
 *
 * @param what for the message: `column Order.id`
 * @throws {Error} if it is
 */
export function present<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`There is no ${what}: a defect of Isotherm.`)
  return value
}

/**
 * Each item of a list, paired with the item at the same position of another list.
 *
 * @throws {Error} if the second list is shorter
 */
export function paired<Left, Right>(
  left: readonly Left[],
  right: readonly Right[],
): (readonly [Left, Right])[] {
  const others = right.values()
  return left.map((item) => {
    const other = others.next()
    if (other.done) throw new Error(`A list of ${right.length} has no pair for each of ${left.length}.`)
    return [item, other.value]
  })
}
