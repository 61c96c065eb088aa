import { once } from 'node:events'
import { CommandError, exitCodes } from '../command-error.js'
import {
  type ProjectOptions,
  configOption,
  defineCommand,
  dialectOption,
  outputOptions,
  schemaOption,
  tsconfigOption,
} from '../definition/command.js'
import { dialectNamed, engineOf } from '../config/engines.js'
import { dialectNames } from '../engines.js'
import { openProject, schemaOf } from '../project/project.js'
import { startLocal } from '../project/needs.js'
import { counted } from '../terminal/output.js'

interface EmulatorOptions extends ProjectOptions {
  readonly empty?: boolean
}

export const emulator = defineCommand<EmulatorOptions>({
  name: 'emulator',
  summary: 'run an emulator until Ctrl+C',
  description:
    'Starts the emulator of an engine that has one, prints how to connect to it, and stops it at Ctrl+C. Its data is lost then.',
  arguments: [],
  options: [
    { flags: '--database <id>', description: 'create a database with the tables of the models' },
    { flags: '--empty', description: 'create the database without tables, for isotherm migrate' },
    { ...dialectOption, otherwise: dialectNames[0] },
    schemaOption,
    tsconfigOption,
    configOption,
    ...outputOptions,
  ],
  examples: [
    { command: 'isotherm emulator', what: 'start without a database' },
    {
      command: 'isotherm emulator --database orders',
      what: 'start with a database that has the tables of the models',
    },
    {
      command: 'isotherm emulator --database orders --empty',
      what: 'start with an empty database, to try migrations',
    },
  ],
  endsItself: 'Stopping the emulator.',
  async run(context) {
    const { options, output, signal } = context
    const { database: id } = options
    if (id === undefined && options.empty === true) {
      throw new CommandError('USAGE', '--empty needs --database.', {
        fix: 'Add --database and an id.',
      })
    }
    // In this command, `--database` is an id, not a setting of the project.
    const { database: _, ...rest } = options
    const project = await openProject({ ...context, options: rest })
    const { engines, lint, dialect: configured } = project.settings
    const dialectName = configured ?? engines[0]!.dialects[0]!
    const { withoutServer } = (await engineOf(dialectName, engines))!.command
    if (withoutServer !== undefined) {
      throw new CommandError(
        'USAGE',
        `The local engine of ${dialectName} runs inside the process that starts it, so that other processes cannot reach it.`,
        {
          fix: withoutServer,
        },
      )
    }
    const isFilled = id !== undefined && options.empty !== true
    await using running = await startLocal(dialectName, engines, 'The emulator', { own: true, signal })
    const dialect = await dialectNamed(dialectName, engines)
    const { compileDdl } = await import('@isotherm/core')
    const ddl = isFilled ? compileDdl(await schemaOf(project), { dialect, severity: lint.severity }) : []
    const name =
      id === undefined ? undefined : (await running.createDatabase({ name: id, dialect, ddl })).name
    if (id === undefined) await running.createSurroundings?.()
    const environment = {
      ...running.environment,
      ...(name !== undefined && { ISOTHERM_DATABASE: name }),
    }
    output.line(running.description)
    if (name !== undefined)
      output.line(`${name}, ${dialect.name}, ${counted(ddl.length, 'statement')} applied`)
    output.line()
    output.line('In another terminal, for isotherm and for applications:')
    output.line()
    for (const [variable, value] of Object.entries(environment)) output.line(`  export ${variable}=${value}`)
    output.line()
    output.line('Ctrl+C stops it.')
    output.result({
      ...running.details,
      ...(name !== undefined && { database: name }),
      dialect: dialect.name,
      environment,
    })
    await untilAborted(signal)
    return exitCodes.ok
  },
})

/** An emulator does not keep its process from ending: this does. */
async function untilAborted(signal: AbortSignal): Promise<void> {
  const keeper = setInterval(() => {}, 2 ** 30)
  if (!signal.aborted) await once(signal, 'abort')
  clearInterval(keeper)
}
