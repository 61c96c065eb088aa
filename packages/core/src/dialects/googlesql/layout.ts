import type { Column } from '../../model/column.js'
import type { Table } from '../../model/table.js'
import type { TableLayout } from '../layout.js'
import { tableLayout, type LayoutRules } from '../table-layout.js'
import { randomHalves } from '../uuid-field.js'
import type { ValueRules } from '../values.js'
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

export const googleSqlValues: ValueRules = { nan: 'lowest', numeric: 'fixed' }

const rules: LayoutRules = {
  dialect: 'googlesql',
  values: googleSqlValues,
  nulls: 'lowest',
  nanInKeys: true,
  clock: 'CURRENT_TIMESTAMP()',
  uuidDefaults,
  shardExpression,
  hashExpression,
  canHash: () => true,
}

export function googleSqlLayout(table: Table): TableLayout {
  return tableLayout(table, rules)
}
