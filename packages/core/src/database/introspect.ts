import { markChecked } from '../model/validate.js'
import { deepFreeze } from '../model/deep-freeze.js'
import type { Schema } from '../model/schema.js'
import { type CatalogReader, type Dialect, dialectsOption, spokenDialect } from '../engine/dialect.js'
import { type OptionKinds, anything, callback, checkOptions, objectWith, required } from '../options.js'
import { IsothermError } from '../errors.js'
import type { CallOptions, Driver } from '../engine/driver.js'
import { decided } from '../engine/undecided.js'

export type { CatalogReader } from '../engine/dialect.js'

/**
 * Reads a live database into a frozen schema, parents before their children. Properties have the names of their columns;
 * what Isotherm writes itself (shards, hashes, UUIDs, identities, mirrors) is recognised, and everything else is kept in
 * the database's own wording.
 *
 * Objects that a schema does not model, such as a column of type TOKENLIST or a search index, are kept as text, in the
 * database's own syntax.
 *
 * @throws {IsothermError} `UNSUPPORTED_FEATURE` for a key with a column that a schema does not model; the reader's error if the
 * database refuses to be read.
 */
export async function readSchema(reader: CatalogReader, dialect: Dialect): Promise<Schema> {
  return markChecked(deepFreeze(await dialect.introspect(reader)))
}

export interface IntrospectOptions extends CallOptions {
  readonly driver: Driver
  /** The dialect that the database speaks, or a list of all that it may speak. */
  readonly dialect: Dialect | readonly Dialect[]
  /**
   * Called with a sentence for each disagreement between the database's catalogue and its DDL, and for what the DDL leaves
   * out, with how Isotherm resolved it.
   */
  readonly onNote?: (note: string) => void
}

const INTROSPECT_OPTIONS: OptionKinds<IntrospectOptions> = {
  driver: required(objectWith('a driver, as the package of an engine makes it', 'query')),
  dialect: dialectsOption,
  onNote: callback,
  // The driver checks the options of the call.
  timeoutMs: anything,
  signal: anything,
  priority: anything,
  tag: anything,
}

/**
 * Reads a live database into a `Schema`, as `defineSchema` makes one of models: to lint it, to compile its DDL, to open it.
 * Properties have the names of their columns.
 *
 * Objects that Isotherm does not model are in `opaqueColumns` and `opaqueStatements`, with the database's text.
 *
 * @throws {IsothermError} `UNSUPPORTED_FEATURE` naming the table and the column, for a key with a column that Isotherm does not model;
 * `INVALID_OPTION` where the database speaks another dialect.
 * @example
 * const schema = await introspect({ driver: spanner(database), dialect: googlesql })
 * console.log(lint(schema, { dialect: googlesql }))
 */
export async function introspect(options: IntrospectOptions): Promise<Schema> {
  checkOptions('introspect', INTROSPECT_OPTIONS, options)
  const { driver: userDriver, dialect: dialects, onNote, ...call } = options
  const driver = await decided(userDriver, call)
  const dialect = spokenDialect('introspect', driver, dialects)
  const { keyspace } = driver
  const read = (reader: Pick<Driver, 'query'>): Promise<Schema> =>
    readSchema(
      {
        query: (statement, types) => reader.query(statement, types, call),
        ddl: () => ddlOf(driver, call),
        ...(onNote && { note: onNote }),
        ...(keyspace !== undefined && { keyspace }),
      },
      dialect,
    )
  if (!driver.snapshot) return read(driver)
  // Reading the catalogue takes several queries: a snapshot lets them see the same state.
  const snapshot = await driver.snapshot(call)
  try {
    return await read(snapshot)
  } finally {
    snapshot.close()
  }
}

async function ddlOf(driver: Driver, call: CallOptions): Promise<readonly string[]> {
  if (driver.readDdl) return driver.readDdl(call)
  throw new IsothermError('UNSUPPORTED_FEATURE', `${driver.name} does not keep its schema as statements.`, {
    fix: 'Use a dialect that reads the catalogue alone.',
  })
}
