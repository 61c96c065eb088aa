import {
  type QueryPartitionOptions,
  closeQueryPartitions,
  readQueryPartition,
} from '../read/partitions/partitions.js'
import type { QueryPartition } from '../read/partitions/query-partition.js'
import { FanOutQuery } from '../read/query.js'
import type { AsyncRows } from '../read/run/row-iterator.js'
import { type Secret, secretsOf } from '../read/plan/cursor.js'
import type { FanOutServices } from '../read/plan/request.js'
import { undecidedQuery } from '../read/undecided-query.js'
import { type MethodArguments, refuseExtraArguments } from '../extra-arguments.js'
import type { Model } from '../model/model.js'
import type { Row } from '../model/row.js'
import type { Telemetry } from '../observability/telemetry.js'
import { type OptionKinds, checkOptions, either, kind, listOf, secret, text } from '../options.js'
import { CALL_OPTIONS, READ_OPTIONS, checkCallOptions } from '../engine/call-options.js'
import type { CallOptions, Driver } from '../engine/driver.js'
import type { PlainRow } from '../engine/codec.js'
import { Limits } from '../engine/retries.js'
import { OPEN_ROWS_OPTIONS, type OpenRowsOptions, type Opened, RowDatabase } from './row-database.js'

export interface OpenDatabaseOptions<Used extends Driver = Driver> extends OpenRowsOptions<Used> {
  /**
   * Signs the cursors of pages and the query partitions of fan-outs (HMAC-SHA-256), so that only processes with the secret
   * can make one: at least 32 bytes, the same in all processes that share them. Of several secrets, the first signs and all
   * are accepted, so that you can rotate secrets. Default: they have a checksum only.
   */
  readonly cursorSecret?: Secret | readonly Secret[]
}

const cursorSecret = either(
  'a text or bytes of at least 32 bytes',
  text("'…'"),
  kind('bytes', (value) => value instanceof Uint8Array),
)

const OPEN_OPTIONS: OptionKinds<OpenDatabaseOptions> = {
  ...OPEN_ROWS_OPTIONS,
  cursorSecret: secret(
    either('a text or bytes of at least 32 bytes, or a list of such', cursorSecret, listOf(cursorSecret)),
  ),
}

const { timeoutMs, signal, priority, tag, directedReads } = READ_OPTIONS
const READ_QUERY_PARTITION_OPTIONS: OptionKinds<QueryPartitionOptions> = {
  timeoutMs,
  signal,
  priority,
  tag,
  directedReads,
}

/**
 * Opens a database for the tables of a schema. It does not lint: hotspots are checked where tables are made, by
 * `compileDdl` and migrations, and by `lint`.
 *
 * @throws {IsothermError} `UNSUPPORTED_MODEL` for a table that the dialect cannot lay out, or that needs a feature which the
 * engine lacks.
 * @example
 * const db = openDatabase({ driver: spanner(database), schema })
 * const [row] = await db.insert(UserAccessLog, [{ userId: 7n }])
 */
export function openDatabase<Used extends Driver>(options: OpenDatabaseOptions<Used>): Database<Used> {
  checkOptions('openDatabase', OPEN_OPTIONS, options)
  return new Database(options)
}

/**
 * A database whose rows are written, got by their keys, and read over all shards.
 *
 * @typeParam Used the driver: of Spanner's, a commit tells its timestamp
 */
export class Database<Used extends Driver = Driver> extends RowDatabase<Used> {
  readonly #cursorSecrets: readonly Secret[] | undefined
  readonly #telemetry: Telemetry | undefined

  constructor(options: OpenDatabaseOptions<Used>) {
    super(options)
    refuseExtraArguments(Database, 'db', ARGUMENTS)
    const { cursorSecret, telemetry } = options
    this.#cursorSecrets = cursorSecret === undefined ? undefined : secretsOf(cursorSecret)
    this.#telemetry = telemetry
  }

  /**
   * Reads all shards of a table as one: filtered, ordered, page by page.
   *
   * Until the database has reported its dialect, a query that only this dialect cannot run is refused when it is run, not
   * when it is built.
   *
   * @throws {IsothermError} `UNKNOWN_TABLE` for a model that is not in the schema; the methods of the query document what
   * they refuse.
   * @example
   * const { rows, next } = await db.fanOut(UserAccessLog).orderBy('lastAccess', 'desc').limit(50).page()
   */
  fanOut<Fields extends object>(model: Model<Fields>): FanOutQuery<Fields>
  fanOut(table: string): FanOutQuery<Record<string, unknown>>
  fanOut(model: object | string): unknown {
    const { known, likely } = this.opening
    if (known) return this.#fanOutOn(known, model)
    return undecidedQuery(this.#fanOutOn(likely, model), async (call) =>
      this.#fanOutOn(await this.opening.decided(call), model),
    )
  }

  /**
   * The rows of one query partition of a fan-out, in whatever process it was split: as they arrive, no faster than they are taken.
   *
   * @throws {IsothermError} `INVALID_QUERY_PARTITION` for a query partition of another table or of other columns; while it is read,
   * `SNAPSHOT_EXPIRED` once the query partitions are gone.
   * @example
   * for await (const row of db.readQueryPartition(UserAccessLog, JSON.parse(message))) write(row)
   */
  readQueryPartition<Fields extends object>(
    model: Model<Fields>,
    partition: QueryPartition,
    options?: QueryPartitionOptions,
  ): AsyncRows<Row<Fields>>
  readQueryPartition(
    table: string,
    partition: QueryPartition,
    options?: QueryPartitionOptions,
  ): AsyncRows<PlainRow>
  readQueryPartition(
    model: object | string,
    partition: QueryPartition,
    options: QueryPartitionOptions = {},
  ): unknown {
    checkCallOptions(this.driver, 'db.readQueryPartition', READ_QUERY_PARTITION_OPTIONS, options)
    const { known } = this.opening
    return known ? this.#readOn(known, model, partition, options) : this.#readLater(model, partition, options)
  }

  async *#readLater(
    model: object | string,
    partition: QueryPartition,
    options: QueryPartitionOptions,
  ): AsyncGenerator<PlainRow, void, undefined> {
    const limits = new Limits(options)
    yield* this.#readOn(await this.opening.decided(options), model, partition, limits.options)
  }

  /** Ends a query partition and all that were made together with it, wherever they are being read. */
  async closeQueryPartitions(partition: QueryPartition, options: CallOptions = {}): Promise<void> {
    checkCallOptions(this.driver, 'db.closeQueryPartitions', CALL_OPTIONS, options)
    const limits = new Limits(options)
    const opened = this.opening.known ?? (await this.opening.decided(options))
    return closeQueryPartitions(this.#services(opened), partition, limits.options)
  }

  #services({ driver, compiled }: Opened): FanOutServices {
    return {
      observer: this.observer,
      telemetry: this.#telemetry,
      driver,
      tables: compiled,
      ...(this.#cursorSecrets && { cursorSecrets: this.#cursorSecrets }),
    }
  }

  #fanOutOn(opened: Opened, model: object | string): FanOutQuery<object> {
    const view = opened.resolver.now
    return FanOutQuery.over({ ...this.#services(opened), tables: view }, view.of(model))
  }

  #readOn(
    opened: Opened,
    model: object | string,
    partition: QueryPartition,
    options: QueryPartitionOptions,
  ): AsyncRows<PlainRow> {
    const view = opened.resolver.now
    return readQueryPartition({ ...this.#services(opened), tables: view }, view.of(model), partition, options)
  }
}

const ARGUMENTS: MethodArguments<Omit<Database, keyof RowDatabase>> = {
  sync: { fanOut: ['model'], readQueryPartition: ['model', 'partition', 'options'] },
  async: { closeQueryPartitions: ['partition', 'options'] },
  fix: 'Remove it. Options are the last argument.',
  fixes: {
    fanOut: 'Give filters and options by calls on it: db.fanOut(model).where({ … }).options({ … }).',
  },
}
