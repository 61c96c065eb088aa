import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import type { SqlDialect } from '@isotherm/core'
import { atEndOfFile } from '../../support/end-of-file.js'
import { sharedEmulator } from '../../support/spanner.js'
import { installedPackages } from './installation.js'
import { TerminalSession } from './terminal.js'

export interface Ended {
  readonly code: number
  /** The screen as it was left. */
  readonly text: string
}

/** Variables that would tell a command of these tests, rather than of its user. */
const OURS =
  /^(?:CI|VITEST.*|TEST|NODE_ENV|NODE_OPTIONS|NODE_PATH|NO_COLOR|FORCE_COLOR|DEBUG|ISOTHERM_[A-Z]*|SPANNER_EMULATOR_HOST|GOOGLE_CLOUD_SPANNER_.*|npm_.*)$/

/** An empty folder outside the repository in which the packages are installed, as a user has it. */
export class UserProject {
  readonly folder: string
  readonly #environment: Record<string, string>

  static async create(environment: Readonly<Record<string, string>> = {}): Promise<UserProject> {
    const installed = await installedPackages()
    const folder = mkdtempSync(join(tmpdir(), 'isotherm-user-'))
    atEndOfFile(() => rmSync(folder, { recursive: true, force: true }))
    symlinkSync(join(installed, 'node_modules'), join(folder, 'node_modules'))
    return new UserProject(folder, environment)
  }

  private constructor(folder: string, environment: Readonly<Record<string, string>>) {
    this.folder = folder
    const inherited = Object.entries(process.env).filter(
      ([name]) => !OURS.test(name) || name === 'ISOTHERM_CI_RUN',
    )
    this.#environment = {
      ...(Object.fromEntries(inherited) as Record<string, string>),
      PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
      HOME: folder,
      ...environment,
    }
  }

  set(name: string, value: string): void {
    this.#environment[name] = value
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true })
    writeFileSync(join(this.folder, path), text)
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8')
  }

  remove(path: string): void {
    rmSync(join(this.folder, path), { recursive: true })
  }

  edit(path: string, from: string | RegExp, to: string): void {
    const before = this.read(path)
    const after = before.replace(from, to)
    if (after === before) throw new Error(`${path} has no ${String(from)}`)
    this.write(path, after)
  }

  /** The names in a folder; an empty list if the folder does not exist. */
  list(path: string): string[] {
    try {
      return readdirSync(join(this.folder, path)).toSorted()
    } catch {
      return []
    }
  }

  /** `isotherm …` in a terminal, which can be typed into. */
  start(...args: readonly string[]): TerminalSession {
    return new TerminalSession(
      join(this.folder, 'node_modules/.bin/isotherm'),
      args,
      this.folder,
      this.#environment,
    )
  }

  /** The same until its end. */
  async run(...args: readonly string[]): Promise<Ended> {
    return this.#ended(join(this.folder, 'node_modules/.bin/isotherm'), args, this.#environment)
  }

  /** A line for the shell, in which `isotherm` is known. */
  async shell(line: string): Promise<Ended> {
    const PATH = [join(this.folder, 'node_modules/.bin'), this.#environment['PATH']].join(delimiter)
    return this.#ended('/bin/sh', ['-c', line], { ...this.#environment, PATH })
  }

  async #ended(
    file: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>>,
  ): Promise<Ended> {
    const session = new TerminalSession(file, args, this.folder, environment)
    const code = await session.exit()
    return { code, text: this.plain(await session.text()) }
  }

  /** What does not differ from run to run. */
  plain(text: string): string {
    return text
      .replaceAll(this.folder, '<folder>')
      .replace(/\b\d{14}_/g, '<stamp>_')
      .replace(
        /projects\/isotherm\/instances\/\S+\/databases\/\S+ on the emulator at [\w.]+:\d+/g,
        '<database>',
      )
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '<time>')
      .replace(/\b\d+ (?:ms|s)\b/g, '<duration>')
      .replace(/ by \S+:\d+/g, ' by <runner>')
  }
}

/** A database of the test's own, and what tells the command of it. */
export function emptyDatabase(dialect: SqlDialect): Promise<Record<string, string>> {
  return databaseWith(dialect, [])
}

/** The same with tables that were created without Isotherm. */
export async function databaseWith(
  dialect: SqlDialect,
  ddl: readonly string[],
): Promise<Record<string, string>> {
  const emulator = await sharedEmulator()
  const database = await emulator.database({ dialect, ddl: [...ddl] })
  return { SPANNER_EMULATOR_HOST: emulator.host, ISOTHERM_DATABASE: database.formattedName_ }
}
