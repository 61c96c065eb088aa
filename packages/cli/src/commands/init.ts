import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DialectName } from '@isotherm/core'
import { CommandError } from '../command-error.js'
import { defineCommand, type CommandContext } from '../command.js'
import { addressProblem } from '../config/database-name.js'
import { findConfig } from '../config/load-config.js'
import { exitCodes } from '../exit-codes.js'
import { configText, modelText, type ModelStyle } from '../first-project.js'
import {
  databaseOption,
  dialectNames,
  dialectOption,
  outputOptions,
  type OutputOptions,
} from '../shared-options.js'
import { ask, choose } from '../terminal/prompts.js'

interface InitOptions extends OutputOptions {
  readonly dialect?: DialectName
  readonly database?: string
  readonly style?: ModelStyle
  readonly yes?: boolean
}

interface Answers {
  readonly dialect: DialectName
  readonly database: string
  readonly style: ModelStyle
}

const CONFIG = 'isotherm.config.ts'
const MODEL = 'src/models/user-access-log.ts'
const DATABASE = 'projects/my-project/instances/my-instance/databases/my-database'

export const init = defineCommand<InitOptions>({
  name: 'init',
  summary: 'make a configuration and a first model',
  description:
    `Writes ${CONFIG} and ${MODEL}, a table of 64 shards to begin with. Asks for what no flag says, on a terminal. Never writes ` +
    'over a file.',
  arguments: [],
  options: [
    dialectOption,
    databaseOption,
    {
      flags: '--style <style>',
      description: 'how the model is written',
      choices: ['decorators', 'tables'],
      otherwise: 'decorators',
    },
    { flags: '-y, --yes', description: 'ask nothing' },
    ...outputOptions,
  ],
  examples: [
    { command: 'isotherm init', what: 'ask for everything' },
    { command: 'isotherm init --dialect spanner-postgresql --style tables --yes', what: 'ask for nothing' },
  ],
  async run(context) {
    const { directory, output } = context
    const existing =
      findConfig(directory, undefined) ?? [MODEL].map((file) => join(directory, file)).find(existsSync)
    if (existing !== undefined) {
      throw new CommandError('USAGE', `${existing} is there already.`, {
        fix: 'Edit it, or remove it first.',
      })
    }
    const answers = await answersFrom(context)
    const files = [
      { path: CONFIG, text: configText(answers) },
      { path: MODEL, text: modelText(answers.style) },
    ]
    // First all of what may be refused: a configuration without its model would be in the way of the next try.
    for (const { path } of files) mkdirSync(dirname(join(directory, path)), { recursive: true })
    for (const { path, text } of files) {
      writeFileSync(join(directory, path), text, { flag: 'wx' })
      output.line(`${output.style.good('wrote')} ${path}`)
    }
    output.line()
    output.line('Next:')
    output.line('  npm install @isotherm/core @google-cloud/spanner && npm install --save-dev @isotherm/cli')
    output.line('  npx isotherm lint')
    output.line('  npx isotherm generate first')
    output.line('  npx isotherm migrate')
    output.result({ files: files.map(({ path }) => path), ...answers })
    return exitCodes.ok
  },
})

async function answersFrom({ options, output, environment }: CommandContext<InitOptions>): Promise<Answers> {
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
        ? await choose('How do you want to write models?', [
            { value: 'decorators' as const, label: 'classes with decorators' },
            { value: 'tables' as const, label: 'defineTable' },
          ])
        : 'decorators'),
  }
}
