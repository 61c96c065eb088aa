import { CommandError, type ServeOptions, type ServedDatabase } from '@isotherm/core/command'
import { servePglite } from '../local/serve-pglite.js'
import { type PostgresqlAddress, FOLDER } from './address.js'

/** A PGlite for other processes, with the data of a folder. */
export async function serve({ address, port }: ServeOptions<PostgresqlAddress>): Promise<ServedDatabase> {
  const { folder } = address ?? { folder: FOLDER }
  if (folder === undefined) {
    throw new CommandError(
      'USAGE',
      'The database is on a server, and the emulator needs a folder for its data.',
      {
        fix: `Name the folder: isotherm emulator --database pglite:${FOLDER}. If ISOTHERM_DATABASE names a former emulator, unset it.`,
      },
    )
  }
  const { description, url, failure, stop } = await servePglite({
    folder,
    ...(port !== undefined && { port }),
  })
  return { description, name: url, failure, [Symbol.asyncDispose]: stop }
}
