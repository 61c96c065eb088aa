import type { ExitCode } from './exit-codes.js'
import type { Output } from './terminal/output.js'

export interface OptionDefinition {
  /** As commander reads them: `--until <migration>`. */
  readonly flags: string
  readonly description: string
  readonly choices?: readonly string[]
  /** It may be given several times, and is an array then. */
  readonly repeatable?: true
  /** The environment variable that stands for it. */
  readonly env?: string
  /** What holds without it, in words. */
  readonly otherwise?: string
}

export interface ArgumentDefinition {
  /** `name` is required, `[name]` is not. */
  readonly name: string
  readonly description: string
}

export interface Example {
  readonly command: string
  readonly what: string
}

/** What a command gets to work with. */
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

/** One command: what it is called, what its help says, what it does. The reference page is made of these. */
export interface CommandDefinition {
  readonly name: string
  /** One line, for the list of commands. */
  readonly summary: string
  readonly description: string
  readonly arguments: readonly ArgumentDefinition[]
  readonly options: readonly OptionDefinition[]
  readonly examples: readonly Example[]
  /** What its exit codes mean beyond the general rule. */
  readonly exits?: readonly string[]
  /** At Ctrl+C it comes to an end by itself, and this is said; otherwise it is ended on the spot. */
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
