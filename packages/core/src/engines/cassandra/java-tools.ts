import { execFile } from 'node:child_process'
import { readdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { isProgram, onPath } from '../programs.js'
import { WayRefused } from '../resolve.js'

const run = promisify(execFile)

/** Cassandra 5 runs on 11 and 17; newer ones lack the security manager that it sets. */
const major = 17

/** Where Linux packages put their Javas. */
const packagedJavas = '/usr/lib/jvm'

const askLimitMs = 20_000

/** Where `java` may be, in order, without repetitions. */
export function javaPlaces(environment: NodeJS.ProcessEnv, packaged = packagedJavas): string[] {
  const homes = ['JAVA_HOME', `JAVA_HOME_${major}_X64`, `JAVA_HOME_${major}_ARM64`]
  const set = homes.map((name) => environment[name] ?? '').filter((home) => home !== '')
  return [
    ...new Set([
      ...set.map((home) => join(home, 'bin', 'java')),
      ...onPath('java', environment),
      ...entriesOf(packaged).map((name) => join(packaged, name, 'bin', 'java')),
    ]),
  ]
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted()
  } catch {
    return []
  }
}

/**
 * The first `java` of a version that Cassandra runs on.
 *
 * @throws WayRefused naming what was found instead.
 */
export async function findJava(
  environment: NodeJS.ProcessEnv = process.env,
  packaged = packagedJavas,
): Promise<string> {
  const others: string[] = []
  const seen = new Set<string>()
  for (const place of javaPlaces(environment, packaged).filter(isProgram)) {
    const java = realpathSync(place)
    if (seen.has(java)) continue
    seen.add(java)
    const version = await versionOf(java)
    if (version === major) return java
    others.push(`${place} (${version === undefined ? 'it does not say its version' : `Java ${version}`})`)
  }
  const instead = others.length === 0 ? '' : ` There is ${others.join(', ')}.`
  throw new WayRefused(`there is no Java ${major} in JAVA_HOME, on the PATH or in ${packaged}.${instead}`)
}

async function versionOf(java: string): Promise<number | undefined> {
  try {
    const { stderr, stdout } = await run(java, ['-version'], { timeout: askLimitMs })
    const version = /version "(?:1\.)?(\d+)/.exec(`${stderr}${stdout}`)?.[1]
    return version === undefined ? undefined : Number(version)
  } catch {
    return undefined
  }
}

/**
 * `mvn`, in MAVEN_HOME or on the PATH.
 *
 * @throws WayRefused if there is none.
 */
export function findMaven(environment: NodeJS.ProcessEnv = process.env): string {
  const home = environment['MAVEN_HOME'] ?? ''
  const places = [...(home === '' ? [] : [join(home, 'bin', 'mvn')]), ...onPath('mvn', environment)]
  const maven = places.find(isProgram)
  if (maven !== undefined) return maven
  throw new WayRefused('there is no mvn in MAVEN_HOME or on the PATH, to fetch Cassandra with.')
}

/** The environment in which Maven runs on this very Java, whichever the PATH names. */
export function mavenEnvironment(
  java: string,
  environment: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  return { ...environment, JAVA_HOME: dirname(dirname(java)) }
}
