import { type Casing, type Column, type SQL, entityKind } from 'drizzle-orm'
import { CasingCache } from 'drizzle-orm/casing'
import type { BuiltQuery } from '../../drizzle-internals.js'
import type { RelationalNode } from '../../relational/plan.js'
import type { SelectedField } from '../../session/rows.js'
import { relationalSql } from './relational-sql.js'
import { render } from './render.js'
import { type SelectConfig, selectSql } from './select-sql.js'
import {
  type DeleteConfig,
  type InsertConfig,
  type UpdateConfig,
  deleteSql,
  insertSql,
  updateSql,
} from './write-sql.js'

export interface SpannerDialectConfig {
  /** How a column's name is made from its property, if it does not have a name of its own. */
  readonly casing?: Casing | undefined
}

/** GoogleSQL as Spanner has it: what builders hold becomes SQL, and SQL becomes text. */
export class SpannerDialect {
  static readonly [entityKind]: string = 'SpannerDialect'
  readonly casing: CasingCache
  /** The value of `casing`. */
  readonly namedBy: Casing | undefined

  constructor({ casing }: SpannerDialectConfig = {}) {
    this.casing = new CasingCache(casing)
    this.namedBy = casing
    if (casing !== undefined) this.columnName = (column) => this.casing.getColumnCasing(column)
  }

  /** A column's name in the database. */
  readonly columnName: (column: Column) => string = (column) => column.name

  toQuery(sql: SQL): BuiltQuery {
    return render(sql, this.columnName)
  }

  buildSelect(config: SelectConfig, fields: readonly SelectedField[]): SQL {
    return selectSql(config, fields, this.columnName)
  }

  buildRelational(root: RelationalNode): SQL {
    return relationalSql(root, this.columnName)
  }

  buildInsert(config: InsertConfig): SQL {
    return insertSql(config, this.columnName)
  }

  buildUpdate(config: UpdateConfig): SQL {
    return updateSql(config, this.columnName)
  }

  buildDelete(config: DeleteConfig): SQL {
    return deleteSql(config)
  }
}
