import type { SchemaFinding } from '../../errors.js'
import { bindingOf } from '../../model/bindings.js'
import type { Column } from '../../model/column.js'
import { describeType, isComposite, isFrozen, typesWithin } from '../../model/column-type.js'
import { partitionLength, type Table } from '../../model/table.js'
import type { CqlCapabilities } from './capabilities.js'

/** What of a table's columns a target does not have. */
export function columnFindings(table: Table, has: CqlCapabilities): SchemaFinding[] {
  return table.columns.flatMap((column) => {
    const at = (message: string, fix: string): SchemaFinding => ({
      table: table.name,
      column: column.property,
      message,
      fix,
    })
    return [
      ...madeFindings(column, at),
      ...keyFindings(table, column, has, at),
      ...typeFindings(column, has, at),
    ]
  })
}

type At = (message: string, fix: string) => SchemaFinding

/** Values are made by the caller or the client: CQL has neither expressions nor counters that hand out numbers. */
function madeFindings({ source, inherited, ...column }: Column, at: At): SchemaFinding[] {
  const findings: SchemaFinding[] = []
  if (column.default !== undefined && !inherited) {
    findings.push(
      at(
        'has a default, and CQL has no expressions.',
        "Give the value at the insert, or use @DescTimestamp({ default: 'now' }).",
      ),
    )
  }
  if (column.generated)
    findings.push(at('is generated, and CQL computes nothing.', 'Compute it before the row is written.'))
  if (column.hidden)
    findings.push(at('is hidden, and CQL shows every column.', 'Take hidden away: reads name their columns.'))
  if (inherited || !source) return findings
  const { byDatabase } = bindingOf(source)
  if (byDatabase === 'computedBy') {
    findings.push(
      at(
        'is to be computed by the database, and CQL computes nothing.',
        'Leave computedBy out: the client computes it then.',
      ),
    )
  }
  if (byDatabase === 'expression') {
    findings.push(
      at(
        'is computed by an SQL expression, and CQL has none.',
        'Give the same as a function as well, compute: (row) => …; or leave the expression out.',
      ),
    )
  }
  if (source.kind === 'timestamp' && source.from === 'commit') {
    findings.push(
      at(
        'wants the commit timestamp, which Cassandra does not tell.',
        "Use default: 'now', the client's clock.",
      ),
    )
  }
  if (source.kind === 'bit-reversed' && source.from !== 'client') {
    findings.push(
      at(
        'is made by the database, and CQL counts nothing.',
        'Use a counter of the client: from: asynchronousBatch(db, name). Or @UuidV4, which needs none.',
      ),
    )
  }
  return findings
}

function keyFindings(table: Table, column: Column, has: CqlCapabilities, at: At): SchemaFinding[] {
  const place = table.primaryKey.findIndex(({ property }) => property === column.property)
  if (place < 0) return []
  const findings: SchemaFinding[] = []
  if (column.nullable) {
    findings.push(
      at(
        'can be NULL, and no key part of Cassandra can.',
        'Take nullable away, and write another value for none.',
      ),
    )
  }
  if (place >= partitionLength(table) && isComposite(column.type) && !has.ordersComposites) {
    findings.push(
      at(
        `is a clustering column of type ${describeType(column.type)}, and Keyspaces does not tell in which order it keeps those.`,
        'Put its parts into the key, or the column into the partition key.',
      ),
    )
  }
  return findings
}

function typeFindings({ type, nullable }: Column, has: CqlCapabilities, at: At): SchemaFinding[] {
  const findings: SchemaFinding[] = []
  const kinds = new Set(typesWithin(type).map(({ kind }) => kind))
  if (kinds.has('vector') && !has.vectors)
    findings.push(at('is a vector, which Keyspaces does not have.', 'Keep it as bytes.'))
  if (kinds.has('duration') && !has.durations) {
    findings.push(
      at('is a duration, which Keyspaces does not have.', 'Keep months, days and nanoseconds as numbers.'),
    )
  }
  if (kinds.has('udt') && !has.userTypes)
    findings.push(
      at('is of a user type, which the target does not have.', 'Make its fields columns, or use json.'),
    )
  if (kinds.has('counter') && !has.counters)
    findings.push(at('is a counter, which the target does not have.', 'Use a sequence, or an int64.'))
  if (isComposite(type) && !isFrozen(type) && !nullable) {
    findings.push(
      at(
        `is a ${describeType(type)} that is not frozen: Cassandra does not tell an empty one from NULL.`,
        'Say nullable: true, or frozen: true.',
      ),
    )
  }
  return findings
}
