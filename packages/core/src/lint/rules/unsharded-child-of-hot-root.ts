import { findTable } from '../../model/schema.js'
import { columnOf } from '../../model/table.js'
import { growthOf } from '../growth.js'
import { count, limitOf, strain } from '../load.js'
import { combinations, placesOf } from '../places.js'
import type { Rule } from '../rule.js'

/**
 * A child whose new rows pile up behind the last ones of few parent rows. Spanner can split a row tree between child
 * rows, but not where a growing key puts all new ones at one end. Without the data, this much is sound: the parent
 * rows that take inserts are bounded where every part of their key is a shard or a BOOL; where one grows, they are if
 * the newest parents take them.
 *
 * Source: https://cloud.google.com/spanner/docs/whitepapers/optimizing-schema-design
 */
export const unshardedChildOfHotRoot: Rule = {
  name: 'unsharded-child-of-hot-root',
  severity: 'error',
  heat: true,
  engines: ['spanner'],
  check(table, report, { schema, dialect }) {
    const writes = table.expect?.writesPerSecond
    const parent = table.parent && findTable(schema, table.parent.table)
    if (!parent || writes === undefined) return
    const above = table.primaryKey.slice(0, parent.primaryKey.length)
    const own = table.primaryKey.slice(above.length)
    const parents = combinations(table, above, dialect)
    const ends = placesOf(table, own, dialect)
    if (parents === undefined || ends === undefined) return
    const places = parents * ends
    const strained = strain(writes / places)
    if (strained === 'none') return

    const newest = above.some(({ property }) => {
      const column = columnOf(table, property)
      return column && growthOf(table, column, dialect)
    })
    const where = newest
      ? `if they belong to the newest rows of ${parent.name}`
      : `behind the last in each of the ${count(parents)} rows that ${parent.name} can have`
    const column = own[0]?.property
    report({
      ...(column !== undefined && { column }),
      severity: strained === 'certain' && !newest ? undefined : 'warning',
      message:
        `${count(writes)} rows a second end in ${count(places)} ${places === 1 ? 'place' : 'places'}, ${where}: ` +
        `${count(writes / places)} a second in each, and ${limitOf(strained)}.`,
      fix:
        `Put a part that does not grow and has many values before ${column}, or interleave ${table.name} in a table ` +
        'that has many rows to write to at a time.',
    })
  },
}
