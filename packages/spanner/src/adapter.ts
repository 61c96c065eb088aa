// The entry `@isotherm/spanner/adapter`: for packages that bring Isotherm to another query builder, or write models.
export { googleSqlColumnType } from './googlesql/tools/introspect-types.js'
export { bytesLiteral, googleSqlLiteral, quoteText, signed } from './googlesql/literal.js'
export { spannerPostgreSqlLiteral } from './postgresql/literal.js'
export { literalValue } from './introspection/literals.js'
