import {
  type Casing,
  Column,
  type Query,
  SQL,
  type SQLChunk,
  StringChunk,
  type Subquery,
  entityKind,
  is,
  sql,
} from 'drizzle-orm'
import {
  type PgDeleteConfig,
  PgDialect,
  type PgInsertConfig,
  type PgSelectConfig,
  type PgTable,
  type PgUpdateConfig,
  type SelectedFieldsOrdered,
} from 'drizzle-orm/pg-core'
import { type BuiltQuery, decoderOf, isSelectionField, pgSelectionSql } from '../../drizzle-internals.js'
import { checkExpressions, flatten } from '../../sql/fields.js'
import { FromSource, ScopedSql, type Source, sourceName, withoutTables } from '../../sql/sources.js'
import type { SelectedField } from '../../session/rows.js'
import { WithSubqueries, checkedCondition, rowBound } from '../../sql/condition.js'
import { IsothermError } from '@isotherm/core'
import type { CasingCache } from 'drizzle-orm/casing'
import { refuseUnknown, withoutInherited } from '../../sql/checked-rows.js'
import { OwnValues, insertSql } from './insert-sql.js'
import { render } from '../render/render.js'
import { ReturnedFields } from './returned-fields.js'
import { UpdateSet } from './on-conflict.js'

interface Bounds {
  readonly limit?: PgSelectConfig['limit']
  readonly offset?: PgSelectConfig['offset']
}

// Spanner skips rows only where it stops after some.
const NO_LIMIT = sql.raw('9223372036854775807') as unknown as NonNullable<PgSelectConfig['limit']>

/** A select that Drizzle's dialect writes as Spanner takes it. */
function spannerSelect(config: PgSelectConfig): PgSelectConfig {
  return {
    ...bounded(config),
    fieldsFlat: withTableNames(config.fieldsFlat ?? flatten(config.fields)),
    setOperators: config.setOperators.map(bounded),
  }
}

function bounded<T extends Bounds>(part: T): T {
  rowBound('limit', part.limit)
  rowBound('offset', part.offset)
  return part.limit === undefined && part.offset ? { ...part, limit: NO_LIMIT } : part
}

/**
 * If only one table is read, Drizzle leaves out its name before the columns of an expression: a query within the expression
 * would then read its own table's columns.
 */
function withTableNames(fields: readonly SelectedField[]): SelectedFieldsOrdered {
  return fields.map(({ path, field }) => ({
    path: [...path],
    field: named(field) as SelectedFieldsOrdered[number]['field'],
  }))
}

function named(field: SQLChunk): SQLChunk {
  if (is(field, SQL.Aliased)) {
    return isSelectionField(field) ? field : new SQL.Aliased(within(field.sql), field.fieldAlias)
  }
  return is(field, SQL) ? within(field) : field
}

function within(expression: SQL): SQL {
  return expression.queryChunks.some((chunk) => is(chunk, Column))
    ? new SQL([expression]).mapWith(decoderOf(expression))
    : expression
}

type TypedQuery = ReturnType<PgDialect['sqlToQuery']>

/** PostgreSQL as Spanner has it: what Drizzle's builders hold becomes SQL that Spanner accepts, or is refused by name. */
export class SpannerPgDialect extends PgDialect {
  static override readonly [entityKind]: string = 'SpannerPgDialect'
  declare readonly casing: CasingCache
  /** The value of `casing`. */
  readonly namedBy: Casing | undefined
  readonly #returnedFields: ReturnedFields
  readonly #built = new WeakMap<Query, BuiltQuery>()
  readonly #ownValues = new WeakMap<Query, OwnValues>()

  constructor({ casing }: { readonly casing?: Casing | undefined } = {}) {
    super(casing === undefined ? {} : { casing })
    this.namedBy = casing
    this.#returnedFields = new ReturnedFields(casing)
    if (casing !== undefined) this.columnName = (column) => this.casing.getColumnCasing(column)
  }

  /** A column's name in the database. */
  readonly columnName: (column: Column) => string = (column) => column.name

  toQuery(sql: SQL): BuiltQuery {
    return render(sql, this.columnName)
  }

  override sqlToQuery(sql: SQL, invokeSource?: 'indexes'): TypedQuery {
    if (invokeSource) return super.sqlToQuery(sql, invokeSource)
    const built = this.toQuery(sql)
    const query = { sql: built.sql, params: [...built.params] }
    this.#built.set(query, built)
    if (sql instanceof OwnValues) this.#ownValues.set(query, sql)
    return query
  }

  /** The metadata of a query of this dialect, and of its parameters. */
  builtOf(query: Query): BuiltQuery {
    return this.#built.get(query) ?? { ...query, types: [], sources: [] }
  }

  /** Makes the values of a query of this dialect for each execution; undefined if they do not depend on the execution. */
  ownValuesOf(query: Query): OwnValues | undefined {
    return this.#ownValues.get(query)
  }

  override buildSelectQuery(config: PgSelectConfig): SQL {
    refuseInSelect(config)
    checkedCondition('where', config.where)
    checkedCondition('having', config.having)
    for (const { on } of config.joins ?? []) checkedCondition('on', on)
    checkExpressions('groupBy', config.groupBy)
    for (const { orderBy } of [config, ...config.setOperators]) checkExpressions('orderBy', orderBy)
    const { withList, setOperators, ...body } = spannerSelect(config)
    const { queryChunks } = super.buildSelectQuery({ ...body, setOperators: [] })
    const sources = [config.table, ...(config.joins ?? []).map(({ table }) => table)]
    const select = new ScopedSql(withSources(queryChunks, config), sources as Source[])
    const operators = setOperators.map((each) => this.#orderedByName(each))
    const query = operators.length > 0 ? this.buildSetOperations(select, operators) : select
    return withSubqueries(withList, query, false)
  }

  /** Drizzle orders a set operation by the names that its columns have without a casing. */
  #orderedByName<Operator extends PgSelectConfig['setOperators'][number]>(operator: Operator): Operator {
    const orderBy = operator.orderBy?.map((each) => new SQL([withoutTables(each, this.columnName)]))
    return orderBy ? { ...operator, orderBy } : operator
  }

  override buildInsertQuery(config: PgInsertConfig): SQL {
    const words = {
      columnName: this.columnName,
      casing: this.namedBy,
      textOf: (sql: SQL) => this.toQuery(sql).sql,
    }
    // A query that gives the rows does not see the table that they are written to.
    return this.#written(this.#fresh(config), (after) =>
      appended(insertSql(config, words), after && new ScopedSql([after], [config.table])),
    )
  }

  override buildUpdateSet(table: PgTable, set: Parameters<PgDialect['buildUpdateSet']>[1]): UpdateSet {
    refuseUnknown(table, set)
    const values = withoutInherited(table, set) as typeof set
    return new UpdateSet(super.buildUpdateSet(table, values), table, values)
  }

  override buildUpdateQuery(config: PgUpdateConfig): SQL {
    if (config.from || config.joins.length > 0) {
      throw new IsothermError('UNSUPPORTED_FEATURE', 'Spanner has no UPDATE … FROM.', {
        fix: 'Set values by a subquery: set({ total: sql`(select … where …)` }), with inArray(…) or exists(…) in where.',
      })
    }
    checkedCondition('where', config.where)
    const { withList: _, returning: __, ...body } = config
    const build = (): SQL => super.buildUpdateQuery(body)
    const written = build()
    const isMade = written.queryChunks.some(
      (chunk) => chunk instanceof UpdateSet && [...chunk.values.values()].includes(undefined),
    )
    return this.#written(this.#fresh(config), (after) =>
      withTarget(appended(isMade ? new OwnValues(build) : written, after), config.table),
    )
  }

  override buildDeleteQuery(config: PgDeleteConfig): SQL {
    checkedCondition('where', config.where)
    const { withList: _, returning: __, ...body } = config
    return this.#written(config, (after) =>
      withTarget(appended(super.buildDeleteQuery(body), after), config.table),
    )
  }

  /** Makes `returning` return the rows as they are after the write. */
  #fresh<Config extends PgInsertConfig | PgUpdateConfig>(config: Config): Config {
    const { table, returning } = config
    return returning ? { ...config, returning: this.#returnedFields.of(table, returning) } : config
  }

  /** A write with what comes after it, and with the subqueries that it reads. */
  #written(
    { returning, withList }: { readonly returning?: SelectedFieldsOrdered; readonly withList?: Subquery[] },
    make: (after: SQL | undefined) => SQL,
  ): SQL {
    const after =
      returning && new SQL([new StringChunk(' returning '), pgSelectionSql(this, withTableNames(returning))])
    const written = make(after)
    if (!withList?.length) return written
    if (!(written instanceof OwnValues)) return withSubqueries(withList, written, true)
    return written.within((sql) => withSubqueries(withList, sql, true))
  }

  /** @throws {IsothermError} `UNSUPPORTED_FEATURE` always. */
  override buildRefreshMaterializedViewQuery(): never {
    throw new IsothermError('UNSUPPORTED_FEATURE', 'Spanner has no materialized views.', {
      fix: 'Use a view, or a table that is written beside the first.',
    })
  }

  /** @throws {IsothermError} `UNSUPPORTED_FEATURE` always. */
  override migrate(): never {
    throw new IsothermError('UNSUPPORTED_FEATURE', "Drizzle's migrations are for PostgreSQL itself.", {
      fix: 'Use the isotherm command: isotherm generate and isotherm migrate.',
    })
  }
}

/** The sources of a select as the renderer names them, in place of what Drizzle has written. */
function withSources(chunks: readonly SQLChunk[], { table, joins = [] }: PgSelectConfig): SQLChunk[] {
  const from = chunks.findIndex((chunk) => is(chunk, StringChunk) && chunk.value.join('') === ' from ')
  const [, , , , ...rest] = chunks.slice(from)
  return [
    ...chunks.slice(0, from + 1),
    new FromSource(table as Source),
    ...joins.map(({ joinType, table: joined, on }) =>
      on === undefined
        ? sql` ${sql.raw(joinType)} join ${new FromSource(joined as Source)}`
        : sql` ${sql.raw(joinType)} join ${new FromSource(joined as Source)} on ${on}`,
    ),
    ...rest,
  ]
}

function appended(sql: SQL, after: SQL | undefined): SQL {
  if (!after) return sql
  const around = (written: SQL): SQL => new SQL([written, after])
  return sql instanceof OwnValues ? sql.within(around) : around(sql)
}

function withTarget(written: SQL, table: PgTable): SQL {
  const scoped = (sql: SQL): SQL => new ScopedSql([sql], [table])
  return written instanceof OwnValues ? written.within(scoped) : scoped(written)
}

function withSubqueries(subqueries: readonly Subquery[] | undefined, body: SQL, isDml: boolean): SQL {
  return subqueries?.length ? new WithSubqueries(subqueries, body, isDml) : body
}

function refuseInSelect({ distinct, table, joins, lockingClause }: PgSelectConfig): void {
  const name = sourceName(table as Source)
  // Drizzle looks at the joins alone: the fields of the first would be gone.
  if (name !== undefined && joins?.some((join) => sourceName(join.table as Source) === name)) {
    throw new IsothermError('INVALID_QUERY', `The query has a table called ${name} already.`, {
      fix: `Give one of them another name: alias(table, '${name}2').`,
    })
  }
  if (typeof distinct === 'object') {
    throw new IsothermError('UNSUPPORTED_FEATURE', 'Spanner has no DISTINCT ON.', {
      fix: 'Group by the columns, and select sql`spanner.any_value(…)`, min(…) or max(…) of the others.',
    })
  }
  if (joins?.some(({ lateral }) => lateral)) {
    throw new IsothermError('UNSUPPORTED_FEATURE', 'Spanner has no LATERAL joins.', {
      fix: 'Join the table itself, or read the rows that belong to others with db.query and with.',
    })
  }
  const { strength, config } = lockingClause ?? { strength: 'update', config: {} }
  if (strength !== 'update' || Object.keys(config).length > 0) {
    throw new IsothermError(
      'UNSUPPORTED_FEATURE',
      "Spanner has no lock of rows but 'update', and no options for it.",
      { fix: "Use for('update')." },
    )
  }
}
