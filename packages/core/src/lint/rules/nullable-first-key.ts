import type { Rule } from '../../engine/lint-rule.js'
import { columnOf } from '../../model/table.js'
import { computedFrom } from '../expressions.js'
import { growthOf } from '../growth.js'

/**
 * A key whose first part may be NULL: all rows without a value are stored together, and only the parts after it can spread
 * them. A key of one part is not checked, since only one row can have NULL there. For dialects that allow NULL in a key.
 *
 * Source: https://cloud.google.com/spanner/docs/schema-and-data-model#key-columns
 */
export const nullableFirstKey: Rule = {
  name: 'nullable-first-key',
  severity: 'warning',
  check(table, report, { dialect }) {
    const [first, second] = table.primaryKey
    const column = first && columnOf(table, first.property)
    if (table.parent || !first || !second || !column?.nullable) return
    // A column that is computed from columns with values has a value too.
    const read = computedFrom(table, column, dialect)
    if (read?.length && read.every((each) => !each.nullable)) return
    const steady = table.primaryKey.slice(1).find(({ property }) => {
      const other = columnOf(table, property)
      return other && !other.nullable && !growthOf(table, other, dialect)
    })
    report({
      column: column.property,
      message:
        `The primary key starts with ${column.property}, which may be NULL: all rows without a value lie side by side, ` +
        `at the ${first.order === 'desc' ? 'end' : 'beginning'} of the table.`,
      fix:
        `Make ${column.property} NOT NULL, with a value of its own for what is unknown` +
        (steady ? `, or put ${steady.property} first.` : ', or put a part first that every row has.'),
    })
  },
}
