import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  cassandraJars,
  findJava,
  findMaven,
  jarsFolder,
  javaLocations,
  mavenEnvironment,
} from '../../src/local/java.js'
import { fakeProgram } from '../../../core/test/local/support/fake-program.js'

let folder: string

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'isotherm-java-')))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

function java(name: string, version: string): string {
  return fakeProgram(join(folder, name, 'bin/java'), `echo '${version}' >&2`)
}

it('javaLocations() lists locations of the environment first, and packaged Java last', () => {
  java('jvm/java-17', '')
  const locations = javaLocations(
    { JAVA_HOME: '/home/jdk', JAVA_HOME_17_X64: '/ci/jdk', PATH: '/a::/b:/a' },
    join(folder, 'jvm'),
  )
  expect(locations).toEqual([
    '/home/jdk/bin/java',
    '/ci/jdk/bin/java',
    '/a/java',
    '/b/java',
    join(folder, 'jvm/java-17/bin/java'),
  ])
  expect(javaLocations({}, '/nowhere')).toEqual([])
})

it('findJava() returns the first Java of version 17', async () => {
  java('new', 'openjdk version "21.0.4" 2024-07-16')
  java('old', 'java version "1.8.0_292"')
  const right = java('jvm/right', 'openjdk version "17.0.15" 2025-04-15')
  const environment = { JAVA_HOME: join(folder, 'new'), PATH: join(folder, 'old/bin') }
  expect(await findJava(environment, join(folder, 'jvm'))).toBe(right)
})

it('findJava() lists the Java versions that exist when Java 17 is missing', async () => {
  java('new', 'openjdk version "21.0.4" 2024-07-16')
  java('stub', 'no runtime present')
  const environment = { JAVA_HOME: join(folder, 'new'), PATH: join(folder, 'stub/bin') }
  await expect(findJava(environment, '/nowhere')).rejects.toThrow(
    `there is no Java 17 in JAVA_HOME, on the PATH or in /nowhere. There is ${folder}/new/bin/java (Java 21), ` +
      `${folder}/stub/bin/java (it does not say its version).`,
  )
  await expect(findJava({}, '/nowhere')).rejects.toThrow(/in \/nowhere\.$/)
})

it('findMaven() finds mvn in MAVEN_HOME or on the PATH, and mavenEnvironment() sets JAVA_HOME', () => {
  const maven = fakeProgram(join(folder, 'maven/bin/mvn'), '')
  expect(findMaven({ MAVEN_HOME: join(folder, 'maven') })).toBe(maven)
  expect(findMaven({ MAVEN_HOME: '/nowhere', PATH: `/nowhere:${join(folder, 'maven/bin')}` })).toBe(maven)
  expect(() => findMaven({})).toThrow('there is no mvn')
  expect(mavenEnvironment('/jdk/bin/java', { PATH: '/a' })).toEqual({ PATH: '/a', JAVA_HOME: '/jdk' })
})

it.each([2, 3])(
  'cassandraJars() fetches Cassandra on attempt %i of three with the same Maven arguments each time',
  async (success) => {
    const calls = join(folder, 'calls')
    const script = `echo "$@" >> ${calls}
    [ $(wc -l < ${calls}) = ${success} ] || { echo 'Connection reset' >&2; exit 1; }
    for word; do case $word in -DoutputDirectory=*) mkdir "\${word#*=}" ;; esac; done`
    fakeProgram(join(folder, 'maven/bin/mvn'), script)
    vi.stubEnv('MAVEN_HOME', join(folder, 'maven'))
    vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'))
    const lines: string[] = []
    const pauses: number[] = []
    const wait = (milliseconds: number): Promise<void> => Promise.resolve(void pauses.push(milliseconds))
    expect(await cassandraJars('/jdk/bin/java', (line) => lines.push(line), undefined, wait)).toBe(
      jarsFolder(),
    )
    expect(pauses).toEqual([2_000, 10_000].slice(0, success - 1))
    expect(lines.slice(1, -1)).toEqual(
      pauses.map((pause) =>
        expect.stringMatching(
          `^.*mvn could not fetch Cassandra: it ended with exit code 1\\.[^]*Connection reset[^]*Trying again in ${pause / 1_000} s …$`,
        ),
      ),
    )
    const words = readFileSync(calls, 'utf8').trim().split('\n')
    expect(words).toHaveLength(success)
    expect(new Set(words).size).toBe(1)
  },
)
