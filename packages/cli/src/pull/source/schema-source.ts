import { known } from '@isotherm/core/adapter'
import type { Schema } from '@isotherm/core'
import {
  type Declaration,
  type UserTypeNames,
  fieldType,
  sqlValue,
  typeArguments,
  userTypeArguments,
} from './declaration.js'
import { Code, Imports, type Value, type ValueRecord, call, specifier } from './source-text.js'
import { type ModelName, partsOf } from './naming.js'
import { classSource, constantSource } from './table-source.js'

export const INDEX = 'index'

/** The file that has the whole schema, and every model of it. */
export function schemaSource(
  schema: Schema,
  models: ReadonlyMap<string, ModelName>,
  types: ReadonlyMap<string, ModelName>,
): string {
  const imports = new Imports()
  imports.add('@isotherm/core', 'defineSchema')
  const all = schema.tables.map(({ name }) => known(models, name))
  for (const { identifier, path } of all) imports.add(specifier(INDEX, path), identifier)
  const model = (table: string): Code => new Code(known(models, table).identifier)
  const options: ValueRecord = {
    namespaces: some(namespacesOf(schema)),
    sequences: some(schema.sequences.map(sequence)),
    views: some(
      schema.views.map(({ name, query, security }) => ({
        name,
        query: sqlValue(query),
        security: security === 'definer' ? security : undefined,
      })),
    ),
    changeStreams: some(schema.changeStreams.map((stream) => changeStream(stream, model))),
    opaqueStatements: some(
      (schema.opaqueStatements ?? []).map(({ create, drop }) => ({
        create: sqlValue(create),
        drop: drop === undefined ? undefined : sqlValue(drop),
      })),
    ),
  }
  const hasOptions = Object.values(options).some((value) => value !== undefined)
  const args = [schema.tables.map(({ name }) => model(name)), ...(hasOptions ? [options] : [])]
  const definition = `export const schema = `
  const exports = [...all, ...types.values()]
    .map(({ identifier, path }) => `export { ${identifier} } from '${specifier(INDEX, path)}'`)
    .toSorted()
  return [
    imports.toString(),
    '',
    `${definition}${call('defineSchema', args, { indent: 0, used: definition.length, after: 0 })}`,
    ...(exports.length > 0 ? ['', ...exports] : []),
    '',
  ].join('\n')
}

/** Empty named schemas: the others are known by the names of their objects. */
function namespacesOf({ namespaces, tables, sequences, views }: Schema): readonly string[] {
  const held = new Set([...tables, ...sequences, ...views].map(({ name }) => partsOf(name).namespace))
  return namespaces.filter((namespace) => !held.has(namespace))
}

function sequence({ name, startCounter, skipRange }: Schema['sequences'][number]): ValueRecord {
  return {
    name,
    startCounter: startCounter === undefined ? undefined : BigInt(startCounter),
    skipRange: skipRange?.map(BigInt),
  }
}

/** Values of an option that a model declares elsewhere. */
const CAPTURE_TYPES = new Set(['OLD_AND_NEW_VALUES', 'NEW_ROW', 'NEW_VALUES', 'NEW_ROW_AND_OLD_VALUES'])

export function changeStream(
  { name, watch, options }: Schema['changeStreams'][number],
  model: (table: string) => Code,
): ValueRecord {
  const { retention_period: retention, value_capture_type: values, ...rest } = options
  const isKnown = values === undefined || CAPTURE_TYPES.has(values)
  const others = { ...rest, ...(!isKnown && { value_capture_type: values }) }
  return {
    name,
    watch: watch === 'all' ? watch : some(watch.map((each) => watched(each, model))),
    retention,
    values: isKnown ? values : undefined,
    options: Object.keys(others).length > 0 ? others : undefined,
  }
}

type Watched = Exclude<Schema['changeStreams'][number]['watch'], 'all'>[number]

function watched({ table, columns }: Watched, model: (table: string) => Code): Value {
  return columns === 'all' ? model(table) : { table: model(table), columns }
}

function some<Item extends Value>(values: readonly Item[]): readonly Item[] | undefined {
  return values.length === 0 ? undefined : values
}

type UserType = NonNullable<Schema['userTypes']>[number]

/** The file of one user type. */
export function userTypeSource(
  { name, fields }: UserType,
  style: 'decorators' | 'tables',
  types: ReadonlyMap<string, ModelName>,
): string {
  const { identifier, path } = known(types, name)
  const imports = new Imports()
  for (const other of fields.flatMap(({ type }) => userTypeArguments(type))) {
    const model = known(types, other)
    imports.add(specifier(path, model.path), model.identifier)
  }
  const declarations = fields.map((field) => declarationOf(field, types))
  const model = { identifier, name, options: {} }
  const code =
    style === 'decorators'
      ? classSource({ kind: 'UserType', ...model, indexes: [] }, declarations, imports)
      : constantSource({ kind: 'defineUserType', ...model }, declarations, imports)
  return `${imports.toString()}\n\n${code.join('\n')}\n`
}

/** The name in the database is the property: a field has no other name. */
function declarationOf(
  { name, type, nullable }: UserType['fields'][number],
  types: UserTypeNames,
): Declaration {
  const value = fieldType(type, types)
  return {
    property: name,
    builder: type.kind,
    args: [...typeArguments(type, types), ...optionsOf(type, nullable)],
    isKey: false,
    field: nullable ? `${value} | null` : value,
  }
}

/** Inside a type everything is frozen already, so it is not declared there. */
function optionsOf(
  type: UserType['fields'][number]['type'],
  nullable: true | undefined,
): readonly { readonly [option: string]: boolean | number }[] {
  const length =
    (type.kind === 'string' || type.kind === 'bytes') && type.length !== 'max' ? type.length : undefined
  const options = { ...(length !== undefined && { length }), ...(nullable && { nullable }) }
  return Object.keys(options).length === 0 ? [] : [options]
}
