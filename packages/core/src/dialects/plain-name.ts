import { IsothermError } from '../errors.js'

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?$/

/**
 * A name that may stand in a hint, where quoting protects less: letters, digits and underscores, as the databases ask of
 * every name. A schema that was put together by hand may hold anything.
 *
 * @throws {IsothermError} `SCHEMA_INVALID`
 */
export function plainName(name: string): string {
  if (PLAIN.test(name)) return name
  throw new IsothermError('SCHEMA_INVALID', `${JSON.stringify(name.slice(0, 140))} is no name of an index.`, {
    fix: 'A name has letters, digits and underscores.',
  })
}
