import { canBeKey, describeType } from '../column-type.js'
import { MAX_KEY_PARTS } from '../key.js'
import { columnOf, type Table } from '../table.js'
import { propertiesOf, type Report } from './report.js'

export function checkPrimaryKey(table: Table, report: Report): void {
  const { primaryKey } = table
  if (primaryKey.length === 0) {
    report(
      'has no primary key.',
      'Mark its key parts with @Key, @ShardKey, @UuidV4 or the other key decorators.',
    )
  }
  if (primaryKey.length > MAX_KEY_PARTS) {
    report(`has ${primaryKey.length} key parts.`, `A key has at most ${MAX_KEY_PARTS}.`)
  }
  const seen = new Set<string>()
  for (const { property } of primaryKey) {
    const column = columnOf(table, property)
    if (!column) {
      report('is in the primary key, but is not a column.', `Choose from ${propertiesOf(table)}.`, property)
    } else if (!canBeKey(column.type)) {
      report(
        `is in the primary key, but is of type ${describeType(column.type)}.`,
        'Choose another column.',
        property,
      )
    }
    if (seen.has(property)) report('is in the primary key twice.', 'Name it once.', property)
    seen.add(property)
  }
}
