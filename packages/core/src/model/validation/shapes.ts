import type { SchemaFinding } from '../../errors.js'
import type { SchemaOptions } from '../schema-objects.js'
import type { TableDefinition } from '../table.js'
import type { UserTypeDefinition } from '../user-type.js'

// The shape of what models say, before anything is made of it: the compiler has seen to it, where there was one. A model may
// be JavaScript, or TypeScript that only lost its types.

/** What an option has to be, in words and with an example. */
interface Kind {
  readonly is: (value: unknown) => boolean
  readonly words: string
  readonly example: string
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const text: Kind = { is: isText, words: 'a text', example: "'orders'" }
const properties: Kind = { is: isTexts, words: 'a list of properties', example: "['customerId']" }
const parts: Kind = {
  is: (value) =>
    Array.isArray(value) &&
    value.every((each) => isText(each) || (isObject(each) && isText(each['property']))),
  words: 'a list of properties, each by its name or with an order',
  example: "['customerId', { property: 'orderedAt', order: 'desc' }]",
}
const model: Kind = {
  is: (value) => typeof value === 'function',
  words: 'a function that gives a model',
  example: '() => Customer',
}
const modelOrSelf: Kind = {
  ...model,
  is: (value) => value === 'self' || model.is(value),
  words: "a function that gives a model, or 'self'",
}
const sql: Kind = {
  is: (value) => isText(value) || (isObject(value) && Object.values(value).every(isText)),
  words: 'SQL: a text, or one for each dialect',
  example: "'amount > 0'",
}
const list: Kind = { is: Array.isArray, words: 'a list', example: '[…]' }
const object: Kind = { is: isObject, words: 'an object', example: '{ … }' }

type Keys = Readonly<Record<string, readonly [kind: Kind, required?: 'required']>>

const INDEX: Keys = {
  name: [text],
  on: [parts, 'required'],
  notNull: [properties],
  storing: [properties],
  interleaveIn: [model],
}
const INDEX_SHARD: Keys = { of: [properties, 'required'] }
const FOREIGN_KEY: Keys = {
  name: [text],
  columns: [properties, 'required'],
  references: [modelOrSelf, 'required'],
  on: [properties],
}
const CHECK: Keys = { name: [text, 'required'], expression: [sql, 'required'] }
const EXCEPTION: Keys = { rule: [text, 'required'], on: [text], reason: [text, 'required'] }
const TABLE: Keys = {
  interleaveIn: [model],
  primaryKey: [properties],
  checks: [list],
  foreignKeys: [list],
  partitionKey: [properties],
  expect: [object],
  except: [list],
}
const COLUMN: Keys = { name: [text], default: [sql] }
const SOURCE: Keys = { of: [properties], sequence: [text] }
const TIME_BUCKET: Keys = {
  of: [{ ...text, words: 'a property', example: "'at'" }, 'required'],
  since: [{ ...text, words: 'a day', example: "'2024-01-01'" }],
}
const SEQUENCE: Keys = { name: [text, 'required'], skipRange: [list] }
const VIEW: Keys = { name: [text, 'required'], query: [sql, 'required'] }
const CHANGE_STREAM: Keys = {
  name: [text, 'required'],
  watch: [
    { is: (value) => value === 'all' || Array.isArray(value), words: "'all' or a list", example: "'all'" },
  ],
  options: [object],
}
const SCHEMA: Keys = {
  namespaces: [{ ...properties, words: 'a list of names', example: "['sales']" }],
  sequences: [list],
  views: [list],
  changeStreams: [list],
  userTypes: [{ ...list, words: 'a list of user types', example: '[Address]' }],
}

/** Everything in a table's declaration that is not of the shape that it has to be. */
export function tableShapeFindings(definition: TableDefinition): SchemaFinding[] {
  const shapes = new Shapes(isText(definition.name) ? definition.name : 'this table')
  shapes.value('its name', definition.name, text)
  for (const column of definition.columns) {
    const { property, source, type, generated } = column
    const at = shapes.of(property)
    at.keys(undefined, column, COLUMN)
    at.keys('its key value', source, source?.kind === 'time-bucket' ? TIME_BUCKET : SOURCE)
    typeShape(at, type)
    at.keys('generated', generated, { expression: [sql, 'required'] })
  }
  const { indexes, options } = definition
  shapes.value('indexes', indexes, list)
  shapes.each('the index', indexes, INDEX, (name, index) =>
    shapes.keys(`the shard of ${name}`, index['shard'], INDEX_SHARD),
  )
  shapes.keys(undefined, options, TABLE, true)
  if (!isObject(options)) return shapes.findings
  shapes.each('the check', options['checks'], CHECK)
  shapes.each('the foreign key', options['foreignKeys'], FOREIGN_KEY)
  shapes.each('the exception', options['except'], EXCEPTION)
  shapes.keys('rowDeletion', options['rowDeletion'], { property: [text, 'required'] })
  shapes.keys('expect', options['expect'], { distinct: [object] })
  return shapes.findings
}

/** What a type of each kind is made of, beside its kind. */
const TYPES: Readonly<Record<string, Keys>> = {
  array: { of: [object, 'required'] },
  set: { of: [object, 'required'] },
  map: { key: [object, 'required'], of: [object, 'required'] },
  tuple: { of: [{ ...list, words: 'a list of types', example: "[{ kind: 'int32' }]" }, 'required'] },
  udt: { name: [text, 'required'] },
}

function typeShape(at: Shapes, type: unknown, required = false): void {
  at.keys('its type', type, { kind: [text, 'required'] }, required)
  if (!isObject(type)) return
  const parts = TYPES[String(type['kind'])] ?? {}
  at.keys('its type', type, parts)
  if ('key' in parts && type['key'] !== undefined) typeShape(at, type['key'])
  if (!('of' in parts) || type['of'] === undefined) return
  const of: readonly unknown[] = Array.isArray(type['of']) ? type['of'] : [type['of']]
  for (const inner of of) typeShape(at, inner, true)
}

/** The same of a user type. */
export function userTypeShapeFindings({ name, fields }: UserTypeDefinition): SchemaFinding[] {
  const shapes = new Shapes(isText(name) ? name : 'this user type')
  shapes.value('its name', name, text)
  for (const { property, type } of fields) typeShape(shapes.of(property), type)
  return shapes.findings
}

/** The same of what a schema says beside its tables. */
export function schemaShapeFindings(models: unknown, options: SchemaOptions): SchemaFinding[] {
  const shapes = new Shapes('defineSchema')
  shapes.value('its models', models, { ...list, words: 'a list of models', example: '[Customer, Order]' })
  shapes.keys(undefined, options, SCHEMA, true)
  if (!isObject(options)) return shapes.findings
  shapes.each('the sequence', options['sequences'], SEQUENCE)
  shapes.each('the view', options['views'], VIEW)
  shapes.each('the change stream', options['changeStreams'], CHANGE_STREAM, (name, { watch }) => {
    if (!Array.isArray(watch)) return
    for (const watched of watch as readonly unknown[])
      if (isObject(watched)) shapes.keys(`watch of ${name}`, watched, { columns: [properties] })
  })
  return shapes.findings
}

class Shapes {
  readonly findings: SchemaFinding[]
  readonly #table: string
  readonly #column: string | undefined

  constructor(table: string, column?: string, findings: SchemaFinding[] = []) {
    this.#table = table
    this.#column = column
    this.findings = findings
  }

  /** The same findings, of one column. */
  of(column: string): Shapes {
    return new Shapes(this.#table, column, this.findings)
  }

  /** @param place what the keys belong to; undefined for the table or the column itself */
  keys(place: string | undefined, value: unknown, keys: Keys, required = false): void {
    if (value === undefined && !required) return
    if (!isObject(value)) {
      this.value(place ?? 'its options', value, object)
      return
    }
    for (const [key, [kind, isRequired]] of Object.entries(keys)) {
      if (kind.is(value[key]) || (value[key] === undefined && isRequired === undefined)) continue
      this.#report(
        value[key] === undefined
          ? `has ${place ?? 'its options'} without ${key}.`
          : `has ${shown(value[key])} for ${key}${place === undefined ? '' : ` of ${place}`}.`,
        `Give ${kind.words}: ${key}: ${kind.example}.`,
      )
    }
  }

  /** @param more what else there is to see in one of them */
  each(
    what: string,
    values: unknown,
    keys: Keys,
    more: (place: string, value: Readonly<Record<string, unknown>>) => void = () => {},
  ): void {
    if (!Array.isArray(values)) return
    for (const [at, value] of (values as readonly unknown[]).entries()) {
      const place = placeOf(what, value, at)
      this.keys(place, value, keys, true)
      if (isObject(value)) more(place, value)
    }
  }

  value(place: string, value: unknown, kind: Kind): void {
    if (!kind.is(value))
      this.#report(`has ${shown(value)} for ${place}.`, `Give ${kind.words}: ${kind.example}.`)
  }

  #report(message: string, fix: string): void {
    const column = this.#column
    this.findings.push({ table: this.#table, message, fix, ...(column !== undefined && { column }) })
  }
}

/** By its name, or else by its number. */
function placeOf(what: string, value: unknown, at: number): string {
  const { name, rule } = isObject(value) ? value : {}
  const known = name ?? rule
  return `${what} ${isText(known) ? known : at + 1}`
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'function') return 'a function'
  try {
    return (JSON.stringify(value) ?? typeof value).slice(0, 140)
  } catch {
    return typeof value
  }
}
