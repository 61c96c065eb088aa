import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CommandError, exitCodes, failureOf } from '../command-error.js'
import {
  type CommandContext,
  type OutputOptions,
  databaseOption,
  defineCommand,
  dialectOption,
  outputOptions,
} from '../definition/command.js'
import type { EngineCommand } from '@isotherm/core/command'
import { type EngineEntry, dialectNames, entryOf, listedEngines } from '../engines.js'
import { type DatabaseSetting, readName, withoutSecrets } from '../config/database.js'
import { type Engine, installedEngines, loadEngine } from '../config/engines.js'
import { findConfig } from '../config/load-config.js'
import { dialectFrom } from '../config/settings.js'
import {
  type FirstFile,
  type FirstProject,
  type ModelStyle,
  configPathIn,
  firstFiles,
  modelStyles,
  packagesOf,
} from '../project/first-project.js'
import { drizzleModel } from '../project/drizzle.js'
import { isInstalled, likelyEngine, usesDrizzle } from '../project/installed.js'
import { shown } from '../text.js'
import { ask, choose } from '../terminal/prompts.js'

interface InitOptions extends OutputOptions {
  readonly dialect?: string
  readonly database?: string
  readonly style?: ModelStyle
  readonly yes?: boolean
}

export const init = defineCommand<InitOptions>({
  name: 'init',
  summary: 'create a configuration and a first model',
  description:
    'Writes isotherm.config.ts (isotherm.config.mts in a CommonJS package) and a first model with shards: in src/models, or in ' +
    'src/db/schema.ts for Drizzle. On a terminal, asks for the options that you do not give. Overwrites no file. Needs the package of the engine.',
  arguments: [],
  options: [
    dialectOption,
    databaseOption,
    {
      flags: '--style <style>',
      description: 'how the model is written',
      choices: modelStyles,
      otherwise: 'decorators; drizzle if package.json has drizzle-orm',
    },
    { flags: '-y, --yes', description: 'ask no questions' },
    ...outputOptions,
  ],
  examples: [
    { command: 'isotherm init', what: 'ask for all options' },
    { command: `isotherm init --dialect ${dialectNames[1]} --style tables --yes`, what: 'ask no questions' },
    { command: 'isotherm init --style drizzle', what: 'write Drizzle tables' },
    { command: `isotherm init --dialect ${dialectNames.at(-1)!} --yes`, what: 'for another engine' },
  ],
  async run(context) {
    const { directory, output } = context
    const configured = findConfig(directory, undefined)
    if (configured !== undefined) throw thereAlready(configured)
    const { answers, command } = await answersFrom(context)
    const isThere = ({ path }: FirstFile): boolean => existsSync(join(directory, path))
    const config = configPathIn(directory)
    const wanted = firstFiles(answers, command.dialects[answers.dialect]!, config)
    const existing = wanted.find(isThere)
    // A project with Drizzle tables lacks the configuration only.
    if (existing && answers.style !== 'drizzle') throw thereAlready(join(directory, existing.path))
    const files = wanted.filter((file) => !isThere(file))
    // Before all writes, the step that may fail: a configuration without its model would be in the way of the next attempt.
    for (const { path } of files) mkdirSync(dirname(join(directory, path)), { recursive: true })
    for (const { path, text } of files) {
      writeFileSync(join(directory, path), text, { flag: 'wx' })
      output.line(`${output.style.good('wrote')} ${path}`)
    }
    if (existing) output.line(`kept ${existing.path}`)
    output.line()
    output.line('Next:')
    const installation = installationText(directory, packagesOf(answers, command))
    if (installation !== undefined) output.line(`  ${installation}`)
    output.line('  npx isotherm lint')
    output.line('  npx isotherm generate first')
    output.line('  npx isotherm migrate')
    const build = await buildWith(config, directory)
    if (build !== undefined) {
      output.line()
      output.line(
        `${build} compiles ${config} too: tsc may then write dist/src/main.js in place of dist/main.js, or report TS6059.`,
      )
      output.line(`Add "${config}" to its "exclude".`)
    }
    output.result({ files: files.map(({ path }) => path), ...answers })
    return exitCodes.ok
  },
})

/** The tsconfig.json of the build, if the configuration disturbs it. */
async function buildWith(config: string, directory: string): Promise<string | undefined> {
  const { compilesOutsideRoot } = await import('../modules/tsconfig.js')
  const build = ['tsconfig.build.json', 'tsconfig.json'].find((name) => existsSync(join(directory, name)))
  try {
    return build !== undefined && compilesOutsideRoot(join(directory, build), join(directory, config))
      ? build
      : undefined
  } catch {
    // It may extend a package that is not installed yet. The next command reports what is wrong with it.
    return undefined
  }
}

/** The command that installs missing packages. */
function installationText(directory: string, packages: readonly string[]): string | undefined {
  const missing = packages.filter((name) => !isInstalled(directory, name))
  const commands = [
    ...(missing.length > 0 ? [`npm install ${missing.join(' ')}`] : []),
    ...(isInstalled(directory, '@isotherm/cli') ? [] : ['npm install --save-dev @isotherm/cli']),
  ]
  return commands.length > 0 ? commands.join(' && ') : undefined
}

function thereAlready(path: string): CommandError {
  return new CommandError('USAGE', `${path} already exists.`, { fix: 'Edit it, or remove it first.' })
}

interface Answers {
  readonly answers: FirstProject
  readonly command: EngineCommand
}

async function answersFrom(context: CommandContext<InitOptions>): Promise<Answers> {
  const { options, output, environment, directory } = context
  const asks = output.interactive && options.yes !== true
  const databaseName = options.database ?? (environment['ISOTHERM_DATABASE'] || undefined)
  const said = dialectFrom(options, environment, listedEngines)
  const named = databaseName === undefined ? undefined : await readDatabaseName(databaseName, said)
  const dialect =
    said ??
    named?.dialect ??
    (await chosenDialect(named?.engine ?? likelyEngine(directory), { asks, isSure: named !== undefined }))
  const engine = await loadEngine(entryOf(dialect, listedEngines)!)
  if (options.style === 'drizzle' && drizzleModel(dialect) === undefined) {
    throw new CommandError('USAGE', `Drizzle has no tables for ${dialect}.`, {
      fix: 'Use --style decorators or tables.',
    })
  }
  if (named && !isOf(named, dialect)) {
    throw new CommandError(
      'USAGE',
      `The dialect is ${dialect}, but ${withoutSecrets(databaseName!)} is a database with another dialect.`,
      {
        fix: 'Leave one of them out.',
      },
    )
  }
  if (named) engine.command.address.check?.(named.address, dialect, environment)
  const { example } = engine.command.dialects[dialect]!
  const styles = stylesOffered(directory, dialect)
  const database = databaseName ?? (asks ? await askDatabase(engine, dialect, example, environment) : example)
  const style =
    options.style ?? (asks ? await choose('How do you want to write models?', styles) : styles[0].value)
  return { answers: { dialect, database, style }, command: engine.command }
}

/** @throws {CommandError} `USAGE` for a name that no engine reads. */
async function readDatabaseName(name: string, dialect: string | undefined): Promise<DatabaseSetting> {
  const read = await readName(name, dialect, listedEngines)
  if (!('problem' in read)) return read
  throw new CommandError('USAGE', `The database is ${shown(withoutSecrets(name))}, ${read.problem}`)
}

/** A dialect of the likely engine, or one chosen from all dialects. */
async function chosenDialect(
  likely: EngineEntry,
  { asks, isSure }: { readonly asks: boolean; readonly isSure: boolean },
): Promise<string> {
  if (!asks) return likely.dialects[0]!
  const { engines } = await installedEngines(isSure ? [likely] : listedEngines)
  const labels = engines.flatMap(({ command }) => Object.entries(command.dialects))
  return choose(
    'Which dialect does the database have?',
    // Dialects of an engine that is not installed are listed too: choosing one tells the user what to install.
    (isSure ? likely.dialects : dialectNames).map((value) => ({
      value,
      label: labels.find(([name]) => name === value)?.[1].label ?? value,
    })),
  )
}

function askDatabase(
  { command: { address } }: Engine,
  dialect: string,
  example: string,
  environment: CommandContext<unknown>['environment'],
): Promise<string> {
  return ask('Which database?', example, (text) => {
    const read = address.read(text)
    if (!read || 'problem' in read || (read.dialect ?? dialect) !== dialect)
      return `Write it as in ${example}`
    try {
      address.check?.(read.address, dialect, environment)
      return undefined
    } catch (error) {
      const { message, fix } = failureOf(error)
      return [message, fix]
        .join(' ')
        .replaceAll(/\s*\n\s*-?\s*/g, ' ')
        .trim()
    }
  })
}

/** Whether a database may have this dialect. */
function isOf({ engine, dialect: said }: DatabaseSetting, dialect: string): boolean {
  return said === undefined ? engine.dialects.includes(dialect) : said === dialect
}

/** The likeliest first. */
function stylesOffered(directory: string, dialect: string): readonly [StyleChoice, ...StyleChoice[]] {
  const own: readonly [StyleChoice, StyleChoice] = [
    { value: 'decorators', label: 'classes with decorators' },
    { value: 'tables', label: 'defineTable' },
  ]
  if (drizzleModel(dialect) === undefined) return own
  const drizzle: StyleChoice = { value: 'drizzle', label: 'Drizzle tables' }
  return usesDrizzle(directory) ? [drizzle, ...own] : [...own, drizzle]
}

interface StyleChoice {
  readonly value: ModelStyle
  readonly label: string
}
