import { dialectNames } from '../shared-options.js'
import { nearest, suggestion } from '../suggest.js'
import { addressProblem } from './database-name.js'
import type { Config } from './config.js'

/** What is wrong with a value, as the end of a sentence that begins with its key; undefined if nothing is. */
type Check = (value: unknown, key: string) => readonly string[]

const SEVERITIES = ['error', 'warning', 'off']

/**
 * Everything that is wrong with a configuration, a sentence each.
 *
 * @returns an empty array for a value that is a `Config`.
 */
export function configProblems(config: unknown): readonly string[] {
  if (!isObject(config)) return [`The configuration is ${shown(config)}, and not an object.`]
  return object(KEYS, ['dialect'])(config, '')
}

export function isConfig(config: unknown): config is Config {
  return configProblems(config).length === 0
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

function oneOf(names: readonly string[]): Check {
  return (value, key) => {
    if (typeof value === 'string' && names.includes(value)) return []
    const meant = typeof value === 'string' ? nearest(value, names) : undefined
    return [
      `${key} is ${shown(value)}, and not one of ${names.join(', ')}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
    ]
  }
}

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
          return [`${prefix}${name} is no key. ${suggestion(name, known)}`]
        return each === undefined ? [] : check(each, `${prefix}${name}`)
      }),
    ]
  }
}

const database: Check = (value, key) => {
  if (typeof value === 'function') return []
  if (typeof value === 'string') {
    const problem = addressProblem(value)
    return problem === undefined ? [] : [`${key} is ${shown(value)}, ${problem}`]
  }
  if (!isObject(value)) return [`${key} is ${shown(value)}, and not a name, an object or a function.`]
  return object({ project: text, instance: text, database: text, emulatorHost: text }, [
    'project',
    'instance',
    'database',
  ])(value, key)
}

const severities: Check = (value, key) =>
  isObject(value)
    ? Object.entries(value).flatMap(([rule, each]) => oneOf(SEVERITIES)(each, `${key}.${rule}`))
    : [`${key} is ${shown(value)}, and not an object.`]

const exceptions: Check = (value, key) => {
  if (!Array.isArray(value)) return [`${key} is ${shown(value)}, and not a list.`]
  const check = object({ table: text, rule: text, on: text, reason: text }, ['table', 'rule', 'reason'])
  return value.flatMap((each: unknown, at) => check(each, `${key}[${at}]`))
}

const KEYS: Readonly<Record<keyof Config, Check>> = {
  dialect: oneOf(dialectNames),
  schema: texts,
  out: text,
  database,
  historyTable: text,
  lint: object({ severity: severities, except: exceptions }, []),
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  return JSON.stringify(value) ?? String(value)
}
