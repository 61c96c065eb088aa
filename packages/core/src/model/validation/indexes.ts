import { canBeIndexed, describeType } from '../column-type.js'
import { columnOf, type Table } from '../table.js'
import { propertiesOf, type Report } from './report.js'
import { checkHashed, checkShardCount } from './sources.js'

export function checkIndexes(table: Table, tables: readonly Table[], report: Report): void {
  for (const index of table.indexes) {
    if (index.parts.length === 0)
      report(`has the index ${index.name} over nothing.`, 'Name its columns: on: [...].')
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
        `is to be filtered by the index ${index.name}, but is none of its parts.`,
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
  const fits = key.every(({ property, order }, place) => {
    const part = index.parts[place]
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
