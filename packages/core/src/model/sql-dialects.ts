/**
 * The dialects whose SQL a schema may hold, by their names. The package of an engine adds its own:
 *
 * @example
 * declare module '@isotherm/core' {
 *   interface SqlDialects {
 *     googlesql: string
 *   }
 * }
 */
export interface SqlDialects {}

/** The name of a dialect whose SQL a schema may hold. Without the package of an engine: any. */
export type SqlDialectName = [keyof SqlDialects] extends [never] ? string : keyof SqlDialects
