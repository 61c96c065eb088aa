import type { Finding, TableSchema } from '@isotherm/core'
import { declarationsOf, type Declaration } from '../declaration.js'
import { partsOf } from '../naming.js'
import { type Code, comment, fits, lines, propertyName, stringLiteral } from '../source-text.js'
import { chain, list } from './chain.js'
import { drizzleColumn, type DrizzleColumn } from './column-source.js'
import { columnOf, extrasOf, type ExtrasContext } from './extras.js'
import type { DrizzleNames } from './naming.js'

export interface DrizzleTableContext extends ExtrasContext {
  readonly names: DrizzleNames
  /** Whether two tables refer to each other, perhaps by way of others. */
  readonly inCircle: (table: string, other: string) => boolean
  readonly findings: readonly Finding[]
  readonly isNamed: boolean
}

/** The declaration of one table. */
export function drizzleTable(table: TableSchema, context: DrizzleTableContext): string {
  const { schema, words, imports, names, isNamed } = context
  const declarations = declarationsOf(table, { schema, dialect: words.dialect })
  const saysKey = columnsSayKey(table, declarations)
  const parentColumn = (property: string): Code => columnOf(context.identifier(table.parent!.table), property)
  const columns = declarations.map((each, at) =>
    drizzleColumn(each, table.columns[at]!, saysKey, { words, imports, isNamed, parentColumn }),
  )
  const extras = extrasOf(table, !saysKey, context)
  const { namespace, name } = partsOf(table.name)
  const make = namespace === undefined ? words.table : `${names.namespaces.get(namespace)!}.table`
  if (namespace === undefined) imports.add(words.from(words.table), words.table)
  const head = `export const ${context.identifier(table.name)} = ${make}(`
  const remarks = context.findings.flatMap(({ rule, message, ...found }) =>
    found.table === table.name ? comment(`isotherm lint: ${rule}: ${message}`) : [],
  )
  if (extras.length === 0 && fits(`${head}${stringLiteral(name)}, {`, { used: 0, after: 0 })) {
    const body = lines(
      '{',
      columns.map((each) => columnSource(each, 2)),
      '}',
      0,
    )
    return [...remarks, `${head}${stringLiteral(name)}, ${body})`].join('\n')
  }
  const extra = extras.map((each) => chain(each, { indent: 4, used: 4, after: 1 }))
  const isCircle = table.foreignKeys.some((key) => context.inCircle(table.name, key.table))
  const parameter = extra.some((text) => /\bt[.[]/.test(text)) ? 't' : ''
  // TypeScript cannot infer the types of two constants by way of each other.
  const returned = isCircle ? `: ${words.extra}[]` : ''
  if (isCircle) imports.add(words.from(words.extra), `type ${words.extra}`)
  const arrow = `(${parameter})${returned} => `
  const args = [
    stringLiteral(name),
    lines(
      '{',
      columns.map((each) => columnSource(each, 4)),
      '}',
      2,
    ),
    ...(extras.length === 0 ? [] : [arrow + list(extra, { indent: 2, used: arrow.length + 2, after: 1 })]),
  ]
  return [...remarks, lines(head, args, ')', 0)].join('\n')
}

/** Whether the columns in their order say what the key is. */
function columnsSayKey({ primaryKey, columns }: TableSchema, declarations: readonly Declaration[]): boolean {
  const said = declarations.flatMap(({ isKey, property }) => (isKey ? [property] : []))
  if (said.join('\n') !== primaryKey.map(({ property }) => property).join('\n')) return false
  return declarations.every(({ key, builder }, at) => {
    const isPlain = key === undefined || key === 'asc'
    const isNull = columns[at]!.nullable && builder !== 'parentKey' && key !== undefined
    // Of a key that says an order of its own nothing but the whole order is right.
    return isPlain && !isNull && !(key === 'asc' && isMadeKey(builder))
  })
}

function isMadeKey(builder: Declaration['builder']): boolean {
  return ['shardKey', 'hashKey', 'bitReversedId', 'uuidV4', 'descTimestamp'].includes(builder)
}

/** A property, indented but for its first line. */
function columnSource({ property, calls, note }: DrizzleColumn, indent: number): string {
  const name = propertyName(property)
  const text = chain(calls, { indent, used: indent + name.length + 2, after: 1 })
  const remarks = note === undefined ? [] : comment(note, indent).map((line) => line.trimStart())
  return [...remarks, `${name}: ${text}`].join(`\n${' '.repeat(indent)}`)
}
