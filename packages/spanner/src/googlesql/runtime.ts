import { type SqlDialectRuntime, defineRuntime } from '@isotherm/core/engine'
import { googleSqlLayout, googleSqlValues } from './layout.js'
import { googleSqlLexicalSyntax } from './lexical-syntax.js'
import { googleSqlStatements } from './statements.js'
import { googleSqlType } from './types.js'
import { refuseSignedShards } from '../signed-shard.js'

declare module '@isotherm/core' {
  interface SqlDialects {
    googlesql: string
  }
}

/**
 * The runtime part of Cloud Spanner's GoogleSQL: for a driver with the option `dialect`, in a bundle without DDL and lint.
 */
export const googlesqlRuntime: SqlDialectRuntime = /* @__PURE__ */ defineRuntime<SqlDialectRuntime>({
  name: 'googlesql',
  lexicalSyntax: googleSqlLexicalSyntax,
  nulls: 'lowest',
  nanIsValue: false,
  values: googleSqlValues,
  // Source: https://cloud.google.com/spanner/quotas
  sql: {
    statements: googleSqlStatements,
    // Source: https://cloud.google.com/spanner/quotas
    maxParameters: 950,
    returnsGenerated: true,
    currentNamespace: "''",
    sqlType: googleSqlType,
  },
  layout: googleSqlLayout,
  refuseUnread: refuseSignedShards,
})
