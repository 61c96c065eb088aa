import { type Rule, findTable, hotLead } from '@isotherm/core/tools'
import { SPLITS } from '../facts/split-shards.js'

/**
 * A table whose key begins with a foreign key to the whole key of another: its rows belong to that table's rows and could
 * be interleaved in them, so that both are read and written in one split. Only advice, since a schema does not say which
 * rows are read together.
 *
 * Source: https://cloud.google.com/spanner/docs/schema-and-data-model#create-interleaved-tables
 */
export const interleavingAdvice: Rule = {
  name: 'spanner/interleaving-advice',
  severity: 'warning',
  check(table, report, { schema, dialect }) {
    if (table.parent) return
    for (const { name, columns, table: other, references, enforced } of table.foreignKeys) {
      const target = findTable(schema, other)
      if (!target || target === table || enforced === false) continue
      if (columns.length !== target.primaryKey.length || columns.length >= table.primaryKey.length) continue
      const begins = target.primaryKey.every(({ property, order }, at) => {
        const part = table.primaryKey[at]
        return references[at] === property && part?.property === columns[at] && part?.order === order
      })
      // Below rows that are written in one key range, these would be written there too.
      if (!begins || hotLead(target, target.primaryKey, dialect, SPLITS)) continue
      report({
        message:
          `The key of ${table.name} begins with ${columns.join(', ')}, the foreign key ${name} to the key of ${target.name}: ` +
          'a row lies in another split than the row that it belongs to, and reads and writes of both take both.',
        fix: `Interleave it, interleaveIn: () => ${target.name}, if both are mostly read together and one row of ${target.name} has no more rows below it than a split holds.`,
      })
      return
    }
  },
}
