import type { Dialect } from '../dialect.js'
import { googleSqlDdl, googleSqlDdlSyntax } from './ddl.js'
import { googleSqlLayout, googleSqlValues } from './layout.js'
import { refuseUnsupported } from './limits.js'
import { googleSqlStatements } from './statements.js'
import { googleSqlType } from './types.js'

/** Cloud Spanner's GoogleSQL. */
export const googleSql: Dialect = {
  name: 'googlesql',
  nulls: 'lowest',
  nanIsValue: false,
  values: googleSqlValues,
  // Source: https://cloud.google.com/spanner/quotas
  commit: { mutations: 80_000 },
  sql: {
    name: 'googlesql',
    statements: googleSqlStatements,
    ddlSyntax: googleSqlDdlSyntax,
    // Source: https://cloud.google.com/spanner/quotas
    maxParameters: 950,
    returnsGenerated: true,
    sqlType: googleSqlType,
  },
  layout: googleSqlLayout,
  ddl: googleSqlDdl,
  refuseUnsupported,
}
