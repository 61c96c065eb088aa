import type { ColumnType } from '@isotherm/core'
import type { Column, ColumnDataType } from 'drizzle-orm'
import {
  type ColumnDeclaration,
  type OptionKinds,
  checkArgument,
  checkOptions,
  invalidOption,
  text,
  present,
} from '@isotherm/core/adapter'

// Both entries export these: the declarations of a user's package name them.

/** Drizzle's types of a column that is being declared. */
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

/**
 * The two optional arguments of a column: `int64()`, `int64('id')`, `int64({ mode })`, `int64('id', { mode })`.
 *
 * @param maker the function, for errors
 * @param kinds of its options; absent where Isotherm's own declaration checks them
 * @throws {IsothermError} `INVALID_OPTION`
 */
export function nameAndConfig<Config extends object>(
  maker: string,
  first: string | Config | undefined,
  second: Config | undefined,
  kinds?: OptionKinds<Config>,
): { readonly name: string; readonly config: Partial<Config> } {
  const { name, options } = nameAndOptions(maker, first, second, kinds)
  return { name, config: options === undefined ? {} : options }
}

/** The same for a column that cannot do without its options: what makes its declaration refuses one without. */
export function nameAndOptions<Options extends object>(
  maker: string,
  first: string | Options,
  second?: Options,
): { readonly name: string; readonly options: Options }
export function nameAndOptions<Options extends object>(
  maker: string,
  first: string | Options | undefined,
  second: Options | undefined,
  kinds?: OptionKinds<Options>,
): { readonly name: string; readonly options: Options | undefined }
export function nameAndOptions<Options extends object>(
  maker: string,
  first: string | Options | undefined,
  second: Options | undefined,
  kinds?: OptionKinds<Options>,
): { readonly name: string; readonly options: Options | undefined } {
  const isNamed = typeof first === 'string' || first === undefined
  if (!isNamed && second !== undefined) {
    throw invalidOption(maker, {
      message: 'the name does not come first.',
      fix: `Write ${maker}('name', { … }), or ${maker}({ … }).`,
    })
  }
  const options = isNamed ? second : first
  if (kinds) checkOptions(maker, kinds, options)
  else if (typeof options === 'object' && options !== null && Object.hasOwn(options, 'name')) {
    throw invalidOption(maker, {
      message: 'name is not an option.',
      fix: `Give the name first: ${maker}('name', { … }).`,
    })
  }
  return { name: isNamed ? (first ?? '') : '', options }
}

const NAME = text("'created_at'")

/** The name of a column that has no options. */
export function nameAlone(maker: string, name: string | undefined, ...others: readonly unknown[]): string {
  if (name !== undefined) checkArgument(maker, 'name', NAME, name)
  if (others.some((each) => each !== undefined)) {
    throw invalidOption(maker, { message: 'it does not take options.', fix: `Write ${maker}('name').` })
  }
  return name ?? ''
}

/** The type of a column: all builders of this package give one. */
export function typeOf({ type }: ColumnDeclaration, name: string): ColumnType {
  return present(type, `type of the column ${name}`)
}

/** The error of Isotherm's own declaration for its options. @param columnType `SpannerShardKey` */
export function refuseMistakes(columnType: string, name: string, { mistakes = [] }: ColumnDeclaration): void {
  const [first] = mistakes
  if (!first) return
  const maker = columnType.replace(/^Spanner(.)/, (_, letter: string) => letter.toLowerCase())
  throw invalidOption(name === '' ? maker : `${maker}('${name}')`, first)
}

/** Options of Isotherm's without the column's name, which Drizzle has as the first argument. */
export type WithoutName<Options> = Options extends unknown ? Omit<Options, 'name'> : never
