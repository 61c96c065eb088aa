import { databaseForms, dialectNames } from '../engines.js'
import type { EngineCommand } from '@isotherm/core/command'
import type { ExitCode } from '../command-error.js'
import type { Output } from '../terminal/output.js'

export interface OptionDefinition {
  /** As commander reads them: `--to <migration>`. */
  readonly flags: string
  readonly description: string
  readonly choices?: readonly string[]
  /** The configuration may know more choices: they are checked once that is read. */
  readonly open?: true
  /** It may be given several times, and is then an array. */
  readonly repeatable?: true
  /** The environment variable that may be set instead. */
  readonly env?: string
  /** The default, in words. */
  readonly otherwise?: string
}

interface ArgumentDefinition {
  /** `name` is required, `[name]` is not. */
  readonly name: string
  readonly description: string
}

interface Example {
  readonly command: string
  readonly what: string
}

/** The context of a command's run. */
export interface CommandContext<Options> {
  readonly args: readonly string[]
  readonly options: Options
  readonly output: Output
  /** Where the command was called. */
  readonly directory: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Fires at Ctrl+C, if the command has said that it `endsItself`. */
  readonly signal: AbortSignal
}

/** One command: its name, its help, and its code. The reference page is generated from these. */
export interface CommandDefinition {
  readonly name: string
  /** One line, for the list of commands. */
  readonly summary: string
  readonly description: string
  readonly arguments: readonly ArgumentDefinition[]
  readonly options: readonly OptionDefinition[]
  /** The options that engines add. Only this command loads the engines before its flags are read. */
  readonly engineOptions?: (engines: readonly EngineCommand[]) => readonly OptionDefinition[]
  readonly examples: readonly Example[]
  /** The meanings of its exit codes beyond the general rule. */
  readonly exits?: readonly string[]
  /** The message at Ctrl+C of a command that ends by itself; without it, the command is ended at once. */
  readonly endsItself?: string
  run(context: CommandContext<unknown>): Promise<ExitCode>
}

/** Gives a command's options their type: that of the flags that it has declared. */
export function defineCommand<Options>(
  definition: Omit<CommandDefinition, 'run'> & {
    readonly run: (context: CommandContext<Options>) => Promise<ExitCode>
  },
): CommandDefinition {
  return definition
}

// Options that several commands have, each declared once.

export interface OutputOptions {
  readonly envFile?: string
  readonly json?: boolean
  readonly color?: boolean
  readonly verbose?: boolean
}

/** Every command has these. */
export const outputOptions: readonly OptionDefinition[] = [
  {
    flags: '--env-file <file>',
    description: 'a file of environment variables; variables that are already set win',
    otherwise: '.env, if it exists',
  },
  { flags: '--json', description: 'print one JSON document and nothing else' },
  { flags: '--no-color', description: 'print without colours; NO_COLOR=1 does the same' },
  { flags: '--verbose', description: 'print the stack of an error; DEBUG=1 does the same' },
]

export interface ProjectOptions extends OutputOptions {
  readonly config?: string
  readonly dialect?: string
  readonly schema?: readonly string[]
  readonly tsconfig?: string
  readonly out?: string
  readonly database?: string
}

export const configOption: OptionDefinition = {
  flags: '-c, --config <file>',
  description: 'the configuration file',
  env: 'ISOTHERM_CONFIG',
  otherwise: 'isotherm.config.ts, .mts, .js, .mjs or .json',
}

export const dialectOption: OptionDefinition = {
  flags: '--dialect <dialect>',
  description: 'the dialect of the database',
  choices: dialectNames,
  open: true,
  env: 'ISOTHERM_DIALECT',
}

export const schemaOption: OptionDefinition = {
  flags: '--schema <glob>',
  description: 'where the models are: a glob of modules, or a folder',
  repeatable: true,
}

export const tsconfigOption: OptionDefinition = {
  flags: '--tsconfig <file>',
  description: 'the tsconfig.json that compiles the models, with the projects that it references',
  otherwise: 'the nearest one to each file',
}

export const migrationsOption: OptionDefinition = {
  flags: '--out <folder>',
  description: 'the folder of the migrations',
  otherwise: './migrations',
}

export const databaseOption: OptionDefinition = {
  flags: '--database <name>',
  description: new Intl.ListFormat('en', { type: 'disjunction' }).format(databaseForms),
  env: 'ISOTHERM_DATABASE',
}

/** Every command has these that works on a database. */
export const connectionOptions: readonly OptionDefinition[] = [
  configOption,
  dialectOption,
  databaseOption,
  ...outputOptions,
]
