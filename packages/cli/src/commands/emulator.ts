import { once } from 'node:events'
import { CommandError, type ExitCode, exitCodes } from '../command-error.js'
import {
  type CommandContext,
  type ProjectOptions,
  configOption,
  defineCommand,
  dialectOption,
  outputOptions,
  schemaOption,
  tsconfigOption,
} from '../definition/command.js'
import { readName, withoutSecrets } from '../config/database.js'
import { type Engine, dialectNamed, engineOf, loadEngine } from '../config/engines.js'
import { type EngineEntry, dialectNames } from '../engines.js'
import { openProject, schemaOf } from '../project/project.js'
import { startLocal } from '../project/needs.js'
import { type Output, counted } from '../terminal/output.js'
import { shown } from '../text.js'

interface EmulatorOptions extends ProjectOptions {
  readonly empty?: boolean
  readonly port?: string
}

export const emulator = defineCommand<EmulatorOptions>({
  name: 'emulator',
  summary: 'run an emulator until Ctrl+C',
  description:
    'Starts the emulator of an engine that has one, prints how to connect to it, and stops it at Ctrl+C. Its data is lost then, except that of PostgreSQL: PGlite keeps it in the folder of --database or of the configuration, else in ./.isotherm/pglite.',
  arguments: [],
  options: [
    {
      flags: '--database <id>',
      description: 'create a database with the tables of the models; PostgreSQL: the folder, pglite:./folder',
    },
    { flags: '--empty', description: 'create the database without tables, for isotherm migrate' },
    { flags: '--port <port>', description: 'PostgreSQL: where to listen; 0 for any port', otherwise: '5432' },
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
    {
      command: 'isotherm emulator --dialect postgresql --port 5433',
      what: 'start PGlite with the data of ./.isotherm/pglite',
    },
  ],
  endsItself: 'Stopping the emulator.',
  async run(context) {
    const { options, output, signal } = context
    const { database: id } = options
    // In this command, `--database` is an id, not a setting of the project.
    const { database: _, ...rest } = options
    const project = await openProject({ ...context, options: rest })
    const { engines, lint, dialect: configured } = project.settings
    const meant = options.dialect === undefined ? await dialectOfAddress(id, engines) : undefined
    const dialectName = meant ?? configured ?? engines[0]!.dialects[0]!
    const engine = (await engineOf(dialectName, engines))!
    if (engine.command.serve) return serve(dialectName, engine, context)
    if (id === undefined && options.empty === true) {
      throw new CommandError('USAGE', '--empty needs --database.', {
        fix: 'Add --database and an id.',
      })
    }
    if (options.port !== undefined) {
      throw new CommandError('USAGE', `The emulator of ${engine.command.name} chooses its port itself.`, {
        fix: 'Leave --port out.',
      })
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
    printEnvironment(output, environment)
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

/**
 * An id has no colon. The address of a folder says which engine it is for; the configuration may be for that of production.
 *
 * @throws {CommandError} `USAGE` for any other address.
 */
async function dialectOfAddress(
  database: string | undefined,
  engines: readonly EngineEntry[],
): Promise<string | undefined> {
  if (!database?.includes(':')) return undefined
  const read = await readName(database, undefined, engines)
  if (!('problem' in read)) {
    const { command, dialects } = await loadEngine(read.engine)
    if (command.serve) return dialects[0]
  }
  throw new CommandError(
    'USAGE',
    `--database is ${shown(withoutSecrets(database))}, where an id is expected.`,
    {
      fix: 'Give an id, such as orders, or for PostgreSQL a folder, such as pglite:./folder.',
    },
  )
}

/** Serves a database whose data are kept, until Ctrl+C. */
async function serve(
  dialect: string,
  { command: { serve: start, address: syntax }, module }: Engine,
  context: CommandContext<EmulatorOptions>,
): Promise<ExitCode> {
  const { options, output, signal } = context
  if (options.empty === true) {
    throw new CommandError('USAGE', '--empty is for emulators that lose their data.', {
      fix: 'Leave --empty out: a new folder has no tables until isotherm migrate or isotherm push.',
    })
  }
  const { database } = (await openProject(context)).settings
  if (typeof database === 'function') {
    throw new CommandError(
      'USAGE',
      'The configuration opens the database by a function, which does not say where its data are.',
      { fix: `Give --database. ${syntax.fix ?? `It is of the form ${syntax.form}.`}` },
    )
  }
  if (options.database !== undefined && database?.engine.module !== module) {
    throw new CommandError('USAGE', `--database is of another engine than ${dialect}.`, {
      fix: syntax.fix ?? `It is of the form ${syntax.form}.`,
    })
  }
  await using served = await start!({
    // The configuration may be for the engine of production.
    ...(database?.engine.module === module && { address: database.address }),
    ...(options.port !== undefined && { port: portOf(options.port) }),
  })
  const { name, description, failure } = served
  const environment = { ISOTHERM_DATABASE: name }
  output.line(description)
  printEnvironment(output, environment)
  output.result({ database: name, dialect, environment })
  if (!signal.aborted) await Promise.race([once(signal, 'abort'), failure])
  return exitCodes.ok
}

function portOf(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port < 2 ** 16) return port
  throw new CommandError('USAGE', `--port is ${shown(text)}.`, {
    fix: 'It is a whole number from 0 to 65535.',
  })
}

function printEnvironment(output: Output, environment: Readonly<Record<string, string>>): void {
  output.line()
  output.line('In another terminal, for isotherm and for applications:')
  output.line()
  for (const [variable, value] of Object.entries(environment)) output.line(`  export ${variable}=${value}`)
  output.line()
  output.line('Ctrl+C stops it.')
}

/** An emulator does not keep its process from ending: this does. */
async function untilAborted(signal: AbortSignal): Promise<void> {
  const keeper = setInterval(() => {}, 2 ** 30)
  if (!signal.aborted) await once(signal, 'abort')
  clearInterval(keeper)
}
