import {
  type Column,
  type LayoutRules,
  type Table,
  type TableLayout,
  randomHalves,
  tableLayout,
} from '@isotherm/core/engine'
import { canHash, hashExpression, shardExpression } from './hash-expression.js'
import { postgresqlLiteral } from './literal.js'
import { mirrorOf } from './mirror.js'
import { POSTGRESQL_TYPES } from './types.js'
import { postgresqlValues } from './values.js'

/** Of a hash: six bits of a random UUID are always the same. */
const RANDOM_BITS = `('x' || substr(md5(gen_random_uuid()::text), 1, 16))::bit(64)::bigint`

function uuidDefaults({ type }: Column): readonly string[] {
  switch (type.kind === 'uuid' ? type.storage : undefined) {
    case 'native':
      return ['gen_random_uuid()']
    case 'bytes':
      return ['uuid_send(gen_random_uuid())']
    case 'int64-pair':
      return randomHalves(RANDOM_BITS)
    default:
      return ['gen_random_uuid()::text']
  }
}

const rules: LayoutRules = {
  values: postgresqlValues,
  types: POSTGRESQL_TYPES,
  nulls: 'highest',
  nanInKeys: true,
  computes: {
    literal: postgresqlLiteral,
    clock: 'CURRENT_TIMESTAMP',
    marksCommitTimestamps: false,
    uuidDefaults,
    shardExpression,
    storesIndexShards: true,
    hashExpression,
    canHash,
    mirrorOf,
  },
}

export function postgresqlLayout(table: Table): TableLayout {
  return tableLayout(table, rules)
}
