import { type SqlDialect, defineDialect } from '@isotherm/core/tools'
import { postgresqlLint } from '../lint/lint.js'
import { postgresqlLiteral } from '../sql/literal.js'
import { postgresqlRuntime } from '../sql/runtime.js'
import { postgresqlDdl, postgresqlDdlSyntax } from '../ddl/ddl.js'
import { refuseUnsupported } from '../ddl/limits.js'
import { introspectPostgresql } from '../introspection/introspect.js'

/** PostgreSQL: the runtime part of the dialect, and its tools. */
export const postgresql: SqlDialect = /* @__PURE__ */ defineDialect<SqlDialect>({
  ...postgresqlRuntime,
  sql: {
    ...postgresqlRuntime.sql,
    ddlSyntax: postgresqlDdlSyntax,
    keepsExpressions: false,
    withoutReshard:
      'PostgreSQL is for development: rename the table, or drop it and create it again, or use an empty database.',
    literal: postgresqlLiteral,
  },
  lint: postgresqlLint,
  ddl: postgresqlDdl,
  introspect: introspectPostgresql,
  refuseUnsupported,
})
