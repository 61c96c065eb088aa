/** The two optional arguments of a column: `int64()`, `int64('id')`, `int64({ mode })`, `int64('id', { mode })`. */
export function nameAndConfig<Config extends object>(
  first: string | Config | undefined,
  second: Config | undefined,
): { readonly name: string; readonly config: Partial<Config> } {
  return typeof first === 'object' ? { name: '', config: first } : { name: first ?? '', config: second ?? {} }
}

/** The same for a column that cannot do without its options. */
export function nameAndOptions<Options extends object>(
  first: string | Options,
  second: Options | undefined,
): { readonly name: string; readonly options: Options } {
  return typeof first === 'object' ? { name: '', options: first } : { name: first, options: second! }
}

/** Options of Isotherm's without the column's name, which Drizzle has as the first argument. */
export type WithoutName<Options> = Options extends unknown ? Omit<Options, 'name'> : never
