import type { Column } from '@isotherm/core/engine'
import type { Table } from '@isotherm/core/engine'
import type { TableLayout } from '@isotherm/core/engine'
import { tableLayout, type LayoutRules } from '@isotherm/core/engine'
import { randomHalves } from '@isotherm/core/engine'
import { compareText, fingerprint } from '@isotherm/core/engine'
import type { JsonRules } from '@isotherm/core/engine'
import { SPANNER_TYPES } from '../spanner-types.js'
import type { ValueRules } from '@isotherm/core/engine'
import { canHash, hashExpression, shardExpression } from './hash-expression.js'
import { spannerPostgreSqlLiteral } from './literal.js'
import { mirrorOf } from './mirror.js'

// The hash of a random text.
const RANDOM_BITS = 'spanner.farm_fingerprint(spanner.generate_uuid())'

function uuidDefaults({ type }: Column): readonly string[] {
  switch (type.kind === 'uuid' ? type.storage : undefined) {
    case 'native':
      return ['gen_random_uuid()']
    case 'bytes':
      // Nothing here makes bytes of hexadecimal digits: other writers have to bring their own.
      return []
    case 'int64-pair':
      return randomHalves(RANDOM_BITS)
    default:
      return ['spanner.generate_uuid()']
  }
}

/**
 * No depth is documented. This one is far from where a parser runs out of stack.
 *
 * Source: https://cloud.google.com/spanner/docs/working-with-jsonb#limitations
 */
const JSON_RULES: JsonRules = {
  numbers: { whole: 4_932, fraction: 16_383 },
  nul: false,
  levels: 1_000,
  // As PostgreSQL does: shorter names first, in bytes.
  compareNames: (a, b) => Buffer.byteLength(a) - Buffer.byteLength(b) || compareText(a, b),
}

export const spannerPostgreSqlValues: ValueRules = {
  dialect: 'spanner-postgresql',
  nan: 'highest',
  numeric: 'wide',
  json: JSON_RULES,
  hash64: fingerprint,
}

const rules: LayoutRules = {
  values: spannerPostgreSqlValues,
  types: SPANNER_TYPES,
  nulls: 'highest',
  nanInKeys: false,
  computes: {
    literal: spannerPostgreSqlLiteral,
    clock: 'CURRENT_TIMESTAMP',
    marksCommitTimestamps: true,
    uuidDefaults,
    shardExpression,
    hashExpression,
    canHash,
    mirrorOf,
  },
}

export function spannerPostgreSqlLayout(table: Table): TableLayout {
  return tableLayout(table, rules)
}
