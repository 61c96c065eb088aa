import type { Sequence } from '../../model/schema.js'
import { TokenReader } from '../../sql/token-reader.js'
import { isName, isSymbol } from '../../sql/token.js'
import { tokenize } from '../../sql/tokenize.js'
import { groupedBy, type CatalogContext } from '../introspection/catalog-context.js'
import type { IntrospectedDialect, RecognisedRowDeletion } from '../introspection/dialect.js'
import { hashExpression, shardExpression } from './hash-expression.js'
import { quote } from './identifier.js'
import { googleSqlDefault } from './introspect-defaults.js'
import { googleSqlNormalForm } from './introspect-normal-form.js'
import { googleSqlTypeOf } from './introspect-types.js'

/** How a GoogleSQL database is read. */
export const introspectedGoogleSql: IntrospectedDialect = {
  name: 'googlesql',
  defaultSchema: '',
  flag: { kind: 'bool' },
  quote,
  normalForm: googleSqlNormalForm,
  typeOf: googleSqlTypeOf,
  defaultCall: googleSqlDefault,
  rowDeletion,
  readSequences,
  hashes: { shardExpression, hashExpression },
}

/** From `OLDER_THAN(created, INTERVAL 30 DAY)`. */
function rowDeletion(policy: string): RecognisedRowDeletion | undefined {
  const reader = new TokenReader(tokenize(policy, 'googlesql'))
  if (!reader.skip('OLDER_THAN')) return undefined
  const condition = new TokenReader(reader.group() ?? [])
  const column = condition.next()
  if (!isName(column) || !isSymbol(condition.next(), ',') || !condition.skip('INTERVAL')) return undefined
  const days = condition.next()
  return days?.kind === 'number' && condition.skip('DAY')
    ? { column: column.text, days: Number(days.text) }
    : undefined
}

async function readSequences({ read, nameOf }: CatalogContext): Promise<Sequence[]> {
  const [rows, options] = await Promise.all([
    read({ view: 'sequences', columns: { schema: 'text', name: 'text' } }),
    read({
      view: 'sequence_options',
      columns: { schema: 'text', name: 'text', option_name: 'text', option_value: 'text' },
    }),
  ])
  const optionsOf = groupedBy(options, (row) => `${row.schema}.${row.name}`)
  return rows.map((row) => {
    const own = optionsOf.get(`${row.schema}.${row.name}`) ?? []
    const option = (name: string): string | undefined =>
      own.find((each) => each.option_name === name)?.option_value ?? undefined
    const startCounter = option('start_with_counter')
    const [min, max] = [option('skip_range_min'), option('skip_range_max')]
    return {
      name: nameOf([row.schema ?? '', row.name ?? '']),
      ...(startCounter !== undefined && { startCounter }),
      ...(min !== undefined && max !== undefined && { skipRange: [min, max] as const }),
    }
  })
}
