import type { Catalog, CatalogView } from './catalog.js'
import { byName, tableOf, type CatalogContext } from './catalog-context.js'
import { catalogViews, type CatalogReader } from './catalog-query.js'
import type { NameOf } from './ddl-clauses.js'
import { readDdlFacts } from './ddl-facts.js'
import type { IntrospectedDialect } from './dialect.js'
import { readChangeStreams } from './read-change-streams.js'
import { readTables } from './read-tables.js'

/**
 * Everything that the engine tells of a database: the catalogue where it answers, the DDL text for what it leaves out.
 *
 * Source: https://cloud.google.com/spanner/docs/information-schema,
 * https://cloud.google.com/spanner/docs/information-schema-pg
 */
export async function readCatalog(reader: CatalogReader, dialect: IntrospectedDialect): Promise<Catalog> {
  const { name, defaultSchema } = dialect
  const nameOf: NameOf = (path) =>
    (path[0] === defaultSchema || path[0] === '' ? path.slice(1) : path).join('.')
  const [read, statements] = await Promise.all([catalogViews(reader, dialect), reader.ddl()])
  const context = { read, facts: readDdlFacts(statements, name, nameOf), nameOf, dialect: name }
  const [tables, namespaces, sequences, views, changeStreams] = await Promise.all([
    readTables(context),
    readNamespaces(context, defaultSchema),
    dialect.readSequences(context),
    readViews(context),
    readChangeStreams(context),
  ])
  return { tables, namespaces, sequences: byName(sequences), views, changeStreams }
}

async function readNamespaces({ read }: CatalogContext, defaultSchema: string): Promise<string[]> {
  const rows = await read({
    view: 'schemata',
    columns: { schema_name: 'text' },
    schemaColumn: 'schema_name',
  })
  return rows
    .map((row) => row.schema_name ?? '')
    .filter((name) => name !== '' && name !== defaultSchema)
    .sort()
}

async function readViews(context: CatalogContext): Promise<CatalogView[]> {
  const rows = await context.read({
    view: 'views',
    columns: { table_schema: 'text', table_name: 'text', view_definition: 'text', security_type: 'text' },
    optional: ['security_type'],
    schemaColumn: 'table_schema',
  })
  return byName(
    rows.map((row) => {
      const name = tableOf(context, row)
      const clauses = context.facts.views.get(name)
      return {
        name,
        query: row.view_definition ?? '',
        security: securityOf(row.security_type) ?? clauses?.security ?? 'invoker',
        position: clauses?.position ?? Number.MAX_SAFE_INTEGER,
      }
    }),
  )
}

function securityOf(type: string | null): CatalogView['security'] | undefined {
  if (type === 'INVOKER') return 'invoker'
  return type === 'DEFINER' ? 'definer' : undefined
}
