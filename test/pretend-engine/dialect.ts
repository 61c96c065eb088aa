import { createHash } from 'node:crypto'
import * as core from '@isotherm/core/engine'
import * as tools from '@isotherm/core/tools'

// The dialect of an engine that is a Map. One statement creates a table, which the statement contains as JSON.

const NUMBERS = ['int64', 'float32', 'float64', 'numeric'] as const
const OTHERS = ['bool', 'string', 'bytes', 'date', 'timestamp', 'json', 'uuid', 'array'] as const
const types = new Set<core.TypeKind>([...NUMBERS, ...OTHERS])
const keys = {
  nulls: 'lowest',
  nanInKeys: true,
  partitioned: true,
  statics: true,
  writesExpire: true,
} as const

export const values: core.ValueRules = {
  dialect: 'pretend',
  nan: 'highest',
  numeric: 'fixed',
  json: { numbers: 'binary', nul: true, levels: 80, compareNames: core.compareText },
  // Another hash than in the other dialects: a part of MD5, which many databases support.
  hash64: (input) => createHash('md5').update(input).digest().readBigInt64BE(),
}

const lexicalSyntax: core.LexicalSyntax = {
  name: 'pretend',
  rules: [
    core.WHITE_SPACE,
    { pattern: /'([^']*)'/uy, token: ([, text]) => ({ kind: 'string', text: text! }) },
    { pattern: /[a-z]+/uy, token: ([text]) => ({ kind: 'word', text }) },
  ],
  opening: /'/y,
  ignoresCase: false,
  ddlComments: false,
}

function layout(table: core.Table): core.TableLayout {
  const { name, parent, indexes, checks, foreignKeys, rowDeletion } = table
  if (parent ?? rowDeletion ?? [...indexes, ...checks, ...foreignKeys][0])
    throw tools.unsupportedModel(
      name,
      'is more than rows by key.',
      'Leave out its parent, indexes and checks.',
    )
  const laid = core.tableLayout(table, { values, types, ...keys })
  const empty = laid.key.find(({ column }) => column.nullable)?.field.column.property
  if (empty === undefined) return laid
  throw tools.unsupportedModel(name, 'may be NULL in a key.', 'Use a value that stands for none.', empty)
}

function createTable({ name, columns, primaryKey, partitionKey }: core.Table): string {
  const definition = JSON.stringify({ name, columns, primaryKey, partitionKey })
  return `create table '${definition.replaceAll("'", '\\u0027')}'`
}

/** The table that a statement creates, or the name of the table that it drops. */
export function readStatement(statement: string): core.Table | string {
  const [, verb, text] = /^(create|drop) table '(.*)'$/su.exec(statement) ?? []
  if (text === undefined) throw new core.IsothermError('INVALID_QUERY', `Unknown statement: ${statement}`)
  if (verb === 'drop') return text
  const table = JSON.parse(text) as Pick<core.Table, 'name' | 'columns' | 'primaryKey'>
  return { ...table, indexes: [], checks: [], foreignKeys: [], suppressions: [] }
}

const differ: tools.SchemaDiffer = {
  layOut: (schema) => ({ schema, layouts: schema.tables.map(layout) }),
  // A changed table is dropped and created again.
  diff(from, to) {
    const missing = (one: tools.LaidOut, other: tools.LaidOut): string[] => {
      const there = new Set(other.schema.tables.map(createTable))
      return one.schema.tables.filter((table) => !there.has(createTable(table))).map(({ name }) => name)
    }
    const dropped = missing(from, to).map((table) => ({ kind: 'drop-table', table, dataLoss: true }) as const)
    const made = missing(to, from).map((table) => ({ kind: 'create-table', table, foreignKeys: [] }) as const)
    return { changes: [...dropped, ...made], refusals: [] }
  },
  statements: (changes, { schema }) =>
    changes.flatMap((change) => {
      if (change.kind === 'drop-table') return { kind: 'ddl', sql: `drop table '${change.table}'` }
      const table = change.kind === 'create-table' && schema.tables.find(({ name }) => name === change.table)
      return table ? { kind: 'ddl', sql: createTable(table) } : []
    }),
  renameCandidates: () => [],
  batchLength: () => 1,
}

const load = { name: 'partition', writesPerSecond: 1000, peakWritesPerNode: 1000, perNode: 1 }
const hotKey = tools.monotonicFirstKey(load)

export const pretend = tools.defineDialect<tools.Dialect>({
  name: 'pretend',
  lexicalSyntax,
  nulls: 'lowest',
  nanIsValue: true,
  values,
  lint: { engine: 'pretend', rules: [hotKey, tools.unsupportedFeature, tools.unusedSuppression] },
  layout,
  ddl: ({ tables }) => tables.map(createTable),
  differ,
  async introspect(reader) {
    const tables = (await reader.ddl()).map(readStatement).filter((table) => typeof table === 'object')
    return { version: 1, tables, namespaces: [], sequences: [], views: [], changeStreams: [] }
  },
  refuseUnsupported({ sequences, views, changeStreams, userTypes = [] }) {
    const [other] = [...sequences, ...views, ...changeStreams, ...userTypes]
    if (other)
      throw tools.unsupportedModel(other.name, 'is not a table.', 'Leave it out: there are tables only.')
  },
})
