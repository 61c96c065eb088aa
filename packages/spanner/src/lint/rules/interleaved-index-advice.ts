import { type SecondaryIndex, type Table, columnOf } from '@isotherm/core/engine'
import { type Rule, hotLead } from '@isotherm/core/tools'
import { ancestorsOf } from '../facts/written-ranges.js'
import { SPLITS } from '../facts/split-shards.js'

/**
 * An index that starts with the key of an ancestor but is stored apart: each write of a row goes to a second split.
 * Interleaved in that ancestor, its entries are stored beside their rows. A sharded or hot index has to be stored apart.
 *
 * Source: https://cloud.google.com/spanner/docs/secondary-indexes#choose-index-type
 */
export const interleavedIndexAdvice: Rule = {
  name: 'spanner/interleaved-index-advice',
  severity: 'warning',
  check(table, report, { schema, dialect }) {
    for (const index of table.indexes) {
      if (index.interleaveIn !== undefined || index.shard) continue
      // From the parent up: the closest ancestor keeps the entries closest to their rows.
      const ancestor = ancestorsOf(schema, table).find((above) => startsWithKeyOf(index, above))
      if (
        !ancestor ||
        startsWithShard(index, table) ||
        hotLead(ancestor, ancestor.primaryKey, dialect, SPLITS)
      )
        continue
      report({
        index: index.name,
        message:
          `The index ${index.name} starts with the key of ${ancestor.name}, in whose rows ${table.name} lies, but is ` +
          'stored apart: each write of a row becomes a transaction over two splits.',
        fix:
          `Interleave it, interleaveIn: () => ${ancestor.name}, if queries fix ` +
          `${ancestor.primaryKey.map((part) => part.property).join(', ')}; they then read one split.`,
      })
    }
  },
}

function startsWithKeyOf(index: SecondaryIndex, ancestor: Table): boolean {
  return ancestor.primaryKey.every(({ property, order }, at) => {
    const part = index.parts[at]
    return part?.property === property && part.order === order
  })
}

function startsWithShard(index: SecondaryIndex, table: Table): boolean {
  const first = index.parts[0]
  return first !== undefined && columnOf(table, first.property)?.source?.kind === 'shard'
}
