import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { cacheFolder } from '@isotherm/core/local'

// PGlite makes a new database in three seconds of work, and unpacks one that was made in less than one. So the first one is kept in the
// user's cache: one for each version, since another version may not read it.

/** The digest before the packed files, by which a file that was damaged is known. */
const DIGEST = 32

function digestOf(packed: Buffer): Buffer {
  return createHash('sha256').update(packed).digest()
}

/** Undefined where the version of PGlite cannot be found out, as in a bundle. */
async function fileOfVersion(): Promise<string | undefined> {
  try {
    const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite')
    const manifest = await readFile(join(dirname(entry), '../package.json'), 'utf8')
    const { version } = JSON.parse(manifest) as { readonly version: string }
    return join(cacheFolder(), `pglite-${version}`)
  } catch {
    return undefined
  }
}

/** The files of a new database, packed; undefined where there are none yet, or damaged ones. */
export async function keptFirstState(): Promise<Blob | undefined> {
  const file = await fileOfVersion()
  if (file === undefined) return undefined
  try {
    const content = await readFile(file)
    const packed = content.subarray(DIGEST)
    return content.subarray(0, DIGEST).equals(digestOf(packed)) ? new Blob([packed]) : undefined
  } catch {
    return undefined
  }
}

/** Keeps the files of a database that is new. Where they cannot be written, the next start takes as long as this one did. */
export async function keepFirstState(client: PGlite): Promise<void> {
  const file = await fileOfVersion()
  if (file === undefined) return
  const unfinished = `${file}.${randomUUID()}`
  try {
    const packed = Buffer.from(await (await client.dumpDataDir('gzip')).arrayBuffer())
    await mkdir(dirname(file), { recursive: true })
    await writeFile(unfinished, Buffer.concat([digestOf(packed), packed]))
    await rename(unfinished, file)
  } catch {
    await rm(unfinished, { force: true }).catch(() => {})
  }
}
