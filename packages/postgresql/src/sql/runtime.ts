import { type SqlDialectRuntime, defineRuntime } from '@isotherm/core/engine'
import { postgresqlLayout } from './layout.js'
import { postgresqlLexicalSyntax } from './lexical-syntax.js'
import { MAX_PARAMETERS, postgresqlStatements } from './statements.js'
import { postgresqlType } from './types.js'
import { postgresqlValues } from './values.js'

declare module '@isotherm/core' {
  interface SqlDialects {
    postgresql: string
  }
}

/** The runtime part of PostgreSQL's dialect, which its drivers have. */
export const postgresqlRuntime: SqlDialectRuntime = /* @__PURE__ */ defineRuntime<SqlDialectRuntime>({
  name: 'postgresql',
  lexicalSyntax: postgresqlLexicalSyntax,
  nulls: 'highest',
  nanIsValue: true,
  values: postgresqlValues,
  sql: {
    statements: postgresqlStatements,
    maxParameters: MAX_PARAMETERS,
    returnsGenerated: true,
    currentNamespace: 'current_schema()',
    sqlType: postgresqlType,
  },
  layout: postgresqlLayout,
})
