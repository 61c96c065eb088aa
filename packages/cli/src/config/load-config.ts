import { nearest, shown, suggestion } from '../text.js'
import { readName, withoutSecrets } from './database.js'
import type { AddressPart, PartForm } from '@isotherm/core/command'
import { type EngineEntry, entryOf, listedEngines, onlyOf, soleDialect } from '../engines.js'
import type { Config } from './config.js'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname, join, relative, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { CommandError, isCommandError } from '../command-error.js'
import { portablePath } from './paths.js'
import { loadEngine, namedEngine, ruleNames } from './engines.js'

/** The problem with a value, as the end of a sentence that begins with its key; undefined if it is valid. */
type Check = (value: unknown, key: string) => readonly string[]

const SEVERITIES = ['error', 'warning', 'off']
const CASINGS = ['snake_case', 'camelCase']

/** A table's name, perhaps in a named schema: it becomes SQL. */
const TABLE = /^[A-Za-z]\w{0,127}(?:\.[A-Za-z]\w{0,127})?$/

/**
 * Everything that is wrong with a configuration, a sentence each.
 *
 * @returns an empty array for a value that is a `Config`.
 */
export async function configProblems(
  config: unknown,
  engines: readonly EngineEntry[],
): Promise<readonly string[]> {
  if (!isObject(config)) return [`The configuration is ${shown(config)}, not an object.`]
  // Loads every engine, so this runs only if rules are named.
  const rules = 'lint' in config ? await ruleNames(rulesNamedIn(config['lint']), engines) : []
  const keys = keysOf(dialectCheck(engines), rules, await databaseCheck(config, engines))
  return object(keys, soleDialect(config, engines) === undefined ? ['dialect'] : [])(config, '')
}

const text: Check = (value, key) =>
  typeof value === 'string' && value !== '' ? [] : [`${key} is ${shown(value)}, not a string.`]

const texts: Check = (value, key) => {
  const isList = Array.isArray(value) && value.length > 0
  if (isList) return value.flatMap((each: unknown, at) => text(each, `${key}[${at}]`))
  return typeof value === 'string'
    ? text(value, key)
    : [`${key} is ${shown(value)}, not a string or a list of strings.`]
}

function listOf(check: Check): Check {
  return (value, key) =>
    Array.isArray(value)
      ? value.flatMap((each: unknown, at) => check(each, `${key}[${at}]`))
      : [`${key} is ${shown(value)}, not a list.`]
}

function oneOf(names: readonly string[]): Check {
  return (value, key) => {
    if (typeof value === 'string' && names.includes(value)) return []
    const meant = typeof value === 'string' ? nearest(value, names) : undefined
    return [
      `${key} is ${shown(value)}, not one of ${names.join(', ')}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
    ]
  }
}

/** @param refused the messages for keys that belong elsewhere */
function object(
  keys: Readonly<Record<string, Check>>,
  required: readonly string[],
  refused: Readonly<Record<string, string>> = {},
): Check {
  return (value, key) => {
    if (!isObject(value)) return [`${key} is ${shown(value)}, not an object.`]
    const prefix = key === '' ? '' : `${key}.`
    const known = Object.keys(keys)
    return [
      ...required.filter((each) => value[each] === undefined).map((each) => `${prefix}${each} is missing.`),
      ...Object.entries(value).flatMap(([name, each]) => {
        const check = keys[name]
        if (!Object.hasOwn(keys, name) || !check)
          return [
            `${prefix}${name} is not a known key. ${Object.hasOwn(refused, name) ? refused[name] : suggestion(name, known)}`,
          ]
        return each === undefined ? [] : check(each, `${prefix}${name}`)
      }),
    ]
  }
}

/** Checks the value of `database`: the engine of the dialect checks it, or the engine that knows such a name. */
async function databaseCheck(
  { database, dialect }: Readonly<Record<string, unknown>>,
  engines: readonly EngineEntry[],
): Promise<Check> {
  if (typeof database === 'function') return () => []
  const own = typeof dialect === 'string' ? entryOf(dialect, engines) : onlyOf(engines)
  if (typeof database === 'string') {
    const read = await readName(database, own?.dialects[0], engines)
    const problems = 'problem' in read ? [`is ${shown(withoutSecrets(database))}, ${read.problem}`] : []
    return (_, key) => problems.map((problem) => `${key} ${problem}`)
  }
  if (!isObject(database))
    return (value, key) => [`${key} is ${shown(value)}, not a name, an object or a function.`]
  if (!own) return () => []
  const { command } = await loadEngine(own)
  const parts = Object.entries(command.address.parts)
  return object(
    Object.fromEntries(
      parts.flatMap(([name, part]) => (part.kind === 'refused' ? [] : [[name, partCheck(part)]])),
    ),
    parts.flatMap(([name, part]) => ('required' in part ? [name] : [])),
    Object.fromEntries(parts.flatMap(([name, part]) => (part.kind === 'refused' ? [[name, part.why]] : []))),
  )
}

function partCheck(part: Exclude<AddressPart, { readonly kind: 'refused' }>): Check {
  switch (part.kind) {
    case 'text':
      return text
    case 'port':
      return number
    case 'flag':
      return truth
    case 'form':
      return textOf(part.form)
    case 'one-of':
      return oneOf(part.names)
    case 'list': {
      const each = listOf(textOf(part.of))
      return (value, key) =>
        Array.isArray(value) && value.length === 0 ? [`${key} is [], ${part.empty}`] : each(value, key)
    }
  }
}

const number: Check = (value, key) =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536
    ? []
    : [`${key} is ${shown(value)}, not a port.`]

const truth: Check = (value, key) =>
  typeof value === 'boolean' ? [] : [`${key} is ${shown(value)}, not true or false.`]

function textOf({ test, what }: PartForm): Check {
  return (value, key) => {
    const problems = text(value, key)
    return problems.length > 0 || test(String(value))
      ? problems
      : [`${key} is ${shown(withoutSecrets(String(value)))}, not ${what}.`]
  }
}

/** The adapter checks the tables of a change stream, core checks the rest. */
const changeStream: Check = (value, key) =>
  isObject(value) ? text(value['name'], `${key}.name`) : [`${key} is ${shown(value)}, not an object.`]

const table: Check = (value, key) =>
  typeof value === 'string' && TABLE.test(value)
    ? []
    : [`${key} is ${shown(value)}, not the name of a table: letters, digits and underscores, a letter first.`]

function dialectCheck(engines: readonly EngineEntry[]): Check {
  const names = engines.flatMap(({ dialects }) => dialects)
  return (value, key) => {
    const name = isObject(value) ? names.find((each) => each === value['name']) : undefined
    return name === undefined
      ? oneOf(names)(value, key)
      : [`${key} is the dialect ${name} itself. Give its name: ${key}: '${name}'.`]
  }
}

function keysOf(
  dialect: Check,
  rules: readonly string[],
  database: Check,
): Readonly<Record<keyof Config, Check>> {
  const severity = oneOf(SEVERITIES)
  const suppress = object({ table: text, rule: oneOf(rules), on: text, reason: text }, [
    'table',
    'rule',
    'reason',
  ])
  return {
    engine: text,
    dialect,
    schema: texts,
    tsconfig: text,
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
        suppress: listOf(suppress),
      },
      [],
    ),
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const ENV_FILE = '.env'

/**
 * Adds the variables of a `.env` file to the environment, where the configuration, the models and the vendors' clients read
 * them. Existing variables of the environment stay.
 *
 * @param envFile another file than `.env`, which has to exist
 * @throws {CommandError} `CONFIG` for a given file that does not exist.
 */
export function loadEnvFile(
  directory: string,
  envFile: string | undefined,
  environment: NodeJS.ProcessEnv = process.env,
): void {
  const path = envFile === undefined ? join(directory, ENV_FILE) : resolve(directory, portablePath(envFile))
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') throw error
    if (envFile === undefined) return
    throw new CommandError('CONFIG', `There is no file ${envFile} in ${directory}.`, {
      fix: 'Give the name of a file of variables after --env-file, or leave it out: .env is read if it exists.',
    })
  }
  for (const [name, value] of Object.entries(parseEnv(text))) environment[name] ??= value
}

const ENDINGS = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json']

export interface LoadedConfig {
  readonly config: Partial<Config>
  /** The configuration file; undefined if there is none. */
  readonly path: string | undefined
  /** The folder that its paths are relative to: its own, or that of the call. */
  readonly directory: string
  /** The engines that it may use. */
  readonly engines: readonly EngineEntry[]
}

/**
 * Finds the file of a configuration.
 *
 * @throws {CommandError} for a given name that is not a file.
 */
export function findConfig(directory: string, name: string | undefined): string | undefined {
  if (name !== undefined) {
    const path = resolve(directory, portablePath(name))
    if (existsSync(path)) return path
    throw new CommandError('CONFIG', `There is no configuration ${name} in ${directory}.`, {
      fix: 'Give the name of a file after --config or in ISOTHERM_CONFIG, or create one: isotherm init',
    })
  }
  return ENDINGS.map((ending) => join(directory, `isotherm.config${ending}`)).find((path) => existsSync(path))
}

/**
 * Reads a configuration and checks it.
 *
 * @throws {CommandError} naming the file, and every key that is unknown or of a wrong type.
 */
export async function loadConfig(directory: string, path: string | undefined): Promise<LoadedConfig> {
  if (path === undefined) return { config: {}, path, directory, engines: listedEngines }
  const shown = relative(directory, path)
  const config = await readConfig(path, shown)
  const name = isObject(config) ? config['engine'] : undefined
  const engines = typeof name === 'string' && name !== '' ? [await namedEngine(name, path)] : listedEngines
  const problems = await configProblems(config, engines)
  if (problems.length > 0) {
    throw new CommandError(
      'CONFIG',
      `${shown} is invalid:\n${problems.map((each) => `  - ${each}`).join('\n')}`,
      {
        fix: 'defineConfig shows such mistakes in the editor.',
        details: { problems },
      },
    )
  }
  return { config: config as Config, path, directory: dirname(path), engines }
}

/** The rules that `lint` names, whatever else is wrong with it. */
function rulesNamedIn(lint: unknown): readonly string[] {
  if (typeof lint !== 'object' || lint === null) return []
  const { severity, suppress } = lint as { readonly severity?: unknown; readonly suppress?: unknown }
  const rules: readonly unknown[] = Array.isArray(suppress)
    ? suppress.map((each: unknown) => (each as { readonly rule?: unknown } | null)?.rule)
    : []
  return [
    ...(typeof severity === 'object' && severity !== null ? Object.keys(severity) : []),
    ...rules.filter((rule) => typeof rule === 'string'),
  ]
}

async function readConfig(path: string, shown: string): Promise<unknown> {
  if (extname(path) === '.json') {
    try {
      return JSON.parse(readFileSync(path, 'utf8'))
    } catch (cause) {
      throw new CommandError('CONFIG', `${shown} is not JSON: ${(cause as Error).message}`, { cause })
    }
  }
  const { importModule } = await import('../modules/import-module.js')
  let module: { readonly default?: unknown }
  try {
    module = await importModule(path)
  } catch (cause) {
    if (isCommandError(cause)) throw cause
    throw new CommandError('CONFIG', `${shown} cannot be loaded: ${(cause as Error).message}`, { cause })
  }
  if (!('default' in module)) {
    throw new CommandError('CONFIG', `${shown} has no default export.`, {
      fix: 'Write: export default defineConfig({ … })',
    })
  }
  return module.default
}
