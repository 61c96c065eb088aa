import type { LintedDialect, Report, Rule } from '../../engine/lint-rule.js'
import { columnOf, type Table } from '../../model/table.js'
import { fewValuesOf } from '../few-values.js'
import { growthOf } from '../growth.js'
import { described, hotLead, whereInsertsGo, type HotLead } from '../leading.js'
import { isLight, lightly, type KeyRanges } from '../load.js'

/**
 * A primary key whose first part grows with time: every insert lands after the last one, in the same range of keys. Behind a part
 * with few values it lands in one of as many.
 *
 * Source: https://cloud.google.com/spanner/docs/schema-design#primary-key-prevent-hotspots
 */
export function monotonicFirstKey(ranges: KeyRanges): Rule {
  return {
    name: 'monotonic-first-key',
    severity: 'error',
    hotspot: true,
    check(table, report, { dialect }) {
      // An interleaved table starts with its parent's key: the parent answers for it.
      if (table.parent) return
      const lead = hotLead(table, table.primaryKey, dialect, ranges)
      if (!lead) {
        reportId(table, report, ranges)
        return
      }
      const { column, certain, growth, keyRanges } = lead
      const goes = keyRanges === 1 ? 'every insert goes to' : 'inserts go to'
      report({
        column: column.property,
        severity: certain && !isLight(table.workload, ranges) ? undefined : 'warning',
        message: `The primary key starts with ${described(lead)}: ${goes} ${whereInsertsGo(lead, oneRange(ranges), ranges.name)}${lightly(table.workload, ranges)}.`,
        fix:
          (growth.kind === 'hint'
            ? 'If it does not, suppress this finding with the reason. If it does: '
            : '') +
          [counterFix(lead), orderFix(table, lead, dialect, ranges), naturalKeyFix(table, dialect)]
            .filter(Boolean)
            .join(' '),
      })
    },
  }
}

function oneRange({ name }: KeyRanges): string {
  return `the same ${name}, and so to one server`
}

function counterFix({ growth, after }: HotLead): string {
  return growth.counts && after.length === 0
    ? 'Hand its numbers out with their bits reversed, @BitReversedId, unless rows are read in their order.'
    : ''
}

function orderFix(
  table: Table,
  { column, after }: HotLead,
  dialect: LintedDialect,
  ranges: KeyRanges,
): string {
  if (after.some((few) => few.column.source?.kind === 'shard')) {
    return 'Give the shard more values: as many as the instance is to have nodes.'
  }
  const named = table.primaryKey.map((part) => part.property)
  const steady = named.slice(named.indexOf(column.property) + 1).find((property) => {
    const other = columnOf(table, property)
    return other && !growthOf(table, other, dialect) && !fewValuesOf(table, other, dialect, ranges)
  })
  if (steady === undefined) {
    return 'Add a key part that tells rows apart, such as @UuidV4, and put it or a @ShardKey of it first.'
  }
  const swapped = [steady, ...named.filter((name) => name !== steady)]
  return (
    `Swap the order, primaryKey: ['${swapped.join("', '")}'], if reads fix ${steady}; ` +
    `else put @ShardKey({ shards: 64, of: ['${steady}'] }) first and read with fanOut.`
  )
}

/** A column that is declared unique and never changes identifies rows without an id. */
function naturalKeyFix(table: Table, dialect: LintedDialect): string {
  const natural = table.indexes.find(
    ({ unique, nullFiltered, notNull, parts }) =>
      unique &&
      !nullFiltered &&
      notNull.length === 0 &&
      parts.every(({ property }) => {
        const column = columnOf(table, property)
        return column?.immutable && !column.nullable && !growthOf(table, column, dialect)
      }),
  )
  if (!natural) return ''
  const names = natural.parts.map(({ property }) => property)
  return `Or make ${names.join(', ')} the key: it is unique by the index ${natural.name}, and never changes.`
}

/** A whole number that is named `id` and has no value source is usually counted up. */
function reportId(
  { primaryKey, columns, foreignKeys, workload }: Table,
  report: Report,
  ranges: KeyRanges,
): void {
  const [part, ...others] = primaryKey
  const column = columns.find(({ property }) => property === part?.property)
  if (column?.type.kind !== 'int64' || column.name.toLowerCase() !== 'id' || others.length > 0) return
  const isMade = (column.source ?? column.generated ?? column.default) !== undefined
  const refers = foreignKeys.some((foreignKey) => foreignKey.columns.includes(column.property))
  if (isMade || refers || isLight(workload, ranges)) return
  report({
    column: column.property,
    severity: 'warning',
    message: `The primary key is ${column.property}, a whole number that nothing here makes: if it is counted up, every insert goes to ${oneRange(ranges)}.`,
    fix: 'Let @BitReversedId make it. If its values are spread already, suppress this finding with the reason.',
  })
}
