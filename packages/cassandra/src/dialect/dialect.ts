import { IsothermError } from '@isotherm/core/engine'
import { type CatalogReader, defineDialect, type Dialect } from '@isotherm/core/tools'
import { cassandraLint } from '../lint/lint.js'
import type { CqlDialectRuntime, CqlParts } from '../cql/statement.js'
import { cqlDdl, cqlDdlSyntax } from '../ddl/ddl.js'
import { cqlDiffer } from '../differ/differ.js'
import { introspectCql } from '../ddl/introspect.js'
import { refuseUnsupported } from '../cql/limits.js'
import { cqlRuntime, keyspacesCqlRuntime } from '../cql/runtime.js'

/** A dialect of CQL. */
export interface CqlDialect extends Dialect {
  readonly sql?: never
  readonly cql: CqlParts
}

/** The Cassandra Query Language, as Apache Cassandra has it. */
export const cql: CqlDialect = /* @__PURE__ */ dialectOf(cqlRuntime)

/** The Cassandra Query Language, as far as Amazon Keyspaces has it, with its limits. */
export const keyspacesCql: CqlDialect = /* @__PURE__ */ dialectOf(keyspacesCqlRuntime)

function dialectOf(runtime: CqlDialectRuntime): CqlDialect {
  const { engine, has } = runtime.cql
  const ddlSyntax = cqlDdlSyntax(has)
  return defineDialect<CqlDialect>({
    ...runtime,
    lint: cassandraLint(engine, has),
    ddl(schema, layouts) {
      refuseUnsupported(schema, has)
      return cqlDdl(schema, layouts, ddlSyntax)
    },
    differ: cqlDiffer({ has, ddlSyntax, layout: runtime.layout }),
    introspect: (reader) => introspectCql(reader, keyspaceOf(reader)),
    refuseUnsupported: (schema) => refuseUnsupported(schema, has),
  })
}

function keyspaceOf({ keyspace }: CatalogReader): string {
  if (keyspace !== undefined) return keyspace
  throw new IsothermError('INVALID_CLIENT', 'The client has no keyspace to read.', {
    fix: 'Create the client with a keyspace.',
  })
}
