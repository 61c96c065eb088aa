import type { Dialect } from '../engine/dialect.js'
import type { Driver } from '../engine/driver.js'
import type { ShardLoad } from '../lint/load.js'

// What an engine provides for the command `isotherm`. The entry `./cli` of its package exports an `EngineCommand` as
// `engine`. That entry is loaded before anything is known of a project: it imports the code that connects, and the vendor's
// client, only when they are needed.

/** The kind of problem, for the command's exit code: wrong usage or configuration, a missing package, or the database. */
type CommandErrorCode = 'USAGE' | 'CONFIG' | 'NOT_INSTALLED' | 'DATABASE'

/**
 * Why the command cannot go on. It prints the message and, on a line of its own, what to do.
 *
 * @example
 * throw new CommandError('DATABASE', `Nothing answers at ${host}.`, { fix: 'Start the server, or name another host.' })
 */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly code: CommandErrorCode
  /** The fix, as a sentence. */
  readonly fix: string | undefined

  constructor(
    code: CommandErrorCode,
    what: string,
    more: { readonly fix?: string | undefined; readonly cause?: unknown } = {},
  ) {
    super(what, more.cause === undefined ? undefined : { cause: more.cause })
    this.code = code
    this.fix = more.fix
  }
}

/** The message of an error without what to do, which an `IsothermError` repeats at its end. */
export function messageWithoutFix(error: Error): string {
  const { message, fix } = error as { readonly message: string; readonly fix?: unknown }
  return (typeof fix === 'string' ? message.slice(0, -fix.length) : message).trim()
}

/**
 * One engine, as the command knows it.
 *
 * @example
 * export const engine: EngineCommand<MapAddress> = { name: 'Map', dialects: { map: … }, address: …, connect: … }
 */
export interface EngineCommand<Address extends object = object> {
  /** For people: `Spanner`. */
  readonly name: string
  /** Its dialects, by their names. The command proposes the first one. */
  readonly dialects: Readonly<Record<string, EngineDialect>>
  readonly address: AddressSyntax<Address>
  /**
   * Opens a database by its address.
   *
   * @throws {CommandError} `CONFIG` for an address that lacks something, `DATABASE` for a database that is not there.
   */
  connect(address: Address, call: ConnectCall): Promise<OpenedDatabase>
  /**
   * The clients that the function `database` of a configuration may return for this engine: `a Database of …`. Absent: a
   * driver only.
   */
  readonly client?: string
  /** Opens what that function returned: a client, or a driver that does not know its dialect yet. Undefined for another engine's. */
  connectClient?(client: object, call: ConnectCall): Promise<OpenedDatabase | undefined>
  /** Explains an error of the vendor's client, wherever it came from. Undefined if the error needs no explanation. */
  explain?(error: Error): CommandError | undefined
  /** How it is started on this machine. Absent: the command cannot. */
  startLocal?(options: LocalOptions): Promise<LocalEngine>
  /** The fix without `startLocal`, as a sentence. */
  readonly withoutLocal?: string
  /** Lets other processes use a database whose data are kept, for `isotherm emulator`. Absent: `startLocal` does, and data are lost. */
  serve?(options: ServeOptions<Address>): Promise<ServedDatabase>
  /** What `isotherm shards` computes. Absent: nothing. */
  readonly shards?: readonly ShardAdvice[]
}

/** A dialect of an engine, and how a project in it begins. */
export interface EngineDialect {
  /** For a question: `GoogleSQL`. */
  readonly label: string
  load(): Promise<Dialect>
  /** The name of a database that a new configuration has until the real one is known. */
  readonly example: string
  /** The packages to install besides `@isotherm/core`: the engine's package, the vendor's client. */
  readonly packages: readonly string[]
  /** A first model. */
  readonly model: FirstModel
}

/** The module of a first model, in each style. */
export interface FirstModel {
  /** `src/models/access-log.ts` */
  readonly path: string
  readonly decorators: string
  readonly tables: string
}

/** How databases are named: by a text, or by the parts of an address. */
export interface AddressSyntax<Address extends object = object> {
  /** The form of a name: `projects/…/instances/…/databases/…`. */
  readonly form: string
  /** The fix for a text that is not of that form, as a sentence. */
  readonly fix?: string
  /** The packages that a database needs besides those of its dialect. Absent: none. */
  packages?(address: Address): readonly string[]
  /** Reads a name; undefined for a text that is meant for another engine. */
  read(text: string): ReadName<Address> | NameProblem | undefined
  /** The parts of an address in a configuration. A part that is not listed is refused. */
  readonly parts: Readonly<Record<string, AddressPart>>
  /**
   * Refuses an address with which no client can be made, before a configuration is written.
   *
   * @throws {CommandError} `CONFIG`
   */
  check?(address: Address, dialect: string, environment: Environment): void
  /** Flags that name a database together with `--database`. */
  readonly flags?: readonly AddressFlag[]
  /**
   * The whole name that those flags and `--database` give; undefined without them.
   *
   * @throws {CommandError} `USAGE` for flags that need others.
   */
  nameOf?(flags: Readonly<Record<string, string | undefined>>): string | undefined
}

export interface ReadName<Address extends object = object> {
  readonly address: Address
  /** The dialect, if the name contains it. */
  readonly dialect?: string
}

/** The problem with a name, as the end of a sentence: `and has no keyspace.` */
export interface NameProblem {
  readonly problem: string
}

/** The kind of a part of an address, and whether it is required. */
export type AddressPart =
  | { readonly kind: 'text' | 'port' | 'flag'; readonly required?: true }
  | { readonly kind: 'form'; readonly required?: true; readonly form: PartForm }
  | { readonly kind: 'one-of'; readonly names: readonly string[] }
  /** A list that is not empty. */
  | { readonly kind: 'list'; readonly of: PartForm; readonly empty: string }
  /** A part that does not belong in a file: what to do instead, as a sentence. */
  | { readonly kind: 'refused'; readonly why: string }

/** A text that passes a test. */
export interface PartForm {
  test(text: string): boolean
  /** The end of a sentence: `a host`. */
  readonly what: string
}

export interface AddressFlag {
  /** `--project <name>` */
  readonly flags: string
  readonly description: string
}

type Environment = Readonly<Record<string, string | undefined>>

export interface ConnectCall {
  /**
   * What happens where the database is a folder that does not exist: it is created, or refused; or `empty`: the database is one without
   * tables in memory, for commands that say what they would do and do nothing.
   */
  readonly ifMissing: 'create' | 'refuse' | 'empty'
  /** The dialect of the project, where it is known and one of this engine's. */
  readonly dialect: string | undefined
  readonly environment: Environment
}

/** A database that is open, has answered, and whose dialect is known. */
export interface OpenedDatabase extends AsyncDisposable {
  readonly driver: Driver
  /** For people: the database's name, and the emulator or the cluster that has it. */
  readonly description: string
}

export interface LocalOptions {
  /** Stops a start that takes too long. */
  readonly signal?: AbortSignal
  /** Whether it has to be a new one, even if the environment names a running one. Default: false. */
  readonly own?: boolean
}

/** An engine on this machine, until it is disposed of or this process ends. */
export interface LocalEngine extends AsyncDisposable {
  /** For people: `Cloud Spanner emulator (binary /path/emulator_main, port 1234)`. */
  readonly description: string
  /** The variables by which other processes find the engine. */
  readonly environment: Readonly<Record<string, string>>
  /** For programs that read the command's JSON. */
  readonly details: Readonly<Record<string, string>>
  createDatabase(request: LocalDatabaseRequest): Promise<LocalDatabase>
  /** Makes what a database needs around it, before the command creates one. Absent: nothing is needed. */
  createSurroundings?(): Promise<void>
}

export interface ServeOptions<Address extends object = object> {
  /** Default: the engine's own. */
  readonly address?: Address
  /** Default: the engine's own. */
  readonly port?: number
}

/** Until it is disposed of or this process ends. */
export interface ServedDatabase extends AsyncDisposable {
  /** For people. */
  readonly description: string
  /** As `--database` takes it. */
  readonly name: string
  /** Fails when the database ends by itself. */
  readonly failure: Promise<never>
}

export interface LocalDatabaseRequest {
  /** Default: a name that no other database has. */
  readonly name?: string
  readonly dialect: Dialect
  /** Statements to run once the database is there. Default: none. */
  readonly ddl?: readonly string[]
}

export interface LocalDatabase {
  /** As `--database` takes it. */
  readonly name: string
  readonly driver: Driver
}

/** How many shards a load takes on an engine. */
export interface ShardAdvice {
  /** The values of `--engine`: `keyspaces`. */
  readonly name: string
  /** For people: `Keyspaces`. */
  readonly label: string
  /** Whether it is computed without `--engine` too. */
  readonly usual?: true
  /** The pages that the limits are from. */
  readonly sources: readonly string[]
  /**
   * @param nodes of the instance, where they are known
   * @throws {CommandError} `USAGE` for a row that is larger than the engine's.
   */
  compute(load: Required<ShardLoad>, nodes: number | undefined): Promise<ShardResult>
}

export interface ShardResult {
  /** The fewest that carry the load. */
  readonly shards: number
  /** The arithmetic, for programs. */
  readonly figures: object
  readonly steps: readonly ShardStep[]
  /** Further notes, as a sentence. */
  readonly note?: string
}

export interface ShardStep {
  readonly of: 'writes' | 'reads'
  /** `2,000 rows/s; a split is assumed to take 1,000` */
  readonly arithmetic: string
  /** Shards without the headroom. */
  readonly bare: number
  /** Shards with it. */
  readonly withHeadroom: number
}
