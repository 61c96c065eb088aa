import { googleSqlLiteral } from './literal.js'
import {
  type Column,
  type JsonRules,
  type LayoutRules,
  type Table,
  type TableLayout,
  type ValueRules,
  compareText,
  fingerprint,
  randomHalves,
  tableLayout,
} from '@isotherm/core/engine'
import { SPANNER_TYPES } from '../spanner-types.js'
import { hashExpression, shardExpression } from './hash-expression.js'

// The hash of a random text.
const RANDOM_BITS = 'FARM_FINGERPRINT(GENERATE_UUID())'

function uuidDefaults({ type }: Column): readonly string[] {
  switch (type.kind === 'uuid' ? type.storage : undefined) {
    case 'native':
      return ['NEW_UUID()']
    case 'bytes':
      return ["FROM_HEX(REPLACE(GENERATE_UUID(), '-', ''))"]
    case 'int64-pair':
      return randomHalves(RANDOM_BITS)
    default:
      return ['GENERATE_UUID()']
  }
}

/** Source: https://cloud.google.com/spanner/docs/working-with-json#specifications (the emulator rounds, and nests deeper). */
const JSON_RULES: JsonRules = {
  numbers: 'binary',
  nul: true,
  levels: 80,
  compareNames: compareText,
}

export const googleSqlValues: ValueRules = {
  dialect: 'googlesql',
  nan: 'lowest',
  numeric: 'fixed',
  json: JSON_RULES,
  hash64: fingerprint,
}

const rules: LayoutRules = {
  values: googleSqlValues,
  types: SPANNER_TYPES,
  nulls: 'lowest',
  nanInKeys: true,
  computes: {
    literal: googleSqlLiteral,
    clock: 'CURRENT_TIMESTAMP()',
    marksCommitTimestamps: true,
    uuidDefaults,
    shardExpression,
    hashExpression,
    canHash: () => true,
  },
}

export function googleSqlLayout(table: Table): TableLayout {
  return tableLayout(table, rules)
}
