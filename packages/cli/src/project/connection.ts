import type { Dialect, Driver } from '@isotherm/core'
import type { ConnectCall, OpenedDatabase } from '@isotherm/core/command'
import { CommandError } from '../command-error.js'
import type { OpenDatabaseClient } from '../config/config.js'
import { dialectNamed, installedEngines, loadEngine } from '../config/engines.js'
import { type EngineEntry, entryOf } from '../engines.js'
import { unsaid, type Project } from './project.js'

/** A database that was opened. */
export interface Connection extends OpenedDatabase {
  /** Of the driver, with its tools. */
  readonly dialect: Dialect
}

/**
 * Opens the configured database, and checks that it exists and which dialect it has.
 *
 * @param ifMissing what a database that is a folder is where it does not exist
 * @throws {CommandError} `CONFIG` without a database, or with a database of another dialect than configured; `DATABASE` for
 * one that does not exist.
 */
export async function connect(project: Project, ifMissing: ConnectCall['ifMissing']): Promise<Connection> {
  const opened = await open(project, ifMissing)
  try {
    return { ...opened, dialect: await dialectOfDriver(opened.driver, project.settings.engines) }
  } catch (error) {
    await opened[Symbol.asyncDispose]()
    throw error
  }
}

/** @throws {CommandError} `CONFIG` for a dialect that the command does not know. */
async function dialectOfDriver(
  { dialect: { name }, name: engine }: Driver,
  engines: readonly EngineEntry[],
): Promise<Dialect> {
  if (entryOf(name, engines)) return dialectNamed(name, engines)
  throw new CommandError('CONFIG', `The command does not know the dialect ${name} of ${engine}.`, {
    fix: `Return a driver of one of ${engines.flatMap(({ dialects }) => dialects).join(', ')}.`,
  })
}

async function open(project: Project, ifMissing: ConnectCall['ifMissing']): Promise<OpenedDatabase> {
  const { database, dialect, engines } = project.settings
  if (database === undefined) {
    const [{ databases: [form = '<name>'] = [] } = {}] = [entryOf(dialect, engines) ?? engines[0]]
    throw unsaid(project.settings, 'which database is meant', {
      flag: `--database ${form}`,
      variable: 'ISOTHERM_DATABASE',
      key: 'database',
    })
  }
  if (typeof database === 'function') return connectByFunction(project, database, ifMissing)
  const { engine, address, dialect: ofName } = database
  if (ofName !== undefined && dialect !== ofName) {
    throw new CommandError(
      'CONFIG',
      `The dialect is ${dialect!}, but the URL of the database is for ${ofName}.`,
      {
        fix: 'Leave the dialect out, or give the URL of another database.',
      },
    )
  }
  const { command } = await loadEngine(engine)
  if (dialect !== undefined && entryOf(dialect, engines)?.module !== engine.module) {
    throw new CommandError(
      'CONFIG',
      `The dialect is set to ${dialect}, but the database is one of ${command.name}.`,
      { fix: `Set dialect: '${engine.dialects.join("' or '")}', or name another database.` },
    )
  }
  const opened = await command.connect(address, { dialect, environment: process.env, ifMissing })
  try {
    checkDialect(project, opened.driver, opened.description)
    return opened
  } catch (error) {
    await opened[Symbol.asyncDispose]()
    throw error
  }
}

async function connectByFunction(
  project: Project,
  open: OpenDatabaseClient,
  ifMissing: ConnectCall['ifMissing'],
): Promise<OpenedDatabase> {
  const { dialect, engines } = project.settings
  // Before everything else: a client may fail while it is opened, and its engine can explain the error.
  const installed = await installedEngines(engines)
  // Whatever a configuration in JavaScript returns.
  const client: unknown = await open()
  if (typeof client !== 'object' || client === null) throw notDatabase([])
  if (isDriver(client) && !client.undecided) {
    checkDialect(project, client)
    // A connection that the configuration opened is closed by the configuration.
    return { driver: client, description: client.name, [Symbol.asyncDispose]: async () => {} }
  }
  for (const { command, dialects } of installed.engines) {
    const own = dialects.find((each) => each === dialect)
    const opened = await command.connectClient?.(client, {
      dialect: own,
      environment: process.env,
      ifMissing,
    })
    if (!opened) continue
    checkDialect(project, opened.driver, isDriver(client) ? undefined : opened.description)
    return opened
  }
  throw notDatabase(installed.engines.flatMap(({ command }) => command.client ?? []))
}

function notDatabase(clients: readonly string[]): CommandError {
  return new CommandError('CONFIG', 'The function database returned something that is not a database.', {
    fix: `Return ${[...clients, 'a driver of an engine'].join(', or ')}.`,
  })
}

/**
 * @param description of a database; undefined for a driver that was given
 * @throws {CommandError} `CONFIG` for a driver of another dialect than configured.
 */
function checkDialect({ settings }: Project, { dialect: { name } }: Driver, description?: string): void {
  const { dialect } = settings
  if (dialect === undefined || dialect === name) return
  if (description === undefined) {
    throw new CommandError(
      'CONFIG',
      `The dialect is set to ${dialect}, but the driver that the function database returned is of ${name}.`,
      { fix: `Set dialect: '${name}', or return a driver of ${dialect}.` },
    )
  }
  throw new CommandError(
    'CONFIG',
    `The dialect is set to ${dialect}, but ${description} has the dialect ${name}.`,
    {
      fix: `Set dialect: '${name}', or name another database.`,
    },
  )
}

function isDriver(value: object): value is Driver {
  return 'applyDdl' in value && 'dialect' in value && 'lacks' in value
}
