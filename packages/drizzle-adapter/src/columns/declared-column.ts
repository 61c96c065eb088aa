import type { Column, ColumnDataType } from 'drizzle-orm'

// Both entries export these: the declarations of a user's package name them.

/** What Drizzle's types say of a column that is being declared. */
export interface DeclaredColumn<
  Name extends string,
  DataType extends ColumnDataType,
  ColumnType extends string,
  Data,
> {
  name: Name
  dataType: DataType
  columnType: ColumnType
  data: Data
  driverParam: string
  enumValues: undefined
}

/** The same of a column that is declared as another one is. */
export interface DeclaredAs<Other extends Column> {
  name: Other['_']['name']
  dataType: Other['_']['dataType']
  columnType: Other['_']['columnType']
  data: Other['_']['data']
  driverParam: Other['_']['driverParam']
  enumValues: Other['_']['enumValues']
}
