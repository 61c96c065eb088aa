import type { Rule } from '../../engine/lint-rule.js'
import { columnOf } from '../../model/table.js'
import { wideness } from '../load.js'

/**
 * An index that keeps a copy of a wide column: every entry is as large as the row, every change of the column is
 * written twice, and a scan of the index is not cheaper than one of the table.
 *
 * @param clause the clause of an index that names such columns: `STORING`
 *
 * Source: https://cloud.google.com/spanner/docs/whitepapers/optimizing-schema-design#storing_index_clause
 */
export function storingAdvice(clause: string): Rule {
  return {
    name: 'storing-advice',
    severity: 'warning',
    check(table, report) {
      for (const index of table.indexes) {
        for (const property of index.storing) {
          const column = columnOf(table, property)
          const wide = column && wideness(column.type)
          if (wide === undefined) continue
          report({
            index: index.name,
            column: property,
            message:
              `The index ${index.name} keeps a copy of ${property}, which is wide (${wide}): each change of it is written ` +
              'twice, and a scan of the index reads as much as one of the table.',
            fix: `Leave ${property} out of ${clause} and let the few rows that a query returns be fetched from the table; or give it a length.`,
          })
        }
      }
    },
  }
}
