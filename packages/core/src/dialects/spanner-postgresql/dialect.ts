import type { Dialect } from '../dialect.js'
import { spannerPostgreSqlDdl } from './ddl.js'
import { spannerPostgreSqlLayout } from './layout.js'
import { spannerPostgreSqlStatements } from './statements.js'

/** Cloud Spanner's PostgreSQL dialect. */
export const spannerPostgreSql: Dialect = {
  name: 'spanner-postgresql',
  nulls: 'highest',
  nanIsValue: true,
  statements: spannerPostgreSqlStatements,
  // Source: https://cloud.google.com/spanner/quotas
  maxParameters: 950,
  maxMutations: 80_000,
  returnsGenerated: false,
  layout: spannerPostgreSqlLayout,
  ddl: spannerPostgreSqlDdl,
}
