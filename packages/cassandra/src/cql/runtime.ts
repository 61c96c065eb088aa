import { type Schema, type Table, type TableLayout, defineRuntime } from '@isotherm/core/engine'
import { type CqlCapabilities, cassandraCapabilities, keyspacesCapabilities } from './capabilities.js'
import { cqlLexicalSyntax } from './identifier.js'
import { cqlLayout } from './layout.js'
import { refuseTable } from './limits.js'
import type { CqlDialectRuntime } from './statement.js'
import { cqlStatements } from './statements.js'
import { cqlValues } from './values.js'

/** The part that runs of Apache Cassandra's CQL: for a driver, in a bundle without DDL and lint. */
export const cqlRuntime: CqlDialectRuntime = /* @__PURE__ */ runtimeOf(
  'cql',
  'Cassandra',
  cassandraCapabilities,
)

/** The part that runs of the CQL of Amazon Keyspaces: for a driver, in a bundle without DDL and lint. */
export const keyspacesCqlRuntime: CqlDialectRuntime = /* @__PURE__ */ runtimeOf(
  'keyspaces-cql',
  'Keyspaces',
  keyspacesCapabilities,
)

function runtimeOf(name: string, engine: string, has: CqlCapabilities): CqlDialectRuntime {
  const layout = (
    table: Table,
    schema: Pick<Schema, 'tables' | 'userTypes'> = { tables: [table] },
  ): TableLayout => {
    refuseTable(table, schema, has)
    return cqlLayout(table, schema)
  }
  return defineRuntime<CqlDialectRuntime>({
    name,
    lexicalSyntax: cqlLexicalSyntax,
    // A key cannot contain NULL: this is for client-side sorts.
    nulls: 'lowest',
    nanIsValue: true,
    values: cqlValues,
    cql: Object.freeze({ engine, has, statements: cqlStatements(has) }),
    layout,
  })
}
