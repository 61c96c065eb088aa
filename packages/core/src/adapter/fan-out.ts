import type { Driver, Snapshot } from '../engine/driver.js'
import { CompiledTables } from '../rows/compiled-table.js'
import { FanOutQuery } from '../read/query.js'
import { type Secret, secretsOf } from '../read/plan/cursor.js'
import { checkSchema } from '../model/validate.js'
import type { Schema } from '../model/schema.js'
import type { Telemetry } from '../observability/telemetry.js'

export interface OpenFanOutOptions {
  readonly driver: Driver
  /** Reads this snapshot, which stays open. Default: each query reads at a timestamp of its own. */
  readonly snapshot?: Snapshot
  /** Signs the cursors of pages; see `openDatabase`. */
  readonly cursorSecret?: Secret | readonly Secret[]
  /** Where spans are sent. Default: no spans. */
  readonly telemetry?: Telemetry
}

/** Tables of one schema that fan-outs read, compiled once. */
export class FanOutTables {
  readonly #tables: CompiledTables

  /** @throws {IsothermError} `UNSUPPORTED_MODEL` for what the driver's dialect cannot lay out. */
  constructor(schema: Schema, dialect: Driver['dialect']) {
    checkSchema(schema)
    this.#tables = new CompiledTables(schema, dialect)
  }

  /** Reads all shards of a table as one; see `Database.fanOut`. The table is not linted. */
  fanOut(
    table: string,
    { driver, snapshot, cursorSecret, telemetry }: OpenFanOutOptions,
  ): FanOutQuery<Record<string, unknown>> {
    const services = {
      driver: snapshot ? new DriverWithin(driver, snapshot) : driver,
      tables: this.#tables,
      telemetry,
      ...(cursorSecret !== undefined && { cursorSecrets: secretsOf(cursorSecret) }),
    }
    return FanOutQuery.over(services, this.#tables.of(table))
  }
}

/** A driver all of whose reads are those of one snapshot, which is not its own to close. */
class DriverWithin implements Driver {
  readonly name: string
  readonly system: string
  readonly dialect: Driver['dialect']
  readonly costs: Driver['costs']
  readonly lacks: Driver['lacks']
  readonly takes: Driver['takes']
  readonly #snapshot: Snapshot
  readonly writes: Driver['writes']
  readonly atomic: Driver['atomic']
  readonly applyDdl: Driver['applyDdl']

  constructor(driver: Driver, snapshot: Snapshot) {
    this.name = driver.name
    this.system = driver.system
    this.dialect = driver.dialect
    this.costs = driver.costs
    this.lacks = driver.lacks
    this.takes = driver.takes
    this.#snapshot = snapshot
    this.writes = driver.writes
    this.atomic = driver.atomic
    this.applyDdl = (...args) => driver.applyDdl(...args)
  }

  read(...args: Parameters<Driver['read']>): ReturnType<Driver['read']> {
    return this.#snapshot.read(...args)
  }

  query(...args: Parameters<Driver['query']>): ReturnType<Driver['query']> {
    return this.#snapshot.query(...args)
  }

  run(...args: Parameters<Driver['run']>): ReturnType<Driver['run']> {
    return this.#snapshot.run(...args)
  }

  async snapshot(): Promise<Snapshot> {
    const snapshot = this.#snapshot
    return {
      get readTimestamp() {
        return snapshot.readTimestamp
      },
      read: (...args) => snapshot.read(...args),
      query: (...args) => snapshot.query(...args),
      run: (...args) => snapshot.run(...args),
      close() {},
    }
  }
}
