import { once } from 'node:events'
import type { SpannerEmulator } from '@isotherm/core/engines'
import { CommandError } from '../command-error.js'
import { defineCommand } from '../command.js'
import { databaseName } from '../config/database-name.js'
import { exitCodes } from '../exit-codes.js'
import { openProject, schemaOf } from '../project/project.js'
import { spannerOnly } from '../project/spanner-only.js'
import {
  configOption,
  dialectOption,
  outputOptions,
  schemaOption,
  type ProjectOptions,
} from '../shared-options.js'
import { counted } from '../terminal/findings.js'

interface EmulatorOptions extends ProjectOptions {
  readonly empty?: boolean
}

export const emulator = defineCommand<EmulatorOptions>({
  name: 'emulator',
  summary: 'run an emulator until Ctrl+C',
  description:
    'Starts a Cloud Spanner emulator of its own, from the binaries of the Google Cloud CLI or in Docker, prints how to connect to ' +
    'it, and ends it at Ctrl+C. All of its data is in memory, and gone then.',
  arguments: [],
  options: [
    { flags: '--database <id>', description: 'create a database with the tables of the models' },
    { flags: '--empty', description: 'create that database without tables, for isotherm migrate' },
    { ...dialectOption, otherwise: 'googlesql' },
    schemaOption,
    configOption,
    ...outputOptions,
  ],
  examples: [
    { command: 'isotherm emulator', what: 'an instance without databases' },
    { command: 'isotherm emulator --database orders', what: 'with the tables of the models' },
    { command: 'isotherm emulator --database orders --empty', what: 'to try migrations on' },
  ],
  endsItself: 'Ending the emulator.',
  async run(context) {
    const { options, output, signal } = context
    const { database: id } = options
    if (id === undefined && options.empty === true) {
      throw new CommandError('USAGE', '--empty is about --database, which is not given.', {
        fix: 'Add --database and an id.',
      })
    }
    // `--database` is an id here, and none of the settings of a project.
    const { database: _, ...rest } = options
    const project = await openProject({ ...context, options: rest })
    const dialect = spannerOnly(
      project.settings.dialect ?? 'googlesql',
      'The emulator',
      'For a Cassandra of your own, call startCassandra of @isotherm/core/engines.',
    )
    const isFilled = id !== undefined && options.empty !== true
    const { emulatorSettings, startSpannerEmulator } = await import('@isotherm/core/engines')
    const { compileDdl } = await import('@isotherm/core')
    const ddl = isFilled
      ? compileDdl(await schemaOf(project), { dialect, severity: project.settings.lint.severity })
      : []
    await using running = await startSpannerEmulator({ ways: ['binary', 'docker'], signal })
    if (id !== undefined) await running.database({ name: id, dialect, ddl })
    else await createInstance(running)
    const { projectId, instanceId, host } = running
    const name = databaseName({ project: projectId, instance: instanceId, database: id ?? '…' })
    const environment = {
      SPANNER_EMULATOR_HOST: host,
      ...(id !== undefined && { ISOTHERM_DATABASE: name }),
      ...emulatorSettings,
    }
    output.line(running.description)
    if (id !== undefined) output.line(`${name}, ${dialect}, ${counted(ddl.length, 'statement')} applied`)
    output.line()
    output.line('In another terminal, for isotherm and for applications:')
    output.line()
    for (const [variable, value] of Object.entries(environment)) output.line(`  export ${variable}=${value}`)
    output.line()
    output.line('Ctrl+C ends it.')
    output.result({
      host,
      project: projectId,
      instance: instanceId,
      ...(id !== undefined && { database: name }),
      dialect,
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

/** What `database` does by itself for the first database. */
async function createInstance({ client, instanceId }: SpannerEmulator): Promise<void> {
  const [, operation] = await client.createInstance(instanceId, {
    config: 'emulator-config',
    displayName: 'Isotherm',
    nodes: 1,
  })
  await operation.promise()
}
