/** An optional peer dependency that is not installed. */
export class PeerMissing extends Error {
  override readonly name = 'PeerMissing'
}

/**
 * Imports an optional peer dependency: `load` holds the `import()` itself, so that bundlers and the type checker see
 * its literal name.
 *
 * @throws PeerMissing where the package is not installed; whatever importing it throws, else.
 */
export async function importPeer<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if (!isMissing(error, name)) throw error
    throw new PeerMissing(`The package ${name} is not installed.`, { cause: error })
  }
}

/** A package that is there while one of its own dependencies is missing must not be reported as missing itself. */
function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  const missing = error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND'
  return missing && (error.message.includes(`'${name}'`) || error.message.includes(`"${name}"`))
}
