import type { Column } from '../../model/column.js'
import type { Table } from '../../model/table.js'
import type { TableLayout } from '../layout.js'
import { tableLayout, type LayoutRules } from '../table-layout.js'
import { randomHalves } from '../uuid-field.js'
import type { ValueRules } from '../values.js'
import { canHash, hashExpression, shardExpression } from './hash-expression.js'
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

export const spannerPostgreSqlValues: ValueRules = { nan: 'highest', numeric: 'wide' }

const rules: LayoutRules = {
  dialect: 'spanner-postgresql',
  values: spannerPostgreSqlValues,
  nulls: 'highest',
  nanInKeys: false,
  clock: 'CURRENT_TIMESTAMP',
  uuidDefaults,
  shardExpression,
  hashExpression,
  canHash,
  mirrorOf,
}

export function spannerPostgreSqlLayout(table: Table): TableLayout {
  return tableLayout(table, rules)
}
