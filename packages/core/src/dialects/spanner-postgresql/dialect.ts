import type { Dialect } from '../dialect.js'
import { spannerPostgreSqlDdl, spannerPostgreSqlDdlSyntax } from './ddl.js'
import { spannerPostgreSqlLayout, spannerPostgreSqlValues } from './layout.js'
import { refuseUnsupported } from './limits.js'
import { MAX_PARAMETERS, spannerPostgreSqlStatements } from './statements.js'
import { spannerPostgreSqlType } from './types.js'

/** Cloud Spanner's PostgreSQL dialect. */
export const spannerPostgreSql: Dialect = {
  name: 'spanner-postgresql',
  nulls: 'highest',
  nanIsValue: true,
  values: spannerPostgreSqlValues,
  // Source: https://cloud.google.com/spanner/quotas
  commit: { mutations: 80_000 },
  sql: {
    name: 'spanner-postgresql',
    statements: spannerPostgreSqlStatements,
    ddlSyntax: spannerPostgreSqlDdlSyntax,
    maxParameters: MAX_PARAMETERS,
    returnsGenerated: false,
    sqlType: spannerPostgreSqlType,
  },
  layout: spannerPostgreSqlLayout,
  ddl: spannerPostgreSqlDdl,
  refuseUnsupported,
}
