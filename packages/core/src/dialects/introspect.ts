import type { Schema } from '../model/schema.js'
import type { DialectName } from './dialect.js'
import { introspectedGoogleSql } from './googlesql/introspect.js'
import { assemble } from './introspection/assemble.js'
import type { CatalogReader } from './introspection/catalog-query.js'
import { markChecked } from '../model/checked.js'
import { deepFreeze } from '../model/deep-freeze.js'
import { checkDialect } from '../model/sql-expression.js'
import type { IntrospectedDialect } from './introspection/dialect.js'
import { readCatalog } from './introspection/read-catalog.js'
import { introspectedSpannerPostgreSql } from './spanner-postgresql/introspect.js'

export type { CatalogReader } from './introspection/catalog-query.js'

const dialects: Readonly<Record<DialectName, IntrospectedDialect>> = {
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
  const introspected = dialects[dialect]
  return markChecked(deepFreeze(assemble(await readCatalog(reader, introspected), introspected)))
}
