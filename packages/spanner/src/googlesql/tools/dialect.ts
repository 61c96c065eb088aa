import { spannerLint } from '../../lint/lint.js'
import { type SqlDialect, defineDialect } from '@isotherm/core/tools'
import { introspectedSchema } from '../../introspection/assemble.js'
import { googleSqlDdl, googleSqlDdlSyntax } from './ddl.js'
import { introspectedGoogleSql } from './introspect.js'
import { refuseUnsupported } from './limits.js'
import { googleSqlLiteral } from '../literal.js'
import { googlesqlRuntime } from '../runtime.js'

const googleSqlLint = /* @__PURE__ */ spannerLint({
  sparse: () => 'nullFiltered: true',
  unenforcedForeignKeys: true,
  storing: 'STORING',
  microseconds: (column) => `CAST(UNIX_MICROS(${column}) AS STRING)`,
  shard: (shards) => `ABS(MOD(FARM_FINGERPRINT(…), ${shards ?? 'N'}))`,
  descending: 1,
  nullableKeys: true,
})

/** Cloud Spanner's GoogleSQL. */
export const googlesql: SqlDialect = /* @__PURE__ */ defineDialect<SqlDialect>({
  ...googlesqlRuntime,
  sql: {
    ...googlesqlRuntime.sql,
    ddlSyntax: googleSqlDdlSyntax,
    keepsExpressions: true,
    literal: googleSqlLiteral,
  },
  lint: googleSqlLint,
  ddl: googleSqlDdl,
  introspect: (reader) => introspectedSchema(reader, introspectedGoogleSql),
  refuseUnsupported,
})
