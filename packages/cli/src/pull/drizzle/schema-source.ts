import { known } from '@isotherm/core/adapter'
import type { Schema, TableSchema } from '@isotherm/core'
import { Code, Imports, type Value, type ValueRecord, call, comment, lines } from '../source/source-text.js'
import { claim, partsOf, pascalCase } from '../source/naming.js'
import { type DrizzleTableContext, columnOf, drizzleTable } from './table-source.js'
import type { DrizzleNames } from './naming.js'
import { type Call, ORM, chain, expressionOf, sqlCode } from './drizzle-syntax.js'
import { changeStream } from '../source/schema-source.js'
import { isEmpty } from '../source/table-source.js'
import { sqlValue } from '../source/declaration.js'

/** A row of a table that belongs to one of another's: by a foreign key, or by lying in it. */
interface Link {
  readonly child: string
  readonly parent: string
  readonly fields: readonly string[]
  readonly references: readonly string[]
}

/** The relations that `db.query` can follow, from foreign keys and interleaving; undefined if there are none. */
export function relationsSource(schema: Schema, names: DrizzleNames, tablesFile: string): string | undefined {
  const links = schema.tables.flatMap(linksOf)
  if (links.length === 0) return undefined
  const imports = new Imports()
  imports.add(ORM, 'relations')
  const blocks = schema.tables.flatMap((table) => {
    const own = relationsOf(table, links, names)
    if (own.length === 0) return []
    const tables = [
      table.name,
      ...links.flatMap(({ child, parent }) =>
        child === table.name ? [parent] : parent === table.name ? [child] : [],
      ),
    ]
    for (const each of tables) imports.add(tablesFile, known(names.tables, each))
    const identifier = known(names.tables, table.name)
    const helpers = ['one', 'many'].filter((helper) => own.some(({ kind }) => kind === helper))
    const items = own.map(({ property, text }) => `${property}: ${text}`)
    const head = `export const ${names.claim(`${identifier}Relations`)} = relations(${identifier}, ({ ${helpers.join(', ')} }) => `
    return [`${head}${lines('({', items, '})', 0)})`]
  })
  return `${[imports.toString(), ...blocks].join('\n\n')}\n`
}

function linksOf({ name, parent, primaryKey, columns, foreignKeys }: TableSchema): readonly Link[] {
  const inherited = primaryKey
    .map(({ property }) => property)
    .filter((property) => columns.some((each) => each.property === property && each.inherited))
  const lies: readonly Link[] = parent
    ? [{ child: name, parent: parent.table, fields: inherited, references: inherited }]
    : []
  const referring = foreignKeys.map(({ table, columns: fields, references }) => ({
    child: name,
    parent: table,
    fields,
    references,
  }))
  // A foreign key to the parent by the parent's key says nothing more.
  return [...lies, ...referring].filter(
    (link, at, all) => all.findIndex((other) => isSame(link, other)) === at,
  )
}

function isSame(a: Link, b: Link): boolean {
  const text = ({ parent, fields, references }: Link): string =>
    [parent, ...fields.map((field, at) => `${field} ${references[at]}`).toSorted()].join('\n')
  return text(a) === text(b)
}

interface Relation {
  readonly property: string
  readonly kind: 'one' | 'many'
  readonly text: string
}

/** The relations of one table: to the tables that it refers to, and to those that refer to it. */
function relationsOf(
  { name, columns }: TableSchema,
  links: readonly Link[],
  names: DrizzleNames,
): readonly Relation[] {
  // In the result of a query, a relation is on the same level as the columns.
  const taken = new Set(columns.map(({ property }) => property))
  const between = (a: string, b: string): number =>
    links.filter(({ child, parent }) => (child === a && parent === b) || (child === b && parent === a)).length
  const relations: Relation[] = []
  for (const link of links) {
    const { child, parent, fields, references } = link
    const isOnly = child !== parent && between(child, parent) === 1
    const suffix = isOnly ? '' : `By${fields.map(pascalCase).join('')}`
    const relationName = isOnly ? undefined : `${known(names.tables, child)}${suffix}`
    const [ours, theirs] = [known(names.tables, child), known(names.tables, parent)]
    if (child === name) {
      const config: ValueRecord = {
        fields: fields.map((property) => columnOf(ours, property)),
        references: references.map((property) => columnOf(theirs, property)),
        relationName,
      }
      const property = claim(`${theirs}${suffix}`, taken)
      relations.push({ property, kind: 'one', text: spread('one', theirs, config, property) })
    }
    if (parent === name) {
      const property = claim(child === parent ? `${ours}Of${suffix.slice(2)}` : `${ours}${suffix}`, taken)
      relations.push({ property, kind: 'many', text: spread('many', ours, { relationName }, property) })
    }
  }
  return relations
}

function spread(helper: string, table: string, config: ValueRecord, property: string): string {
  const hasConfig = Object.values(config).some((value) => value !== undefined)
  const position = { indent: 2, used: property.length + 4, after: 1 }
  return call(helper, [new Code(table), ...(hasConfig ? [config] : [])], position)
}

type Context = Omit<DrizzleTableContext, 'imports' | 'identifier'>

/** The file of all tables, each after the table that it is interleaved in, and of the other objects of the schema. */
export function drizzleSchema(context: Context): string {
  const { schema, names, words } = context
  const imports = new Imports()
  const used = (name: string): string => {
    imports.add(words.from(name), name)
    return name
  }
  /** `sales.view(…)`, or `spannerView(…)`. */
  const makerOf = (qualified: string, method: string, otherwise: string): string => {
    const { namespace } = partsOf(qualified)
    return namespace === undefined ? used(otherwise) : `${known(names.namespaces, namespace)}.${method}`
  }
  const tableContext = { ...context, imports, identifier: (table: string) => known(names.tables, table) }
  const blocks = [
    ...[...names.namespaces].map(([name, identifier]) =>
      constant(identifier, [{ name: used(words.schema), args: [name] }]),
    ),
    ...schema.sequences.map((sequence) => {
      const { name } = sequence
      const options = words.sequenceOptions(sequence)
      const args: readonly Value[] = isEmpty(options) ? [partsOf(name).name] : [partsOf(name).name, options]
      return constant(known(names.sequences, name), [
        { name: makerOf(name, 'sequence', words.sequence), args },
      ])
    }),
    ...schema.tables.map((table) => drizzleTable(table, tableContext)),
    ...schema.views.map(({ name, query, security }) => {
      used('sql')
      const text = sqlCode(expressionOf(sqlValue(query), words.dialect))
      const said = constant(known(names.views, name), [
        { name: makerOf(name, 'view', words.view), args: [partsOf(name).name, {}] },
        ...(security === 'definer' ? [{ name: 'with', args: [words.definer] }] : []),
        { name: 'as', args: [text] },
      ])
      return [...comment('Its columns are not known: declare those that you read.'), said].join('\n')
    }),
  ]
  return `${[imports.toString(), ...blocks].join('\n\n')}\n`
}

/** The file that has the schema of all tables. */
export function drizzleIndex({ schema, names, words }: Context, files: readonly string[]): string {
  const imports = new Imports()
  imports.add(words.adapter, 'toSchema')
  const model = (table: string): Code => new Code(`tables.${known(names.tables, table)}`)
  const streams = schema.changeStreams.map((stream) => changeStream(stream, model))
  const args = [new Code('tables'), ...(streams.length > 0 ? [{ changeStreams: streams }] : [])]
  const head = 'export const schema = '
  return [
    imports.toString(),
    "import * as tables from './schema.js'",
    '',
    ...files.map((file) => `export * from './${file}.js'`),
    '',
    `${head}${call('toSchema', args, { indent: 0, used: head.length, after: 0 })}`,
    '',
  ].join('\n')
}

function constant(identifier: string, calls: readonly [Call, ...Call[]]): string {
  const head = `export const ${identifier} = `
  return `${head}${chain(calls, { indent: 0, used: head.length, after: 0 })}`
}
