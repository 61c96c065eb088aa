import { readFileSync } from 'node:fs'
import { CommanderError } from 'commander'
import type { CommandDefinition } from './command.js'
import { commands } from './commands/index.js'
import { exitCodes, type ExitCode } from './exit-codes.js'
import { failureOf, type Failure } from './failure.js'
import { Interruption } from './interruption.js'
import { buildProgram, type Invocation } from './program.js'
import type { OutputOptions } from './shared-options.js'
import { createOutput, type Output } from './terminal/output.js'

/**
 * Runs the command that the arguments name, and prints what comes of it.
 *
 * @param argv without the names of Node and of this script
 */
export async function run(
  argv: readonly string[],
  definitions: readonly CommandDefinition[] = commands,
): Promise<ExitCode> {
  let invocation: Invocation | undefined
  const program = buildProgram(definitions, ownVersion(), (called) => {
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

async function start({ definition, args, options }: Invocation): Promise<ExitCode> {
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
  // Nobody who calls a command can do anything about a deprecation in a library.
  if (!isVerbose) process.removeAllListeners('warning')
  try {
    return await Promise.race([definition.run(context), strayRejection()])
  } catch (error) {
    return printFailure(failureOf(error), output, isVerbose ? error : undefined)
  } finally {
    interruption.end()
  }
}

/**
 * Google's client rejects promises that nobody has, when there are no credentials for one. The first tells; those after it,
 * which may come while that is printed, must not end the process.
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
    named === undefined ? 'isotherm --help lists the commands.' : `isotherm ${named} --help has all of it.`
  return {
    code: 'USAGE',
    message: `${what.charAt(0).toUpperCase()}${what.slice(1).replace(/\.$/, '')}.`,
    fix: meant === undefined ? help : `Did you mean ${meant}?`,
    exitCode: exitCodes.usage,
  }
}

/** @param error whose stack is shown */
function printFailure(failure: Failure, output: Output, error: unknown): ExitCode {
  const { code, message, fix, exitCode, details } = failure
  const { bad, dim } = output.style
  if (code === 'CANCELLED') output.warn(message)
  else output.warn(`${bad('error')} ${message}`)
  if (fix !== undefined) output.warn(fix)
  if (error instanceof Error) output.warn(dim(stackOf(error)))
  output.result({ error: { code, message, ...(fix !== undefined && { fix }), ...details } })
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
