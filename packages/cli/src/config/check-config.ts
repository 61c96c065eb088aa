import { dialectNames, targetNames } from '../shared-options.js'
import { nearest, suggestion } from '../suggest.js'
import { withoutSecrets } from './cassandra-url.js'
import { addressProblem } from './database-name.js'
import type { Config } from './config.js'

/** What is wrong with a value, as the end of a sentence that begins with its key; undefined if nothing is. */
type Check = (value: unknown, key: string) => readonly string[]

const SEVERITIES = ['error', 'warning', 'off']
const CASINGS = ['snake_case', 'camelCase']

/** A table's name, perhaps in a named schema: it becomes SQL. */
const TABLE = /^[A-Za-z]\w{0,127}(?:\.[A-Za-z]\w{0,127})?$/

/**
 * Everything that is wrong with a configuration, a sentence each.
 *
 * @param rules the names of the lint rules that there are
 * @returns an empty array for a value that is a `Config`.
 */
export function configProblems(config: unknown, rules: readonly string[]): readonly string[] {
  if (!isObject(config)) return [`The configuration is ${shown(config)}, and not an object.`]
  return object(keysOf(rules), ['dialect'])(config, '')
}

const text: Check = (value, key) =>
  typeof value === 'string' && value !== '' ? [] : [`${key} is ${shown(value)}, and not a text.`]

const texts: Check = (value, key) => {
  const isList = Array.isArray(value) && value.length > 0
  if (isList) return value.flatMap((each: unknown, at) => text(each, `${key}[${at}]`))
  return typeof value === 'string'
    ? text(value, key)
    : [`${key} is ${shown(value)}, and not a text or a list of texts.`]
}

function listOf(check: Check): Check {
  return (value, key) =>
    Array.isArray(value)
      ? value.flatMap((each: unknown, at) => check(each, `${key}[${at}]`))
      : [`${key} is ${shown(value)}, and not a list.`]
}

function oneOf(names: readonly string[]): Check {
  return (value, key) => {
    if (typeof value === 'string' && names.includes(value)) return []
    const meant = typeof value === 'string' ? nearest(value, names) : undefined
    return [
      `${key} is ${shown(value)}, and not one of ${names.join(', ')}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
    ]
  }
}

/** What is asked for elsewhere, and on purpose. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  [
    'database.password',
    'A password is not for a file: set ISOTHERM_CASSANDRA_USER and ISOTHERM_CASSANDRA_PASSWORD.',
  ],
])

function object(keys: Readonly<Record<string, Check>>, required: readonly string[]): Check {
  return (value, key) => {
    if (!isObject(value)) return [`${key} is ${shown(value)}, and not an object.`]
    const prefix = key === '' ? '' : `${key}.`
    const known = Object.keys(keys)
    return [
      ...required.filter((each) => value[each] === undefined).map((each) => `${prefix}${each} is missing.`),
      ...Object.entries(value).flatMap(([name, each]) => {
        const check = keys[name]
        if (!Object.hasOwn(keys, name) || !check)
          return [
            `${prefix}${name} is no key. ${ELSEWHERE.get(`${prefix}${name}`) ?? suggestion(name, known)}`,
          ]
        return each === undefined ? [] : check(each, `${prefix}${name}`)
      }),
    ]
  }
}

const database: Check = (value, key) => {
  if (typeof value === 'function') return []
  if (typeof value === 'string') {
    const problem = addressProblem(value)
    return problem === undefined ? [] : [`${key} is ${shown(withoutSecrets(value))}, ${problem}`]
  }
  if (!isObject(value)) return [`${key} is ${shown(value)}, and not a name, an object or a function.`]
  if ('keyspace' in value) return keyspace(value, key)
  return object({ project: text, instance: text, database: text, emulatorHost: text }, [
    'project',
    'instance',
    'database',
  ])(value, key)
}

const number: Check = (value, key) =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536
    ? []
    : [`${key} is ${shown(value)}, and not a port.`]

const truth: Check = (value, key) =>
  typeof value === 'boolean' ? [] : [`${key} is ${shown(value)}, and neither true nor false.`]

const keyspace: Check = object(
  {
    contactPoints: listOf(text),
    localDataCenter: text,
    keyspace: text,
    port: number,
    tls: truth,
    auth: oneOf(['sigv4', 'password']),
    user: text,
    region: text,
  },
  ['keyspace'],
)

/** Tables are the adapter's to know, and the rest is core's. */
const changeStream: Check = (value, key) =>
  isObject(value) ? text(value['name'], `${key}.name`) : [`${key} is ${shown(value)}, and not an object.`]

const table: Check = (value, key) =>
  typeof value === 'string' && TABLE.test(value)
    ? []
    : [
        `${key} is ${shown(value)}, and not the name of a table: letters, digits and underscores, a letter first.`,
      ]

function keysOf(rules: readonly string[]): Readonly<Record<keyof Config, Check>> {
  const severity = oneOf(SEVERITIES)
  const except = object({ table: text, rule: oneOf(rules), on: text, reason: text }, [
    'table',
    'rule',
    'reason',
  ])
  return {
    dialect: oneOf(dialectNames),
    target: oneOf(targetNames),
    schema: texts,
    out: text,
    database,
    historyTable: table,
    drizzle: object(
      { casing: oneOf(CASINGS), namespaces: listOf(text), changeStreams: listOf(changeStream) },
      [],
    ),
    lint: object(
      {
        severity: object(Object.fromEntries(rules.map((rule) => [rule, severity])), []),
        except: listOf(except),
      },
      [],
    ),
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  return JSON.stringify(value) ?? String(value)
}
