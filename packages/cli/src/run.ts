import { type ExitCode, type Failure, exitCodeMeanings, exitCodes, failureOf } from './command-error.js'
import { type Output, createOutput } from './terminal/output.js'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import type { CommandDefinition, OptionDefinition, OutputOptions } from './definition/command.js'
import type { EngineCommand } from '@isotherm/core/command'
import { listedEngines } from './engines.js'
import { shown } from './text.js'
import { readFileSync } from 'node:fs'
import { commands } from './commands/index.js'
import { loadEnvFile } from './config/load-config.js'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** The effect of Ctrl+C while a command runs. */
class Interruption {
  readonly #controller = new AbortController()
  readonly #onSignal: () => void

  /** @param said by a command that heeds the signal, at the first Ctrl+C; without it the process ends at once. */
  constructor(said: string | undefined, output: Output) {
    this.#onSignal = () => {
      if (said === undefined || this.signal.aborted) process.exit(exitCodes.interrupted)
      output.warn(said)
      this.#controller.abort()
    }
    for (const signal of SIGNALS) process.on(signal, this.#onSignal)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  end(): void {
    for (const signal of SIGNALS) process.off(signal, this.#onSignal)
  }
}

export interface Invocation {
  readonly definition: CommandDefinition
  readonly args: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
}

const introduction =
  'Migrations, drift checks, hotspot lint and query plans for databases that place rows by key.'

/**
 * The parser of all commands.
 *
 * @param start gets the command that was called; parsing itself does nothing.
 */
export function buildProgram(
  definitions: readonly CommandDefinition[],
  version: string,
  start: (invocation: Invocation) => void,
): Command {
  const program = new Command('isotherm')
    .description(introduction)
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', exitCodeText())
    .exitOverride()
    // Everything that goes wrong is printed in one place, which knows about --json.
    .configureOutput({ outputError: () => {} })
  for (const definition of definitions) {
    const command = program
      .command(definition.name)
      .summary(definition.summary)
      .description(definition.description)
      .helpOption('-h, --help', 'print this help')
      .allowExcessArguments(false)
      .exitOverride()
      .configureOutput({ outputError: () => {} })
    for (const { name, description } of definition.arguments) command.argument(name, description)
    for (const option of definition.options) command.addOption(commanderOption(option))
    command.addHelpText('after', () => exampleText(definition))
    command.action(() => {
      start({ definition, args: command.args, options: command.opts() })
    })
  }
  return program
}

/** The help text of an option, besides its flags. */
export function optionText({ description, choices, repeatable, env, otherwise }: OptionDefinition): string {
  const notes = [
    ...(choices ? [`one of ${choices.join(', ')}`] : []),
    ...(repeatable ? ['may be repeated'] : []),
    ...(env === undefined ? [] : [`environment: ${env}`]),
    ...(otherwise === undefined ? [] : [`default: ${otherwise}`]),
  ]
  return notes.length === 0 ? description : `${description} (${notes.join('; ')})`
}

function commanderOption(definition: OptionDefinition): Option {
  const { flags, repeatable, open } = definition
  const choices = open ? undefined : definition.choices
  const option = new Option(flags, optionText(definition))
  const checked = (value: string): string => {
    if (!choices || choices.includes(value)) return value
    throw new InvalidArgumentError(`It is one of ${choices.join(', ')}.`)
  }
  if (repeatable)
    option.argParser((value: string, before?: readonly string[]) => [...(before ?? []), checked(value)])
  else if (option.required)
    option.argParser((value: string, before?: string) => {
      if (before === undefined) return checked(value)
      throw new InvalidArgumentError(`It has the value ${shown(before)} already. Give ${option.long} once.`)
    })
  return option
}

function exampleText({ examples, exits = [] }: CommandDefinition): string {
  const width = examples.reduce((max, { command }) => Math.max(max, command.length), 0)
  const lines = examples.map(({ command, what }) => `  ${command.padEnd(width)}  ${what}`)
  const codes = exits.length === 0 ? [] : ['', 'Exit codes:', ...exits.map((line) => `  ${line}`)]
  return ['', 'Examples:', ...lines, ...codes].join('\n')
}

function exitCodeText(): string {
  return [
    '',
    'Exit codes:',
    ...exitCodeMeanings.map(([code, meaning]) => `  ${String(code).padEnd(4)} ${meaning}`),
  ].join('\n')
}

/**
 * Runs the command that the arguments name, and prints its result.
 *
 * @param argv without the names of Node and of this script
 */
export async function run(
  argv: readonly string[],
  definitions: readonly CommandDefinition[] = commands,
): Promise<ExitCode> {
  let invocation: Invocation | undefined
  const program = buildProgram(await withEngineOptions(definitions, argv), ownVersion(), (called) => {
    invocation = called
  })
  try {
    if (argv.length === 0) {
      program.outputHelp({ error: true })
      return exitCodes.usage
    }
    program.parse(argv, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return exitCodes.ok
    return printFailure(usageFailure(error, argv), outputFor(flagsOf(argv)), undefined)
  }
  if (!invocation) return exitCodes.ok
  return start(invocation)
}

/** The definitions with the flags of engines, if the called command has such flags. */
async function withEngineOptions(
  definitions: readonly CommandDefinition[],
  argv: readonly string[],
): Promise<readonly CommandDefinition[]> {
  const called = definitions.find(({ name, engineOptions }) => engineOptions && argv.includes(name))
  if (!called) return definitions
  const { installedEngines } = await import('./config/engines.js')
  await usePackagesOfProject()
  const { engines } = await installedEngines(listedEngines)
  return definitions.map((each) =>
    each === called
      ? withOptions(
          each,
          engines.map(({ command }) => command),
        )
      : each,
  )
}

async function usePackagesOfProject(): Promise<void> {
  const { registerHooks } = await import('./modules/register-hooks.js')
  await registerHooks(process.cwd())
}

/** A command with the flags that engines add to it. */
export function withOptions(
  definition: CommandDefinition,
  engines: readonly EngineCommand[],
): CommandDefinition {
  const { options, engineOptions } = definition
  return engineOptions ? { ...definition, options: [...engineOptions(engines), ...options] } : definition
}

async function start({ definition, args, options }: Invocation): Promise<ExitCode> {
  try {
    loadEnvFile(process.cwd(), (options as OutputOptions).envFile)
  } catch (error) {
    return printFailure(failureOf(error), outputFor(options), undefined)
  }
  const output = outputFor(options)
  const interruption = new Interruption(definition.endsItself, output)
  const context = {
    args,
    options,
    output,
    directory: process.cwd(),
    environment: process.env,
    signal: interruption.signal,
  }
  const isVerbose = (options as OutputOptions).verbose === true || Boolean(process.env['DEBUG'])
  // A user who runs a command cannot do anything about a deprecation in a library.
  if (!isVerbose) process.removeAllListeners('warning')
  try {
    await usePackagesOfProject()
    return await Promise.race([definition.run(context), strayRejection()])
  } catch (error) {
    return printFailure(failureOf(error), output, isVerbose ? error : undefined)
  } finally {
    interruption.end()
  }
}

/**
 * Google's client rejects promises that no code holds when there are no credentials for them. The first rejection is
 * reported; later ones, which may come while the first is printed, must not end the process.
 */
function strayRejection(): Promise<never> {
  return new Promise((_, reject) => {
    process.on('unhandledRejection', reject)
  })
}

function outputFor({ json = false, color = true }: OutputOptions): Output {
  const { stdin, stdout, stderr, env: environment } = process
  return createOutput({ json, color, stdin, stdout, stderr, environment })
}

/** For arguments that could not be parsed. */
function flagsOf(argv: readonly string[]): OutputOptions {
  return { json: argv.includes('--json'), color: !argv.includes('--no-color') }
}

function usageFailure({ message }: CommanderError, argv: readonly string[]): Failure {
  const [what = '', ...rest] = message.replace(/^error: /, '').split('\n')
  const meant = /^\(Did you mean (.*)\?\)$/.exec(rest.join(' '))?.[1]
  const named = commands.find(({ name }) => argv.includes(name))?.name
  const help =
    named === undefined ? 'isotherm --help lists the commands.' : `isotherm ${named} --help shows the usage.`
  return {
    code: 'USAGE',
    message: `${what.charAt(0).toUpperCase()}${what.slice(1).replace(/\.$/, '')}.`,
    fix: meant === undefined ? help : `Did you mean ${meant}?`,
    exitCode: exitCodes.usage,
  }
}

/** @param error the error whose stack is printed */
function printFailure(failure: Failure, output: Output, error: unknown): ExitCode {
  const { code, message, fix, docs, exitCode, details } = failure
  const { bad, dim } = output.style
  if (code === 'CANCELLED') output.warn(message)
  else output.warn(`${bad('error')} ${message}`)
  if (fix !== undefined) output.warn(fix)
  if (error instanceof Error) output.warn(dim(stackOf(error)))
  output.result({
    error: {
      code,
      message,
      ...(fix !== undefined && { fix }),
      ...(docs !== undefined && { docs }),
      ...details,
    },
  })
  return exitCode
}

function stackOf(error: Error): string {
  const stack = error.stack ?? error.message
  return error.cause instanceof Error ? `${stack}\ncaused by ${stackOf(error.cause)}` : stack
}

function ownVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  return manifest.version
}
