import type { Column } from '@isotherm/core/engine'
import { type Report, type Rule, WIDE_KEY, bytes, count, widthOfAll } from '@isotherm/core/tools'
import type { CqlLimits } from '../../cql/capabilities.js'
import { namesOf, partitionsOf } from '../facts/partitions.js'

/**
 * Limits of names, keys and rows. What depends on values is advice.
 *
 * Source: https://docs.aws.amazon.com/keyspaces/latest/devguide/quotas.html
 */
export function limits(engine: string, max: CqlLimits): Rule {
  return {
    name: 'cassandra/limits',
    severity: 'error',
    check(table, report, { dialect }) {
      checkName(table.name, max, report)
      const { columns, clustering } = partitionsOf(table, dialect)
      const added = columns.length > 1 ? columns.length * max.partitionColumnBytes : 0
      checkKey({ what: 'The partition key', columns, max: max.partitionKeyBytes - added }, report)
      checkKey({ what: 'The clustering columns', columns: clustering, max: max.clusteringBytes }, report)
      const { rowBytes } = max
      const expected = table.workload?.rowBytes ?? 0
      if (rowBytes !== undefined && expected > rowBytes) {
        report({
          message: `A row of ${table.name} is expected to have ${bytes(expected)}, and one of ${engine} has up to ${bytes(rowBytes)}.`,
          fix: 'Keep large values in an object store or in another table, and their names in this one.',
        })
      }
    },
  }
}

function checkName(name: string, { nameLength, safeNameLength }: CqlLimits, report: Report): void {
  if (!/^\w+$/.test(name)) {
    report({
      message: `${JSON.stringify(name)} is not a valid table name: it may have ASCII letters, digits and underscores only.`,
      fix: 'Give the table another name.',
    })
  }
  if (name.length <= safeNameLength) return
  const isRefused = name.length > nameLength
  report({
    severity: isRefused ? undefined : 'warning',
    message:
      `The name ${name} has ${name.length} characters, but a table name has at most ` +
      `${isRefused ? nameLength : `${safeNameLength} in Cassandra before 5.0`}.`,
    fix: 'Give the table a shorter one.',
  })
}

interface KeyColumns {
  readonly what: string
  readonly columns: readonly Column[]
  readonly max: number
}

/** Counts columns with a length: text without one is usual in CQL, and the client checks the length of the others. */
function checkKey({ what, columns, max }: KeyColumns, report: Report): void {
  const width = widthOfAll(columns)
  if (width.worst <= max) return
  report({
    severity: 'warning',
    message: `${what}, ${namesOf(columns)}, ${WIDE_KEY.message(width)}: a row with more than ${count(max)} there is refused.`,
    fix: WIDE_KEY.fix,
  })
}
