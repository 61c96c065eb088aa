import { randomBytes } from 'node:crypto'
import type { Database, Instance, Spanner } from '@google-cloud/spanner'
import {
  IsothermError,
  type OptionKinds,
  type SqlDialectRuntime,
  checkOptions,
  listOf,
  text,
} from '@isotherm/core/engine'
import { SPANNER_DIALECT, runtimeOf } from '../driver/spanner-dialect.js'
import { spannerPostgresqlRuntime } from '../postgresql/runtime.js'
import type { RunningEmulator, SpannerEmulatorLauncher } from './emulator-launchers.js'
import { TimeLimitReached, messageOf, withinTime } from '@isotherm/core/local'
import { closeSpanner, loadSpannerClient } from './spanner-client.js'

/** The objects to create. */
export interface SpannerDatabaseOptions {
  /** The database's id: 2 to 30 lower-case letters, digits, `_` and `-`. Default: a unique id. */
  readonly name?: string
  /** Default: `googlesql`. */
  readonly dialect?: SqlDialectRuntime
  /** Statements to run once the database is there, in order, without semicolons. Default: none. */
  readonly ddl?: readonly string[]
}

/** An emulator that serves, until {@link SpannerEmulator.stop} or the end of this process, however it ends. */
export interface SpannerEmulator extends AsyncDisposable {
  /** How it was found. */
  readonly launcher: SpannerEmulatorLauncher
  /** `host:port` of its gRPC server, in the form of `SPANNER_EMULATOR_HOST`. */
  readonly host: string
  readonly projectId: string
  /** The instance in which {@link SpannerEmulator.database} creates databases. */
  readonly instanceId: string
  /** The emulator's process id; only with the launcher `binary`. */
  readonly pid: number | undefined
  /** For people: `Cloud Spanner emulator (binary /path/emulator_main, port 1234)`. */
  readonly description: string
  /** A vendor client of this emulator, closed by `stop()`. */
  readonly client: Spanner
  /**
   * Creates a database and gives a `Database` of the vendor's client, ready for use; `stop()` closes it. It has an
   * `error` listener, so that a broken session cannot end the process.
   *
   * @throws IsothermError `DATABASE` if the emulator refuses the name or the DDL (`cause` is its answer);
   * `ENGINE_UNAVAILABLE` if the emulator has ended; `TIMEOUT` after 60 s.
   * @example
   * const database = await emulator.database({ ddl: ['CREATE TABLE T (Id INT64) PRIMARY KEY (Id)'] })
   * const [rows] = await database.run('SELECT COUNT(*) AS n FROM T')
   */
  database(options?: SpannerDatabaseOptions): Promise<Database>
  /**
   * Closes every database and client that was made by this object and then ends the emulator; one from
   * `SPANNER_EMULATOR_HOST` goes on without the databases that were created by this object. Calling it again does nothing
   * more.
   */
  stop(): Promise<void>
}

const DATABASE_OPTIONS: OptionKinds<SpannerDatabaseOptions> = {
  name: text("'shop'"),
  dialect: SPANNER_DIALECT,
  ddl: listOf(text("'CREATE TABLE …'"), 'a list of statements'),
}

/** A hung emulator must not hang its user: the vendor's client would go on trying for ten minutes. */
const createLimitMs = 60_000
const closeLimitMs = 5_000

const noticeMs = 200

/** The public face of an emulator that runs. */
export class StartedEmulator implements SpannerEmulator {
  readonly launcher: SpannerEmulatorLauncher
  readonly host: string
  readonly projectId: string
  readonly instanceId: string
  readonly pid: number | undefined
  readonly description: string
  readonly client: Spanner
  readonly #running: RunningEmulator
  readonly #creating = new Set<Promise<Database>>()
  readonly #databases = new Set<Database>()
  #instance: Promise<Instance> | undefined
  #stopping: Promise<void> | undefined
  #death: string | undefined

  constructor(running: RunningEmulator, projectId: string) {
    this.#running = running
    this.launcher = running.launcher
    this.host = running.host
    this.projectId = projectId
    // A user's emulator may serve other processes as well: with an instance of our own, all can go in the end.
    this.instanceId = running.launcher === 'environment' ? uniqueName() : 'isotherm'
    this.pid = running.pid
    this.description = running.description
    this.client = running.client
    void running.died?.then((what) => {
      this.#death = what
    })
  }

  async database(options: SpannerDatabaseOptions = {}): Promise<Database> {
    checkOptions('emulator.database', DATABASE_OPTIONS, options)
    const name = options.name ?? uniqueName()
    if (this.#stopping !== undefined) throw this.#gone('it was stopped.')
    if (this.#death !== undefined) throw this.#gone(this.#death)
    const { died } = this.#running
    const created = this.#create(name, options)
    this.#creating.add(created)
    // stop() still waits for a database that is created late, since it must close it.
    const settled = (): boolean => this.#creating.delete(created)
    created.then(settled, settled)
    try {
      const outcome =
        died === undefined ? created : Promise.race([created, died.then((what) => this.#fail(what))])
      return await withinTime(createLimitMs, `no answer while creating database ${name}`, outcome)
    } catch (error) {
      // The connection is lost shortly before the process is known to be gone; the end of the process says more.
      if (died !== undefined && isConnectionLoss(error))
        await withinTime(noticeMs, 'still there', died).catch(() => {})
      if (this.#death !== undefined) throw this.#gone(this.#death)
      if (error instanceof TimeLimitReached)
        throw new IsothermError('TIMEOUT', error.message, { cause: error })
      throw new IsothermError('DATABASE', `Database ${name} could not be created: ${messageOf(error)}`, {
        cause: error,
      })
    }
  }

  async #create(name: string, options: SpannerDatabaseOptions): Promise<Database> {
    const { Spanner } = await loadSpannerClient()
    this.#instance ??= this.#createInstance()
    const instance = await this.#instance
    const isPostgresql = options.dialect && runtimeOf(options.dialect) === spannerPostgresqlRuntime
    const [database, creation] = await instance.createDatabase(name, {
      databaseDialect: isPostgresql ? Spanner.POSTGRESQL : Spanner.GOOGLE_STANDARD_SQL,
    })
    // Failures reach the caller of each call; without a listener the same event would end the process.
    database.on('error', () => {})
    this.#databases.add(database)
    await creation.promise()
    // The client stores the dialect in this property once it is known; the emulator does not tell it when asked. With it,
    // code that is given the database need not be told the dialect.
    database.databaseDialect = isPostgresql ? 'POSTGRESQL' : 'GOOGLE_STANDARD_SQL'
    // Apart, because a PostgreSQL database takes no statements along with its creation.
    if (options.ddl !== undefined && options.ddl.length > 0) {
      try {
        const [change] = await database.updateSchema([...options.ddl])
        await change.promise()
      } catch (error) {
        // A half-made database is deleted: no caller gets it, and the emulator holds only a limited number of databases.
        this.#databases.delete(database)
        await database.delete().catch(() => {})
        throw error
      }
    }
    return database
  }

  async #createInstance(): Promise<Instance> {
    try {
      const [instance, operation] = await this.client.createInstance(this.instanceId, {
        config: 'emulator-config',
        displayName: 'Isotherm',
        nodes: 1,
      })
      await operation.promise()
      return instance
    } catch (error) {
      // The next database tries again.
      this.#instance = undefined
      throw error
    }
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<void> {
    // Errors of closing a hung emulator, or a database that its user has closed before, are ignored.
    if (this.#death === undefined) {
      await withinTime(closeLimitMs, 'closing', this.#closeDatabases()).catch(() => {})
    }
    await closeSpanner(this.client)
    await this.#running.end()
  }

  async #closeDatabases(): Promise<void> {
    await Promise.allSettled(this.#creating)
    await Promise.allSettled([...this.#databases].map((database) => database.close()))
    // Its databases go with it.
    if (this.launcher === 'environment') await (await this.#instance)?.delete()
  }

  #gone(what: string): IsothermError {
    return new IsothermError('ENGINE_UNAVAILABLE', `The ${this.description} is gone: ${what}`)
  }

  #fail(what: string): never {
    throw this.#gone(what)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}

function isConnectionLoss(error: unknown): boolean {
  const unavailable = 14
  return error instanceof Error && 'code' in error && error.code === unavailable
}

function uniqueName(): string {
  return `isotherm-${randomBytes(6).toString('hex')}`
}
