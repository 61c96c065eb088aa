import type { Rule } from '@isotherm/core/tools'

/**
 * An id whose bits are reversed, on an engine that places partitions by a hash of their key: the bits spread nothing more.
 *
 * Source: https://cassandra.apache.org/doc/latest/cassandra/architecture/dynamo.html#consistent-hashing-using-a-token-ring
 */
export const uselessBitReversal: Rule = {
  name: 'cassandra/useless-bit-reversal',
  severity: 'warning',
  check({ columns, primaryKey }, report) {
    for (const { property, source, inherited } of columns) {
      if (source?.kind !== 'bit-reversed' || inherited) continue
      if (!primaryKey.some((part) => part.property === property)) continue
      report({
        column: property,
        message: `${property} has its bits reversed, which has no effect: partitions are placed by a hash of their key.`,
        fix:
          'Use @Sequential where people read the number, or @UuidV4, which does not need a counter. Keep it where the same ' +
          'models are for Spanner as well, and suppress it with that reason.',
      })
    }
  },
}
