import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheFolder } from '../cache-folder.js'
import { withTail } from '../process-tail.js'
import { WayRefused } from '../resolve.js'
import { spawnTied } from '../tied-process.js'
import { tiedFolder } from '../tied-folder.js'
import { withinTime } from '../time-limit.js'
import { findMaven, mavenEnvironment } from './java-tools.js'
import { cassandraVersion, pom } from './server-files.js'

/** For 80 MB over a slow line. */
const fetchLimitMs = 900_000

const copyGoal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies'

/** Where the jars of this version are kept: a change of what Maven is asked for makes another folder. */
export function jarsFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const digest = createHash('sha256').update(pom).digest('hex').slice(0, 8)
  return join(cacheFolder(environment), `cassandra-${cassandraVersion}-${digest}`)
}

/**
 * The folder with Cassandra's jars, which Maven fetches from Central the first time. They come there by one rename, so
 * that what is there is whole, also where several processes fetch at once; nothing is kept of Maven's own repository.
 *
 * @throws WayRefused where there is no Maven, or with what it said.
 */
export async function cassandraJars(
  java: string,
  onProgress: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<string> {
  const jars = jarsFolder()
  if (existsSync(jars)) return jars
  const maven = findMaven()
  const cache = cacheFolder()
  await mkdir(cache, { recursive: true }).catch((error: unknown) => {
    throw new WayRefused(`${cache} can't be made, to keep Cassandra in.`, { cause: error })
  })
  onProgress(`Fetching Cassandra ${cassandraVersion} from Maven Central into ${jars}, once (80 MB) …`)
  const began = Date.now()
  const staging = await tiedFolder('.fetching-', cache)
  try {
    await writeFile(join(staging.path, 'pom.xml'), pom)
    await runMaven(maven, staging.path, mavenEnvironment(java), signal)
    await rename(join(staging.path, 'jars'), jars).catch((error: unknown) => {
      // Somebody else was faster, with the same.
      if (!existsSync(jars)) throw error
    })
    onProgress(`Cassandra ${cassandraVersion} is here after ${Math.ceil((Date.now() - began) / 1000)} s.`)
    return jars
  } finally {
    await staging.remove()
  }
}

async function runMaven(
  maven: string,
  folder: string,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal | undefined,
): Promise<void> {
  const child = spawnTied(
    maven,
    [
      '--batch-mode',
      '--quiet',
      '--strict-checksums',
      '--file',
      join(folder, 'pom.xml'),
      `-Dmaven.repo.local=${join(folder, 'repository')}`,
      `-DoutputDirectory=${join(folder, 'jars')}`,
      copyGoal,
    ],
    environment,
  )
  try {
    const end = await withTail(
      child,
      withinTime(fetchLimitMs, 'Maven did not fetch Cassandra', child.ended, signal),
    )
    if (end !== 'it ended with exit code 0.') {
      await withTail(child, Promise.reject(new WayRefused(`${maven} could not fetch Cassandra: ${end}`)))
    }
  } finally {
    await child.kill()
  }
}
