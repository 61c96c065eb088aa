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
  statements: spannerPostgreSqlStatements,
  maxParameters: MAX_PARAMETERS,
  // Source: https://cloud.google.com/spanner/quotas
  maxMutations: 80_000,
  returnsGenerated: false,
  layout: spannerPostgreSqlLayout,
  ddl: spannerPostgreSqlDdl,
  refuseUnsupported,
  sqlType: spannerPostgreSqlType,
  ddlSyntax: spannerPostgreSqlDdlSyntax,
}
