import { spannerLint } from '../../lint/lint.js'
import { type SqlDialect, defineDialect } from '@isotherm/core/tools'
import { introspectedSchema } from '../../introspection/assemble.js'
import { spannerPostgreSqlDdl, spannerPostgreSqlDdlSyntax } from './ddl.js'
import { introspectedSpannerPostgreSql } from './introspect.js'
import { refuseUnsupported } from './limits.js'
import { spannerPostgreSqlLiteral } from '../literal.js'
import { spannerPostgresqlRuntime } from '../runtime.js'

const spannerPostgreSqlLint = /* @__PURE__ */ spannerLint({
  sparse: (property) => `notNull: ['${property}']`,
  unenforcedForeignKeys: false,
  storing: 'INCLUDE',
  microseconds: (column) => `((extract(epoch from ${column}) * 1000000)::bigint)::text`,
  shard: (shards) => `abs(mod(spanner.farm_fingerprint(…), ${shards ?? 'N'}))`,
  // There are no descending keys: a mirror of the column is in front of it.
  descending: 2,
  nullableKeys: false,
})

/** Cloud Spanner's PostgreSQL dialect. */
export const spannerPostgresql: SqlDialect = /* @__PURE__ */ defineDialect<SqlDialect>({
  ...spannerPostgresqlRuntime,
  sql: {
    ...spannerPostgresqlRuntime.sql,
    ddlSyntax: spannerPostgreSqlDdlSyntax,
    keepsExpressions: false,
    literal: spannerPostgreSqlLiteral,
  },
  lint: spannerPostgreSqlLint,
  ddl: spannerPostgreSqlDdl,
  introspect: (reader) => introspectedSchema(reader, introspectedSpannerPostgreSql),
  refuseUnsupported,
})
