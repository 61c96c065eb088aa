import { IsothermError } from '../errors.js'
import type { Schema } from '../model/schema.js'
import { introspectCql } from './cql/introspect.js'
import { introspectedGoogleSql } from './googlesql/introspect.js'
import { assemble } from './introspection/assemble.js'
import type { CatalogReader } from './introspection/catalog-query.js'
import { markChecked } from '../model/checked.js'
import { deepFreeze } from '../model/deep-freeze.js'
import { checkDialect, isSqlDialect, type DialectName, type SqlDialect } from '../model/sql-expression.js'
import type { IntrospectedDialect } from './introspection/dialect.js'
import { readCatalog } from './introspection/read-catalog.js'
import { introspectedSpannerPostgreSql } from './spanner-postgresql/introspect.js'

export type { CatalogReader } from './introspection/catalog-query.js'

const dialects: Readonly<Record<SqlDialect, IntrospectedDialect>> = {
  googlesql: introspectedGoogleSql,
  'spanner-postgresql': introspectedSpannerPostgreSql,
}

/**
 * Reads a live database into a frozen schema, parents before their children. Properties have the names of their columns;
 * what Isotherm writes itself (shards, hashes, UUIDs, identities, mirrors) is recognised, and everything else is kept in
 * the database's own words.
 *
 * @throws {IsothermError} `UNSUPPORTED` for what no schema has: a type such as TOKENLIST, a search index, a dialect that
 *   cannot be read; what the reader throws where it is refused.
 */
export async function readSchema(reader: CatalogReader, dialect: DialectName): Promise<Schema> {
  checkDialect(dialect)
  if (!isSqlDialect(dialect)) return markChecked(deepFreeze(await introspectCql(reader, keyspaceOf(reader))))
  const introspected = dialects[dialect]
  return markChecked(deepFreeze(assemble(await readCatalog(reader, introspected), introspected)))
}

function keyspaceOf({ keyspace }: CatalogReader): string {
  if (keyspace !== undefined) return keyspace
  throw new IsothermError('UNSUPPORTED', 'Nothing says which keyspace to read.', {
    fix: 'Make the client with a keyspace.',
  })
}
