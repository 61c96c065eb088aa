import { googleSqlLexicalSyntax, quote } from '../lexical-syntax.js'
import {
  type DefaultCall,
  type IntrospectedDialect,
  type NormalForm,
  type RecognisedRowDeletion,
  normalForm,
} from '../../introspection/dialect.js'
import { TokenReader, isName, isSymbol, tokenize } from '@isotherm/core/engine'
import type { Sequence } from '@isotherm/core/tools'
import { type CatalogContext, groupedBy } from '../../introspection/catalog.js'
import { hashExpression, shardExpression } from '../hash-expression.js'
import { googleSqlTypeOf } from './introspect-types.js'

/** An expression comes back as it was written. */
export function googleSqlNormalForm(sql: string): NormalForm {
  return normalForm(sql, googleSqlLexicalSyntax)
}

const CALLS: ReadonlyMap<string, DefaultCall> = new Map<string, DefaultCall>([
  ['f:generate_uuid', 'uuid-text'],
  ['f:new_uuid', 'uuid'],
  ['f:current_timestamp', 'clock'],
  ['w:current_timestamp', 'clock'],
])

function googleSqlDefault(expression: string, sequences: readonly string[]): DefaultCall | undefined {
  const form = googleSqlNormalForm(expression)
  const [only, ...others] = form
  if (only !== undefined && others.length === 0) return CALLS.get(only)
  const sequence = sequenceIn(form, sequences)
  return sequence === undefined ? undefined : { sequence }
}

/** From `GET_NEXT_SEQUENCE_VALUE(SEQUENCE sales.numbers)`, whose name may be written in other letters than its own. */
function sequenceIn([call, keyword, ...path]: NormalForm, sequences: readonly string[]): string | undefined {
  if (call !== 'f:get_next_sequence_value' || keyword !== 'w:sequence') return undefined
  const written = path.map((entry) => (entry === '..' ? '.' : entry.slice(2))).join('')
  return sequences.find((name) => name.toLowerCase() === written)
}

/** How a GoogleSQL database is read. */
export const introspectedGoogleSql: IntrospectedDialect = {
  lexicalSyntax: googleSqlLexicalSyntax,
  defaultSchema: '',
  text: 'STRING',
  quote,
  normalForm: googleSqlNormalForm,
  typeOf: googleSqlTypeOf,
  defaultCall: googleSqlDefault,
  rowDeletion,
  addRowDeletion: (table, policy) => `ALTER TABLE ${quote(table)} ADD ROW DELETION POLICY (${policy})`,
  readSequences,
  hashes: { shardExpression, hashExpression },
}

/** From `OLDER_THAN(created, INTERVAL 30 DAY)`. */
function rowDeletion(policy: string): RecognisedRowDeletion | undefined {
  const reader = new TokenReader(tokenize(policy, googleSqlLexicalSyntax))
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
