import { compileDdl, openDatabase, type Database, type Schema, type SqlDialect } from '@isotherm/core'
import { startSpannerEmulator } from '@isotherm/spanner/local'
import { spanner } from '@isotherm/spanner'
import { startProxy, type Proxy } from './proxy.js'

interface ClientInternals {
  readonly sessionFactory_: { readonly pool_: { readonly _inventory: { readonly borrowed: Set<unknown> } } }
}

/** A database behind a separate proxy. */
export interface FragileDatabase {
  readonly proxy: Proxy
  /** The full name of the database in the service. */
  readonly name: string
  readonly db: Database
  /** The same database through a client that does not know its earlier failures. */
  fresh(): Database
  /** How many of the client's sessions are borrowed. */
  lent(): number
  close(): Promise<void>
}

export async function fragileDatabase(
  target: string,
  schema: Schema,
  dialect: SqlDialect,
): Promise<FragileDatabase> {
  const proxy = await startProxy(target)
  process.env['SPANNER_EMULATOR_HOST'] = proxy.host
  const engine = await startSpannerEmulator({ launchers: ['environment'] })
  const client = await engine.database({ dialect, ddl: compileDdl(schema, { dialect }) })
  const fresh = (): Database => openDatabase({ driver: spanner(client), schema })
  return {
    proxy,
    name: client.formattedName_,
    db: fresh(),
    fresh,
    lent: () => (client as unknown as ClientInternals).sessionFactory_.pool_._inventory.borrowed.size,
    async close() {
      proxy.heal()
      await engine.stop()
      await proxy.close()
    },
  }
}
