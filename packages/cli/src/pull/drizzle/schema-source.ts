import { Imports } from '../imports.js'
import { partsOf } from '../naming.js'
import { changeStream } from '../schema-source.js'
import { call, Code, comment, type Value } from '../source-text.js'
import { isEmpty } from '../table-options.js'
import { sqlValue } from '../declaration.js'
import { chain, sqlCode, type Call } from './chain.js'
import { expressionOf } from './expressions.js'
import { drizzleTable, type DrizzleTableContext } from './table-source.js'

type Context = Omit<DrizzleTableContext, 'imports' | 'identifier'>

/** The file of all tables, each after those that it lies in, and of all that is beside them. */
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
    return namespace === undefined ? used(otherwise) : `${names.namespaces.get(namespace)!}.${method}`
  }
  const tableContext = { ...context, imports, identifier: (table: string) => names.tables.get(table)! }
  const blocks = [
    ...[...names.namespaces].map(([name, identifier]) =>
      constant(identifier, [{ name: used(words.schema), args: [name] }]),
    ),
    ...schema.sequences.map((sequence) => {
      const { name } = sequence
      const options = words.sequenceOptions(sequence)
      const args: readonly Value[] = isEmpty(options) ? [partsOf(name).name] : [partsOf(name).name, options]
      return constant(names.sequences.get(name)!, [{ name: makerOf(name, 'sequence', words.sequence), args }])
    }),
    ...schema.tables.map((table) => drizzleTable(table, tableContext)),
    ...schema.views.map(({ name, query, security }) => {
      used('sql')
      const text = sqlCode(expressionOf(sqlValue(query), words.dialect))
      const said = constant(names.views.get(name)!, [
        { name: makerOf(name, 'view', words.view), args: [partsOf(name).name, {}] },
        ...(security === 'definer' ? [{ name: 'with', args: [words.definer] }] : []),
        { name: 'as', args: [text] },
      ])
      return [...comment('Its columns are not known here: declare those that are read.'), said].join('\n')
    }),
  ]
  return `${[imports.toString(), ...blocks].join('\n\n')}\n`
}

/** The file that has the schema of all tables. */
export function drizzleIndex({ schema, names, words }: Context, files: readonly string[]): string {
  const imports = new Imports()
  imports.add(words.adapter, 'toSchema')
  const model = (table: string): Code => new Code(`tables.${names.tables.get(table)!}`)
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
