import { type SqlDialectRuntime, defineRuntime } from '@isotherm/core/engine'
import { spannerPostgreSqlLayout, spannerPostgreSqlValues } from './layout.js'
import { spannerPostgreSqlLexicalSyntax } from './lexical-syntax.js'
import { MAX_PARAMETERS, spannerPostgreSqlStatements } from './statements.js'
import { spannerPostgreSqlType } from './types.js'
import { refuseSignedShards } from '../signed-shard.js'

declare module '@isotherm/core' {
  interface SqlDialects {
    'spanner-postgresql': string
  }
}

/**
 * The runtime part of Cloud Spanner's PostgreSQL dialect: for a driver with the option `dialect`, in a bundle without DDL
 * and lint.
 */
export const spannerPostgresqlRuntime: SqlDialectRuntime = /* @__PURE__ */ defineRuntime<SqlDialectRuntime>({
  name: 'spanner-postgresql',
  lexicalSyntax: spannerPostgreSqlLexicalSyntax,
  nulls: 'highest',
  nanIsValue: true,
  values: spannerPostgreSqlValues,
  // Source: https://cloud.google.com/spanner/quotas
  sql: {
    statements: spannerPostgreSqlStatements,
    maxParameters: MAX_PARAMETERS,
    returnsGenerated: false,
    currentNamespace: "'public'",
    sqlType: spannerPostgreSqlType,
  },
  layout: spannerPostgreSqlLayout,
  refuseUnread: refuseSignedShards,
})
