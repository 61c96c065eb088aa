import { IsothermError } from '../errors.js'

/**
 * Gives access to members of another library's objects that exist at run time but are missing in its types.
 *
 * The first object that the function gets must have the members: with another version of the library, without them, it
 * fails there. Later objects are not checked, so that a call costs nothing.
 *
 * @param what whose members they are: `Table of drizzle-orm`
 * @throws {IsothermError} `INVALID_CLIENT`, from the function
 * @example
 * const inside = internals<{ readonly options: ClientOptions }>('Client of cassandra-driver', ['options'])
 * inside(client).options
 */
export function internals<Members extends object>(
  what: string,
  names: readonly (keyof Members)[],
): (object: object) => Members {
  let isChecked = false
  const has = (object: object): object is Members => {
    isChecked ||= names.every((name) => name in object)
    return isChecked
  }
  return (object) => {
    if (has(object)) return object
    const missing = names.filter((name) => !(name in object)).map(String)
    throw new IsothermError('INVALID_CLIENT', `${what} has no member ${missing.join(', ')}.`, {
      fix: 'Install a version that Isotherm is tested with: see its peerDependencies.',
    })
  }
}
