import { type ColumnType, canBeIndexed, describeType } from './column-type.js'
import { type ForeignKey, type Table, columnOf } from './table.js'
import { type Report, propertiesOf } from './validate-names.js'
import { checkHashed, checkShardCount } from './validate-keys.js'

/** Checks, foreign keys, row deletion, the expected load and lint suppressions. */
export function checkConstraints(table: Table, tables: readonly Table[], report: Report): void {
  for (const key of table.foreignKeys) checkForeignKey(table, key, tables, report)
  checkRowDeletion(table, report)
  checkExpect(table, report)
  checkSuppressions(table, report)
}

function checkForeignKey(table: Table, key: ForeignKey, tables: readonly Table[], report: Report): void {
  const { name, columns, references } = key
  const other = tables.find((each) => each.name === key.table)
  if (columns.length === 0)
    report(`has the foreign key ${name} without columns.`, 'Name them: columns: [...].')
  if (columns.length !== references.length) {
    report(
      `has the foreign key ${name} of ${columns.length} columns to ${references.length} of ${key.table}.`,
      'Name the same number of columns on both sides: columns and on.',
    )
    return
  }
  columns.forEach((property, position) => {
    const column = columnOf(table, property)
    const reference = references[position]
    const referred = other && reference !== undefined ? columnOf(other, reference) : undefined
    if (!column) {
      report(
        `is in the foreign key ${name}, but is not a column.`,
        `Choose from ${propertiesOf(table)}.`,
        property,
      )
    } else if (other && !referred) {
      report(
        `refers to ${key.table}.${references[position]}, which is not a column.`,
        `Choose from ${propertiesOf(other)}.`,
        property,
      )
    } else if (referred && !isAlike(referred.type, column.type)) {
      report(
        `of type ${describeType(column.type)} refers to ${key.table}.${referred.property} of type ${describeType(referred.type)}.`,
        'Both sides have the same type.',
        property,
      )
    }
  })
}

function isAlike(a: ColumnType, b: ColumnType): boolean {
  return describeType(a) === describeType(b) || (isText(a) && isText(b))
}

/** A UUID that is stored as text is text to the database. */
function isText(type: ColumnType): boolean {
  return type.kind === 'string' || (type.kind === 'uuid' && (type.storage ?? 'text') === 'text')
}

function checkRowDeletion(table: Table, report: Report): void {
  if (!table.rowDeletion) return
  const { property, days } = table.rowDeletion
  const column = columnOf(table, property)
  if (column?.type.kind !== 'timestamp') {
    report(
      'is the column of rowDeletion, but is not a timestamp.',
      `Choose a timestamp from ${propertiesOf(table)}.`,
      property,
    )
  }
  if (!Number.isSafeInteger(days) || days < 0)
    report(`has the invalid rowDeletion days ${days}.`, 'Use a whole number from 0.', property)
}

function checkExpect(table: Table, report: Report): void {
  const { distinct, ...numbers } = table.workload ?? {}
  checkNumbers(numbers, report)
  checkNumbers(distinct ?? {}, report, 'distinct.')
  for (const property of Object.keys(distinct ?? {})) {
    if (columnOf(table, property)) continue
    report(
      `expects distinct values of ${property}, which is not a column.`,
      `Choose from ${propertiesOf(table)}.`,
      property,
    )
  }
}

function checkNumbers(numbers: object, report: Report, of = ''): void {
  for (const [name, value] of Object.entries(numbers) as [string, unknown][]) {
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) continue
    report(`expects ${of}${name}: ${String(value)}.`, 'An expected load is a number from 0.')
  }
}

function checkSuppressions(table: Table, report: Report): void {
  for (const { rule, reason } of table.suppressions) {
    if (rule.trim() !== '' && reason.trim() !== '') continue
    report(`suppresses ${rule || 'no rule'} without a reason.`, 'Add a reason for the suppression.')
  }
}

export function checkIndexes(table: Table, tables: readonly Table[], report: Report): void {
  for (const index of table.indexes) {
    if (index.parts.length === 0)
      report(`has the index ${index.name} without columns.`, 'Name its columns: on: [...].')
    for (const property of [...index.parts.map((part) => part.property), ...index.storing]) {
      const column = columnOf(table, property)
      if (!column) {
        report(
          `is in the index ${index.name}, but is not a column.`,
          `Choose from ${propertiesOf(table)}.`,
          property,
        )
      } else if (!index.storing.includes(property) && !canBeIndexed(column.type)) {
        report(
          `is in the index ${index.name}, but is of type ${describeType(column.type)}.`,
          'Store it instead, or index another column.',
          property,
        )
      } else if (
        index.storing.includes(property) &&
        table.primaryKey.some((part) => part.property === property)
      ) {
        report(
          `is stored in the index ${index.name}.`,
          'Leave it out: an index holds the whole key already.',
          property,
        )
      }
    }
    for (const property of index.notNull) {
      if (index.parts.some((part) => part.property === property)) continue
      report(
        `is in notNull of the index ${index.name}, but is not a part of it.`,
        'Only parts of the index can be in notNull.',
        property,
      )
    }
    if (index.nullFiltered && index.notNull.length > 0) {
      report(
        `has the index ${index.name} with both nullFiltered and notNull.`,
        'nullFiltered covers every part: keep one of the two.',
      )
    }
    const held = new Set<string>()
    for (const property of [...index.parts.map((part) => part.property), ...index.storing]) {
      if (held.has(property)) report(`is in the index ${index.name} twice.`, 'Name it once.', property)
      held.add(property)
    }
    if (index.shard) {
      const { column } = index.shard
      const clash = table.columns.find((each) => each.name.toLowerCase() === column.toLowerCase())
      if (clash)
        report(
          `has the name of the index's shard ${column}.`,
          'Rename the column or the index.',
          clash.property,
        )
      checkShardCount(index.shard.shards, report)
      checkHashed(table, index.shard.of, report)
    }
    if (index.interleaveIn !== undefined) checkIndexParent(tables, index.interleaveIn, index, report)
  }
}

function checkIndexParent(
  tables: readonly Table[],
  parentName: string,
  index: Table['indexes'][number],
  report: Report,
): void {
  const parent = tables.find((other) => other.name === parentName)
  const key = parent?.primaryKey ?? []
  const fits = key.every(({ property, order }, position) => {
    const part = index.parts[position]
    return part?.property === property && part.order === order
  })
  if (fits) return
  const wanted = key
    .map(({ property, order }) => (order === 'desc' ? `${property} desc` : property))
    .join(', ')
  report(
    `has the index ${index.name}, interleaved in ${parentName}, that does not start with ${wanted}.`,
    `Start it with the key of ${parentName}, each part in its order.`,
  )
}
