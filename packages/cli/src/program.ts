import { Command, InvalidArgumentError, Option } from 'commander'
import type { CommandDefinition, OptionDefinition } from './command.js'
import { exitCodeMeanings } from './exit-codes.js'

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
 * @param start is told of the command that was called; parsing itself does nothing.
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

/** What is said of an option beside its flags. */
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
  const { flags, choices, repeatable } = definition
  const option = new Option(flags, optionText(definition))
  const checked = (value: string): string => {
    if (!choices || choices.includes(value)) return value
    throw new InvalidArgumentError(`It is one of ${choices.join(', ')}.`)
  }
  if (repeatable)
    option.argParser((value: string, before?: readonly string[]) => [...(before ?? []), checked(value)])
  else if (choices) option.argParser(checked)
  return option
}

function exampleText({ examples, exits = [] }: CommandDefinition): string {
  const width = Math.max(...examples.map(({ command }) => command.length))
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
