import { known } from '@isotherm/core/adapter'
import type { Dialect, Finding, Schema, TableSchema } from '@isotherm/core'
import { type Declaration, declarationsOf, sqlValue, userTypeArguments } from './declaration.js'
import {
  Called,
  Code,
  Imports,
  type Value,
  type ValueRecord,
  WIDTH,
  call,
  comment,
  fits,
  lines,
  literal,
  propertyName,
  specifier,
  stringLiteral,
} from './source-text.js'
import type { ModelStyle } from '../../project/first-project.js'
import type { ModelName } from './naming.js'

type Index = TableSchema['indexes'][number]
type Key = TableSchema['foreignKeys'][number]

/** `() => Parent`, in the words of the file that the table is in. */
type Thunk = (table: string) => Code

/** The options of `@Table` and `defineTable`, besides the columns. */
function tableOptions(
  table: TableSchema,
  declarations: readonly Declaration[],
  schema: Schema,
  thunk: Thunk,
): ValueRecord {
  const { parent, checks, foreignKeys, rowDeletion, workload, suppressions, partitionKey } = table
  return {
    interleaveIn: parent && thunk(parent.table),
    onDelete: parent?.onDelete === 'cascade' ? parent.onDelete : undefined,
    requireParent: parent?.required,
    primaryKey: keyOf(table, declarations),
    // A partition key of the first part alone is the default, and not written.
    partitionKey: partitionKey?.length === 1 ? undefined : partitionKey,
    ttlSeconds: table.ttlSeconds,
    opaqueColumns: some(
      (table.opaqueColumns ?? []).map(({ name, definition, before }) => ({
        name,
        definition: sqlValue(definition),
        before,
      })),
    ),
    checks: some(
      checks.map(({ name, unnamed, expression }) => ({ name, unnamed, expression: sqlValue(expression) })),
    ),
    foreignKeys: some(foreignKeys.map((key) => foreignKey(table, key, schema, thunk))),
    rowDeletion: rowDeletion && { ...rowDeletion },
    workload: workload && { ...workload },
    suppress: some(suppressions.map((each) => ({ ...each }))),
  }
}

export function isEmpty(options: ValueRecord): boolean {
  return Object.values(options).every((value) => value === undefined)
}

/** Undefined if the order of the columns declares the right key. */
function keyOf({ primaryKey }: TableSchema, declarations: readonly Declaration[]): Value | undefined {
  const key = primaryKey.map(({ property }) => property)
  const declared = declarations.flatMap(({ isKey, property }) => (isKey ? [property] : []))
  return key.join('\n') === declared.join('\n') ? undefined : key
}

function some(values: readonly ValueRecord[]): Value | undefined {
  return values.length === 0 ? undefined : values
}

function foreignKey(table: TableSchema, key: Key, { tables }: Schema, thunk: Thunk): ValueRecord {
  const { name, unnamed, columns, references, onDelete, enforced } = key
  const other = tables.find((each) => each.name === key.table)
  const primary = other?.primaryKey.map(({ property }) => property).join('\n')
  return {
    name,
    unnamed,
    columns,
    references: key.table === table.name ? 'self' : thunk(key.table),
    on: primary === references.join('\n') ? undefined : references,
    onDelete: onDelete === 'cascade' ? onDelete : undefined,
    enforced,
  }
}

/**
 * The options of `@Index`, or of one of `indexes`. The name is always written: a property may be renamed without the index.
 */
function indexOptions(index: Index, thunk: Thunk): ValueRecord {
  const { name, parts, unique, nullFiltered, notNull, storing, interleaveIn, shard } = index
  return {
    name,
    on: parts.map(({ property, order, nulls }) =>
      order === 'asc' && nulls === undefined
        ? property
        : { property, order: order === 'desc' ? order : undefined, nulls },
    ),
    unique: unique || undefined,
    nullFiltered: nullFiltered || undefined,
    notNull: notNull.length === 0 ? undefined : notNull,
    storing: storing.length === 0 ? undefined : storing,
    interleaveIn: interleaveIn === undefined ? undefined : thunk(interleaveIn),
    shard: shard && { shards: shard.shards, of: shard.of },
  }
}

type OwnStyle = Exclude<ModelStyle, 'drizzle'>

interface ModelContext {
  readonly schema: Schema
  readonly dialect: Dialect
  readonly style: OwnStyle
  /** By the tables' names. */
  readonly models: ReadonlyMap<string, ModelName>
  /** By the names of the user types. */
  readonly types: ReadonlyMap<string, ModelName>
  /** Whether two tables refer to each other, perhaps by way of others. */
  readonly inCircle: (table: string, other: string) => boolean
  readonly findings: readonly Finding[]
}

const CORE = '@isotherm/core'

/** The file of one model. */
export function tableSource(table: TableSchema, context: ModelContext): string {
  const { schema, style, models } = context
  const { identifier, path } = known(models, table.name)
  const imports = new Imports()
  const thunk: Thunk = (name) => {
    const model = known(models, name)
    if (name !== table.name) imports.add(specifier(path, model.path), model.identifier)
    // TypeScript cannot infer the types of two constants by way of each other.
    const circle = style === 'tables' && context.inCircle(table.name, name)
    return new Code(circle ? `(): object => ${model.identifier}` : `() => ${model.identifier}`)
  }
  const declarations = declarationsOf(table, context)
  for (const { type, inherited } of table.columns) {
    if (inherited) continue
    for (const name of userTypeArguments(type)) {
      const model = known(context.types, name)
      imports.add(specifier(path, model.path), model.identifier)
    }
  }
  if (declarations.some(({ args }) => args.some(saysSql))) imports.add(CORE, 'sql')
  const options = tableOptions(table, declarations, schema, thunk)
  const indexes = table.indexes.map((index) => indexOptions(index, thunk))
  for (const { field } of declarations) {
    if (field.includes('JsonDocument') && style === 'decorators') imports.add(CORE, 'type JsonDocument')
    if (field.includes('Generated<') && namesGenerated(style, declarations))
      imports.add(CORE, 'type Generated')
  }
  const code =
    style === 'decorators'
      ? classSource({ kind: 'Table', identifier, name: table.name, options, indexes }, declarations, imports)
      : constantSource(
          {
            kind: 'defineTable',
            identifier,
            name: table.name,
            options: { ...options, indexes: indexes.length > 0 ? indexes : undefined },
          },
          declarations,
          imports,
        )
  const remarks = context.findings.flatMap(({ rule, message, ...found }) =>
    found.table === table.name ? comment(`isotherm lint: ${rule}: ${message}`) : [],
  )
  return `${imports.toString()}\n\n${[...remarks, ...code].join('\n')}\n`
}

/** Whether a column's options have a default that is SQL. */
function saysSql(options: Value): boolean {
  const defaultValue = (options as ValueRecord)['default']
  return defaultValue instanceof Called && defaultValue.name === 'sql'
}

function namesGenerated(style: OwnStyle, declarations: readonly Declaration[]): boolean {
  const fields =
    style === 'decorators' ? declarations : declarations.filter(({ builder }) => builder === 'parentKey')
  return fields.some(({ field }) => field.includes('Generated<'))
}

const DECORATORS: Partial<Record<Declaration['builder'], string>> = {
  shardKey: 'ShardKey',
  hashKey: 'HashKey',
  bitReversedId: 'BitReversedId',
  uuidV4: 'UuidV4',
  descTimestamp: 'DescTimestamp',
  parentKey: 'ParentKey',
}

type Options = Parameters<typeof isEmpty>[0]

/** A model that is declared as a class. */
interface ClassModel {
  readonly kind: 'Table' | 'UserType'
  readonly identifier: string
  readonly name: string
  readonly options: Options
  readonly indexes: readonly Options[]
}

export function classSource(
  { kind, identifier, name, options, indexes }: ClassModel,
  declarations: readonly Declaration[],
  imports: Imports,
): string[] {
  imports.add(CORE, kind, ...(indexes.length > 0 ? ['Index'] : []))
  const position = { indent: 0, used: 1, after: 0 }
  return [
    `@${call(kind, isEmpty(options) ? [name] : [name, options], position)}`,
    ...indexes.map((index) => `@${call('Index', [index], position)}`),
    `export class ${identifier} {`,
    ...declarations.flatMap((each) => [...remark(each, 2), fieldSource(each, imports)]),
    '}',
  ]
}

function fieldSource({ property, builder, args, key, field }: Declaration, imports: Imports): string {
  const special = DECORATORS[builder]
  imports.add(CORE, special ?? 'Column', ...(key ? ['Key'] : []))
  const position = { indent: 2, used: 3, after: 0 }
  const decorators = [
    ...(key ? [`@${call('Key', key === 'desc' ? [{ order: key }] : [], position)}`] : []),
    `@${call(special ?? `Column.${builder}`, args, position)}`,
  ]
  const declared = `${propertyName(property)}!: ${field}`
  const line = `  ${[...decorators, declared].join(' ')}`
  if (!line.includes('\n') && fits(line, { used: 0, after: 0 })) return line
  return [...decorators, declared].map((each) => `  ${each}`).join('\n')
}

/** A model that is declared as a constant. */
interface ConstantModel {
  readonly kind: 'defineTable' | 'defineUserType'
  readonly identifier: string
  readonly name: string
  readonly options: Options
}

export function constantSource(
  { kind, identifier, name, options }: ConstantModel,
  declarations: readonly Declaration[],
  imports: Imports,
): string[] {
  imports.add(CORE, kind)
  const start = `export const ${identifier} =`
  const head = `${start} ${kind}(${stringLiteral(name)}, (t) => ({`
  if (isEmpty(options) && head.length <= WIDTH)
    return [
      head,
      ...declarations.flatMap((each) => [...remark(each, 2), `  ${columnSource(each, 2)},`]),
      '}))',
    ]
  const call = `${start} ${kind}(`.length <= WIDTH ? ` ${kind}(` : `\n  ${kind}(`
  const indent = call.startsWith('\n') ? 2 : 0
  const columns = declarations.map((each) => {
    // The list indents the first line of each of its items.
    const remarks = remark(each, indent + 4).map((line) => line.trimStart())
    return [...remarks, columnSource(each, indent + 4)].join(`\n${' '.repeat(indent + 4)}`)
  })
  const position = { indent: indent + 2, used: indent + 2, after: 1 }
  const args = [
    stringLiteral(name),
    `(t) => ${lines('({', columns, '})', indent + 2)}`,
    ...(isEmpty(options) ? [] : [literal(options, position)]),
  ]
  return [`${start}${lines(call, args, ')', indent)}`]
}

function remark({ note }: Declaration, indent: number): string[] {
  return note === undefined ? [] : comment(note, indent)
}

function columnSource({ property, builder, args, key, field }: Declaration, indent: number): string {
  const name = propertyName(property)
  const type = builder === 'parentKey' ? `<${field}>` : ''
  const method = `${builder}${type}`
  const position = { indent, used: indent + name.length + 2, after: 1 }
  if (key === undefined) return `${name}: ${call(`t.${method}`, args, position)}`
  const order = `key(${key === 'desc' ? "'desc'" : ''})`
  const line = `${call(`t.${method}`, args, { ...position, after: order.length + 2 })}.${order}`
  if (!line.includes('\n')) return `${name}: ${line}`
  const pad = ' '.repeat(indent + 2)
  const inner = { indent: indent + 2, used: indent + 3, after: 0 }
  return [`${name}: t`, `${pad}.${call(method, args, inner)}`, `${pad}.${order}`].join('\n')
}
