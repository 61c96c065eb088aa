import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DialectName } from '@isotherm/core'
import { CommandError } from '../command-error.js'
import { defineCommand, type CommandContext } from '../command.js'
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
  type OutputOptions,
} from '../shared-options.js'
import { usesDrizzle } from '../project/uses-drizzle.js'
import { ask, choose } from '../terminal/prompts.js'

interface InitOptions extends OutputOptions {
  readonly dialect?: DialectName
  readonly database?: string
  readonly style?: ModelStyle
  readonly yes?: boolean
}

const DATABASE = 'projects/my-project/instances/my-instance/databases/my-database'

export const init = defineCommand<InitOptions>({
  name: 'init',
  summary: 'make a configuration and a first model',
  description:
    'Writes isotherm.config.ts and a first model, a table of 64 shards to begin with: src/models/user-access-log.ts, or ' +
    'src/db/schema.ts for Drizzle. Asks for what no flag says, on a terminal. Never writes over a file.',
  arguments: [],
  options: [
    dialectOption,
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
  const { dialect, style } = options
  const database = options.database ?? (environment['ISOTHERM_DATABASE'] || undefined)
  if (database !== undefined) {
    const problem = addressProblem(database)
    if (problem !== undefined)
      throw new CommandError('USAGE', `The database is ${JSON.stringify(database)}, ${problem}`)
  }
  return {
    dialect:
      dialect ??
      (asks
        ? await choose('Which dialect does the database have?', [
            { value: dialectNames[0], label: 'GoogleSQL' },
            { value: dialectNames[1], label: 'PostgreSQL' },
          ])
        : dialectNames[0]),
    database:
      database ??
      (asks
        ? await ask('Which database?', DATABASE, (text) =>
            addressProblem(text) === undefined ? undefined : `Write it as in ${DATABASE}`,
          )
        : DATABASE),
    style:
      style ??
      (asks
        ? await choose('How do you want to write models?', stylesOffered(directory))
        : stylesOffered(directory)[0].value),
  }
}

/** The likeliest first. */
function stylesOffered(directory: string): readonly [StyleChoice, ...StyleChoice[]] {
  const own: readonly [StyleChoice, StyleChoice] = [
    { value: 'decorators', label: 'classes with decorators' },
    { value: 'tables', label: 'defineTable' },
  ]
  const drizzle: StyleChoice = { value: 'drizzle', label: 'Drizzle tables' }
  return usesDrizzle(directory) ? [drizzle, ...own] : [...own, drizzle]
}

interface StyleChoice {
  readonly value: ModelStyle
  readonly label: string
}
