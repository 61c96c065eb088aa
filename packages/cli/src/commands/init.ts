import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { CqlTarget, DialectName } from '@isotherm/core'
import { CommandError } from '../command-error.js'
import { defineCommand, type CommandContext } from '../command.js'
import { isCassandraUrl, parseCassandraUrl, withoutSecrets } from '../config/cassandra-url.js'
import { addressProblem } from '../config/database-name.js'
import { findConfig } from '../config/load-config.js'
import { exitCodes } from '../exit-codes.js'
import {
  firstFiles,
  modelStyles,
  packagesOf,
  type FirstFile,
  type FirstProject,
  type ModelStyle,
} from '../first-project.js'
import {
  databaseOption,
  dialectNames,
  dialectOption,
  outputOptions,
  targetNames,
  targetOption,
  type OutputOptions,
} from '../shared-options.js'
import { spannerOnly } from '../project/spanner-only.js'
import { hasCassandraOnly, usesDrizzle } from '../project/uses-drizzle.js'
import { ask, choose } from '../terminal/prompts.js'

interface InitOptions extends OutputOptions {
  readonly dialect?: DialectName
  readonly target?: CqlTarget
  readonly database?: string
  readonly style?: ModelStyle
  readonly yes?: boolean
}

const DATABASE = 'projects/my-project/instances/my-instance/databases/my-database'
const KEYSPACES: Readonly<Record<CqlTarget, string>> = {
  cassandra: 'cassandra://127.0.0.1/my_keyspace?dc=datacenter1',
  keyspaces: 'cassandra:///my_keyspace?region=eu-west-1',
}

export const init = defineCommand<InitOptions>({
  name: 'init',
  summary: 'make a configuration and a first model',
  description:
    'Writes isotherm.config.ts and a first model, a table of shards to begin with: src/models/user-access-log.ts, ' +
    'src/db/schema.ts for Drizzle, or src/models/access-log.ts for CQL. Asks for what no flag says, on a terminal. Never writes ' +
    'over a file.',
  arguments: [],
  options: [
    dialectOption,
    targetOption,
    databaseOption,
    {
      flags: '--style <style>',
      description: 'how the model is written',
      choices: modelStyles,
      otherwise: 'decorators; drizzle where package.json has drizzle-orm',
    },
    { flags: '-y, --yes', description: 'ask nothing' },
    ...outputOptions,
  ],
  examples: [
    { command: 'isotherm init', what: 'ask for everything' },
    { command: 'isotherm init --dialect spanner-postgresql --style tables --yes', what: 'ask for nothing' },
    { command: 'isotherm init --style drizzle', what: 'tables of Drizzle' },
    { command: 'isotherm init --dialect cql --target keyspaces --yes', what: 'on Keyspaces' },
  ],
  async run(context) {
    const { directory, output } = context
    const configured = findConfig(directory, undefined)
    if (configured !== undefined) throw thereAlready(configured)
    const answers = await answersFrom(context)
    const isThere = ({ path }: FirstFile): boolean => existsSync(join(directory, path))
    const wanted = firstFiles(answers)
    const existing = wanted.find(isThere)
    // Whoever has tables of Drizzle already lacks the configuration only.
    if (existing && answers.style !== 'drizzle') throw thereAlready(join(directory, existing.path))
    const files = wanted.filter((file) => !isThere(file))
    // First all of what may be refused: a configuration without its model would be in the way of the next try.
    for (const { path } of files) mkdirSync(dirname(join(directory, path)), { recursive: true })
    for (const { path, text } of files) {
      writeFileSync(join(directory, path), text, { flag: 'wx' })
      output.line(`${output.style.good('wrote')} ${path}`)
    }
    if (existing) output.line(`kept ${existing.path}`)
    output.line()
    output.line('Next:')
    const packages = packagesOf(answers).join(' ')
    output.line(`  npm install ${packages} && npm install --save-dev @isotherm/cli`)
    output.line('  npx isotherm lint')
    output.line('  npx isotherm generate first')
    output.line('  npx isotherm migrate')
    output.result({ files: files.map(({ path }) => path), ...answers })
    return exitCodes.ok
  },
})

function thereAlready(path: string): CommandError {
  return new CommandError('USAGE', `${path} is there already.`, { fix: 'Edit it, or remove it first.' })
}

async function answersFrom(context: CommandContext<InitOptions>): Promise<FirstProject> {
  const { options, output, environment, directory } = context
  const asks = output.interactive && options.yes !== true
  const given = options.database ?? (environment['ISOTHERM_DATABASE'] || undefined)
  if (given !== undefined) {
    const problem = addressProblem(given)
    if (problem !== undefined)
      throw new CommandError('USAGE', `The database is ${JSON.stringify(withoutSecrets(given))}, ${problem}`)
  }
  const implied = impliedBy(given) ?? (options.target === undefined ? undefined : 'cql')
  const likely = hasCassandraOnly(directory) ? 'cql' : dialectNames[0]
  const dialect = options.dialect ?? implied ?? (asks ? await askDialect() : likely)
  const target = dialect === 'cql' ? await targetFrom(options, given, asks) : undefined
  refuseOtherDialect(options, dialect, given)
  const example = target === undefined ? DATABASE : KEYSPACES[target]
  const styles = stylesOffered(directory, dialect)
  return {
    dialect,
    ...(target && { target }),
    database:
      given ??
      (asks
        ? await ask('Which database?', example, (text) =>
            addressProblem(text) === undefined && (impliedBy(text) === 'cql') === (dialect === 'cql')
              ? undefined
              : `Write it as in ${example}`,
          )
        : example),
    style:
      options.style ?? (asks ? await choose('How do you want to write models?', styles) : styles[0].value),
  }
}

function askDialect(): Promise<DialectName> {
  return choose('Which dialect does the database have?', [
    { value: dialectNames[0], label: 'GoogleSQL' },
    { value: dialectNames[1], label: 'PostgreSQL' },
    { value: dialectNames[2], label: 'CQL: Cassandra, Keyspaces' },
  ])
}

/** A URL of a keyspace has one dialect only. */
function impliedBy(database: string | undefined): DialectName | undefined {
  return database !== undefined && isCassandraUrl(database) ? 'cql' : undefined
}

async function targetFrom(
  { target }: InitOptions,
  database: string | undefined,
  asks: boolean,
): Promise<CqlTarget> {
  const parsed = database === undefined ? '' : parseCassandraUrl(database)
  const told = typeof parsed === 'string' ? undefined : parsed.target
  if (target !== undefined && told !== undefined && target !== told) {
    throw new CommandError('USAGE', `--target is ${target}, and the URL of the database says ${told}.`, {
      fix: 'Leave one of them out.',
    })
  }
  const known = target ?? told
  if (known || !asks) return known ?? targetNames[0]
  return choose('Whose CQL is it?', [
    { value: targetNames[0], label: 'Apache Cassandra' },
    { value: targetNames[1], label: 'Amazon Keyspaces' },
  ])
}

/** @throws {CommandError} `USAGE` for what only another engine has. */
function refuseOtherDialect(
  { target, style }: InitOptions,
  dialect: DialectName,
  database: string | undefined,
): void {
  if (style === 'drizzle') spannerOnly(dialect, 'Drizzle', 'Use --style decorators or tables.')
  if (target !== undefined && dialect !== 'cql') {
    throw new CommandError('USAGE', `--target is ${target}, and the dialect is ${dialect}.`, {
      fix: 'A target is of cql: give --dialect cql, or leave --target out.',
    })
  }
  if (database !== undefined && (impliedBy(database) === 'cql') !== (dialect === 'cql')) {
    throw new CommandError(
      'USAGE',
      `The dialect is ${dialect}, and ${database} is a database of another one.`,
      {
        fix: 'Leave one of them out.',
      },
    )
  }
}

/** The likeliest first. */
function stylesOffered(directory: string, dialect: DialectName): readonly [StyleChoice, ...StyleChoice[]] {
  const own: readonly [StyleChoice, StyleChoice] = [
    { value: 'decorators', label: 'classes with decorators' },
    { value: 'tables', label: 'defineTable' },
  ]
  if (dialect === 'cql') return own
  const drizzle: StyleChoice = { value: 'drizzle', label: 'Drizzle tables' }
  return usesDrizzle(directory) ? [drizzle, ...own] : [...own, drizzle]
}

interface StyleChoice {
  readonly value: ModelStyle
  readonly label: string
}
