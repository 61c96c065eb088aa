import type { ColumnType } from '../../model/column-type.js'
import type { Sequence } from '../../model/schema.js'
import { TokenReader } from '../../sql/token-reader.js'
import { isName } from '../../sql/token.js'
import { tokenize } from '../../sql/tokenize.js'
import type { CatalogColumn } from '../introspection/catalog.js'
import type { CatalogContext } from '../introspection/catalog-context.js'
import type { IntrospectedDialect, RecognisedRowDeletion } from '../introspection/dialect.js'
import { sameForm } from '../introspection/normal-form.js'
import { hashExpression, shardExpression } from './hash-expression.js'
import { quote } from './identifier.js'
import { spannerPostgreSqlDefault } from './introspect-defaults.js'
import { spannerPostgreSqlNormalForm } from './introspect-normal-form.js'
import { spannerPostgreSqlTypeOf } from './introspect-types.js'
import { mirrorExpression, mirrorName } from './mirror.js'

/** How a database of Spanner's PostgreSQL dialect is read. */
export const introspectedSpannerPostgreSql: IntrospectedDialect = {
  name: 'spanner-postgresql',
  defaultSchema: 'public',
  flag: { kind: 'string', length: 'max' },
  quote,
  normalForm: spannerPostgreSqlNormalForm,
  typeOf: spannerPostgreSqlTypeOf,
  defaultCall: spannerPostgreSqlDefault,
  rowDeletion,
  readSequences,
  hashes: { shardExpression, hashExpression },
  isMirror,
}

/** From `INTERVAL '7 DAYS' ON created`. */
function rowDeletion(policy: string): RecognisedRowDeletion | undefined {
  const reader = new TokenReader(tokenize(policy, 'spanner-postgresql'))
  reader.skip('INTERVAL')
  const interval = reader.next()
  const column = reader.skip('ON') ? reader.next() : undefined
  const days = interval?.kind === 'string' ? daysIn(interval.text) : undefined
  return isName(column) && days !== undefined ? { column: column.text, days } : undefined
}

const HOURS: Readonly<Record<string, number>> = { HOUR: 1, DAY: 24, WEEK: 7 * 24, MONTH: 30 * 24 }

/** The emulator writes 31 days as `1 MONTHS 24 HOURS`. */
function daysIn(interval: string): number | undefined {
  const words = interval.trim().toUpperCase().split(/\s+/)
  let hours = 0
  for (let at = 0; at < words.length; at += 2) {
    const unit = HOURS[words[at + 1]?.replace(/S$/, '') ?? '']
    if (unit === undefined || !/^\d+$/.test(words[at]!)) return undefined
    hours += Number(words[at]) * unit
  }
  return hours % 24 === 0 ? hours / 24 : undefined
}

async function readSequences({ read, nameOf }: CatalogContext): Promise<Sequence[]> {
  const rows = await read({
    view: 'sequences',
    columns: {
      sequence_schema: 'text',
      sequence_name: 'text',
      counter_start_value: 'integer',
      skip_range_min: 'integer',
      skip_range_max: 'integer',
    },
    schemaColumn: 'sequence_schema',
  })
  return rows.map((row) => {
    const { counter_start_value: start, skip_range_min: min, skip_range_max: max } = row
    return {
      name: nameOf([row.sequence_schema ?? '', row.sequence_name ?? '']),
      // Every sequence has a start here, and 1 is the one that nobody asked for.
      ...(start !== null && start !== 1n && { startCounter: String(start) }),
      ...(min !== null && max !== null && { skipRange: [String(min), String(max)] as const }),
    }
  })
}

function isMirror({ name, generated }: CatalogColumn, of: CatalogColumn, type: ColumnType): boolean {
  const expression = mirrorExpression(of.name, type.kind)
  if (!generated?.stored || expression === undefined || name !== mirrorName(of.name)) return false
  return sameForm(spannerPostgreSqlNormalForm(generated.expression), spannerPostgreSqlNormalForm(expression))
}
