import type { LintedDialect, Report, Rule } from '../../engine/lint-rule.js'
import type { KeyPart } from '../../model/key.js'
import { findTable, type Schema } from '../../model/schema.js'
import type { SecondaryIndex } from '../../model/secondary-index.js'
import { columnOf, type ForeignKey, type Table } from '../../model/table.js'
import { fewValuesOf } from '../few-values.js'
import { growthOf } from '../growth.js'
import { described, hotLead, whereInsertsGo, type HotLead } from '../leading.js'
import { isLight, lightly, type KeyRanges } from '../load.js'

/**
 * An index whose first part grows with time: the table may be spread, but each of its inserts also writes the end of
 * the index. Interleaving the index in a parent, or a shard in front of it, spreads those writes. The database keeps an
 * index behind each foreign key as well.
 *
 * Source: https://cloud.google.com/spanner/docs/schema-design#creating-indexes,
 * https://cloud.google.com/spanner/docs/foreign-keys/overview#backing-indexes
 */
export function monotonicIndex(ranges: KeyRanges, syntax: IndexTerms): Rule {
  return {
    name: 'monotonic-index',
    severity: 'error',
    hotspot: true,
    check(table, report, { schema, dialect }) {
      const context: Context = { schema, dialect, ranges, syntax }
      for (const index of table.indexes) {
        // An interleaved index starts with an ancestor's key: the ancestor is checked instead.
        if (index.interleaveIn !== undefined || (index.shard && index.shard.shards > 1)) continue
        // Entries that are equal so far are in the order of the table's key.
        const lead = hotLead(table, [...index.parts, ...table.primaryKey], dialect, ranges)
        if (!lead) continue
        const what = `The index ${index.name} starts with ${described(lead)}`
        const fix = indexFix(table, index, lead, context)
        reportLead(table, lead, { index: index.name, what, fix }, report, ranges)
      }
      for (const foreignKey of table.foreignKeys) reportForeignKey(table, foreignKey, report, context)
    },
  }
}

/** How a dialect words what the rule proposes. */
interface IndexTerms {
  /** The option of an index that leaves out rows without a value in this column. */
  sparse(property: string): string
  /** Whether a foreign key may be declared that the database does not check, and keeps no index for. */
  readonly unenforcedForeignKeys: boolean
}

interface Context {
  readonly schema: Schema
  readonly dialect: LintedDialect
  readonly ranges: KeyRanges
  readonly syntax: IndexTerms
}

interface Found {
  readonly index: string
  readonly what: string
  readonly fix: string
}

function reportLead(
  table: Table,
  lead: HotLead,
  { index, what, fix }: Found,
  report: Report,
  ranges: KeyRanges,
): void {
  const { column, certain, growth, keyRanges } = lead
  const goes = keyRanges === 1 ? 'every insert into the table writes at' : 'inserts into the table write in'
  const one = 'the end of the index, so to one server'
  report({
    index,
    column: column.property,
    severity: certain && !isLight(table.workload, ranges) ? undefined : 'warning',
    message: `${what}: ${goes} ${whereInsertsGo(lead, one, 'key range')}${lightly(table.workload, ranges)}.`,
    fix:
      (growth.kind === 'hint' ? 'If it does not, suppress this finding with the reason. If it does: ' : '') +
      fix,
  })
}

function indexFix(
  table: Table,
  index: SecondaryIndex,
  { column, growth, after }: HotLead,
  { dialect, ranges, syntax }: Context,
): string {
  if (index.shard) return "Give the index's shard more values: as many as the instance is to have nodes."
  const of = table.primaryKey.find(({ property }) => {
    const part = columnOf(table, property)
    return (
      part &&
      part.source?.kind !== 'shard' &&
      !growthOf(table, part, dialect) &&
      !fewValuesOf(table, part, dialect, ranges)
    )
  })
  const isSparse = column.nullable && !index.nullFiltered && !index.notNull.includes(column.property)
  return [
    growth.counts && after.length === 0
      ? 'Index its number with the bits reversed, a generated column of BIT_REVERSE, if queries look for single numbers.'
      : '',
    `Give the index a shard, shard: { shards: 16, of: ['${of?.property ?? 'a key part'}'] }, put a column ` +
      'that does not grow first, or interleave the index in a parent.',
    isSparse
      ? `Where few rows have a value in ${column.property}, ${syntax.sparse(column.property)} leaves the others out.`
      : '',
  ]
    .filter(Boolean)
    .join(' ')
}

/**
 * The indexes behind a foreign key: over its own columns, and over the columns that it refers to, unless a primary key
 * begins with them.
 */
function reportForeignKey(
  table: Table,
  { name, columns, table: other, references, enforced }: ForeignKey,
  report: Report,
  { schema, dialect, ranges, syntax }: Context,
): void {
  if (enforced === false) return
  const target = findTable(schema, other)
  for (const [of, indexed] of [
    [table, columns],
    [target, references],
  ] as const) {
    if (!of || startsKey(of, indexed)) continue
    const parts = indexed.map((property): KeyPart => ({ property, order: 'asc' }))
    const lead =
      hotLead(of, [...parts, ...of.primaryKey], dialect, ranges) ??
      (of === table ? leadOfTarget(table, columns, target, references, dialect) : undefined)
    if (!lead) continue
    const what = `The index of ${of.name} that the database keeps behind the foreign key ${name} starts with ${described(lead)}`
    const fix =
      'Put a column that does not grow first, in the foreign key and in what it refers to' +
      (syntax.unenforcedForeignKeys
        ? '; or leave the check to the application, enforced: false, which has no index.'
        : '.')
    reportLead(of, lead, { index: name, what, fix }, report, ranges)
    return
  }
}

function startsKey({ primaryKey }: Table, properties: readonly string[]): boolean {
  return properties.every((property, at) => primaryKey[at]?.property === property)
}

/** New rows often refer to new rows: only a hint. */
function leadOfTarget(
  table: Table,
  columns: readonly string[],
  target: Table | undefined,
  references: readonly string[],
  dialect: LintedDialect,
): HotLead | undefined {
  const [first] = columns
  const column = first === undefined ? undefined : columnOf(table, first)
  const referred = target && columnOf(target, references[0] ?? '')
  const growth = referred && growthOf(target, referred, dialect)
  if (!column || !growth) return undefined
  return {
    part: { property: column.property, order: 'asc' },
    column,
    growth: {
      ...growth,
      kind: 'hint',
      how: `refers to ${referred.property} of ${target.name}, which ${growth.how}`,
    },
    certain: false,
    after: [],
    keyRanges: 1,
  }
}
