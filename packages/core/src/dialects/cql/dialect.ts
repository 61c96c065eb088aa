import { cqlTargets, type CqlTarget } from './capabilities.js'
import type { Dialect } from '../dialect.js'
import { cqlDdl } from './ddl.js'
import { cqlDdlSyntax } from './ddl-syntax.js'
import { cqlLayout } from './layout.js'
import { refuseTable, refuseUnsupported } from './limits.js'
import { cqlStatements } from './statements.js'
import { cqlValues } from './values.js'

const dialects: Readonly<Record<CqlTarget, Dialect>> = {
  cassandra: dialectOf('cassandra'),
  keyspaces: dialectOf('keyspaces'),
}

/** The Cassandra Query Language, as far as a target has it. */
export function cqlDialect(target: CqlTarget): Dialect {
  return dialects[target]
}

function dialectOf(target: CqlTarget): Dialect {
  const has = cqlTargets[target]
  const ddlSyntax = cqlDdlSyntax(has)
  return Object.freeze<Dialect>({
    name: 'cql',
    // NULL stands in no key: this is for orders that are made here.
    nulls: 'lowest',
    nanIsValue: true,
    values: cqlValues,
    commit: { partition: true, rows: has.statementsPerBatch },
    cql: Object.freeze({ target, has, statements: cqlStatements(has), ddlSyntax }),
    layout(table, schema = { tables: [table] }) {
      refuseTable(table, schema, has)
      return cqlLayout(table, schema)
    },
    ddl(schema, layouts) {
      refuseUnsupported(schema, has)
      return cqlDdl(schema, layouts, ddlSyntax)
    },
    refuseUnsupported: (schema) => refuseUnsupported(schema, has),
  })
}
