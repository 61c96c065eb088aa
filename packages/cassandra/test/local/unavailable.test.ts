import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { jarsFolder } from '../../src/local/java.js'
import { startCassandra } from '@isotherm/cassandra/local'
import { scriptFolder } from '../../../core/test/local/support/child-script.js'
import { fakeProgram } from '../../../core/test/local/support/fake-program.js'
import { isAlive } from '../../../core/test/local/support/processes.js'
import { until } from '../../../core/test/local/support/until.js'

const version = 'if [ "$1" = -version ]; then echo \'openjdk version "17.0.1"\' >&2; exit; fi'
let folder: string
let lines: string[]
const onProgress = (line: string): unknown => lines.push(line)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isotherm-launchers-'))
  lines = []
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'))
  vi.stubEnv('TMPDIR', folder)
  vi.stubEnv('JAVA_HOME', join(folder, 'jdk'))
  vi.stubEnv('MAVEN_HOME', join(folder, 'maven'))
  vi.stubEnv('CASSANDRA_CONTACT_POINTS', '')
  vi.stubEnv('DOCKER_HOST', 'unix:///nowhere/docker.sock')
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

function fakeJava(script: string): string {
  return fakeProgram(join(folder, 'jdk/bin/java'), `${version}\n${script}`)
}

function fakeMaven(script: string): string {
  return fakeProgram(join(folder, 'maven/bin/mvn'), script)
}

/** Creates the folder of jars, as a first start does. */
function fakeJars(): void {
  mkdirSync(jarsFolder(), { recursive: true })
}

/** The folders that clusters of this test left behind: there should be none. */
function clusterFolders(): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('isotherm-cassandra-'))
}

it('startCassandra() lists all three launchers with the error of each launcher', async () => {
  fakeJava('')
  vi.stubEnv('PATH', '')
  await expect(startCassandra({ nodes: 3 })).rejects.toMatchObject({
    name: 'IsothermError',
    code: 'ENGINE_UNAVAILABLE',
    message: [
      'No Cassandra is available:',
      '  - given: no contact points are given, and CASSANDRA_CONTACT_POINTS is not set.',
      '  - java: there is no mvn in MAVEN_HOME or on the PATH, to fetch Cassandra with.',
      '  - docker: three nodes are started by Java only.',
      'To fix it: Set CASSANDRA_CONTACT_POINTS to a running cluster, or install Java 17 and Maven, or run Docker and ' +
        'install the package testcontainers.',
    ].join('\n'),
  })
})

it('startCassandra() throws ENGINE_UNAVAILABLE when Docker does not run', async () => {
  vi.stubEnv('HOME', '/nowhere')
  await expect(startCassandra({ launchers: ['docker'] })).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
    message: expect.stringMatching(/docker: .*container runtime/),
  })
})

it('startCassandra() tries no other launcher when given contact points do not answer', async () => {
  const start = startCassandra({ contactPoints: ['127.0.0.1:1'], timeoutMs: 5_000 })
  await expect(start).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
    message: expect.stringContaining(
      '  - given: 127.0.0.1:1 is not ready: no node could be asked: 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1\n' +
        '  - java: not tried, because of the error above.\n',
    ),
  })
})

it('startCassandra() names the npm packages that are not installed', async () => {
  const scripts = await scriptFolder('cassandra', folder)
  const source = `
    import { mkdirSync, writeFileSync } from 'node:fs'
    import { startCassandra } from './engines.mjs'
    const said = () => startCassandra({ launchers: ['docker'] }).catch(({ code, message }) => ({ code, message }))
    const first = await said()
    const driver = new URL('./node_modules/cassandra-driver/', import.meta.url)
    mkdirSync(driver, { recursive: true })
    writeFileSync(new URL('index.js', driver), '')
    console.log(JSON.stringify([first, await said()]))
  `
  // The workspace's own commands set NODE_PATH to a folder with all installed packages.
  const script = scripts.run(source, { ...process.env, NODE_PATH: '' })
  expect(await script.firstLine).toEqual([
    {
      code: 'ENGINE_UNAVAILABLE',
      message: 'Cassandra needs the package cassandra-driver. Install it: npm install cassandra-driver.',
    },
    {
      code: 'ENGINE_UNAVAILABLE',
      message: expect.stringContaining('  - docker: The package testcontainers is not installed.\n'),
    },
  ])
  await script.ended
  await scripts.remove()
})

it('startCassandra() reports the output of Maven after failed downloads, and leaves no files behind', async () => {
  fakeJava('')
  const maven = fakeMaven('echo "$JAVA_HOME has no internet"; exit 1')
  const start = startCassandra({ launchers: ['java'], onProgress })
  await expect(start).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
    message: expect.stringContaining(
      `java: ${maven} could not fetch Cassandra: it ended with exit code 1. Its output ends:\n` +
        `      ${join(folder, 'jdk')} has no internet\n`,
    ),
  })
  expect(lines).toEqual([
    `Fetching Cassandra 5.0.8 from Maven Central into ${jarsFolder()}, once (80 MB) …`,
    expect.stringMatching(/has no internet\n[^]*Trying again in 2 s …$/),
    expect.stringMatching(/has no internet\n[^]*Trying again in 10 s …$/),
  ])
  expect(readdirSync(join(folder, 'cache/isotherm'))).toEqual([])
})

it('startCassandra() uses a finished download in the cache folder again', async () => {
  fakeJava('exit 3')
  const count = join(folder, 'count')
  fakeMaven(`
    echo fetched >>${count}
    for argument; do case $argument in -DoutputDirectory=*) mkdir "\${argument#*=}"; touch "\${argument#*=}/a.jar";; esac; done
  `)
  const start = (): Promise<unknown> => startCassandra({ launchers: ['java'], onProgress })
  const ended = expect.objectContaining({ message: expect.stringContaining('it ended with exit code 3.') })
  const rejected = { status: 'rejected', reason: ended }
  expect(await Promise.allSettled([start(), start()])).toEqual([rejected, rejected])
  expect(await Promise.allSettled([start()])).toEqual([rejected])
  expect(readFileSync(count, 'utf8')).toBe('fetched\nfetched\n')
  expect(readdirSync(join(folder, 'cache/isotherm'))).toEqual([jarsFolder().split('/').pop()])
  expect(readdirSync(jarsFolder())).toEqual(['a.jar'])
  expect(lines.filter((line) => line.startsWith('Cassandra 5.0.8 is installed after'))).toHaveLength(2)
})

it('startCassandra() reports the exit code and the output of a node that ended', async () => {
  fakeJars()
  fakeJava('echo "a port is taken" >&2; exit 3')
  await expect(startCassandra({ nodes: 3, launchers: ['java'] })).rejects.toThrow(
    /java: 127\.0\.0\.\d:\d+: it ended with exit code 3\. Its output ends:\n {6}a port is taken\n/,
  )
  expect(clusterFolders()).toEqual([])
})

it('startCassandra() ends nodes that do not answer within timeoutMs', async () => {
  fakeJars()
  fakeJava(`echo $$ >>${folder}/pids; exec tail -f /dev/null`)
  await expect(startCassandra({ nodes: 3, launchers: ['java'], timeoutMs: 800 })).rejects.toThrow(
    /no answer to CQL from 127\.0\.0\.\d:\d+ \(within 0\.8 s\)\. The last attempt said: .*ECONNREFUSED/,
  )
  const pids = readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n').map(Number)
  expect(pids).toHaveLength(3)
  expect(pids.some(isAlive)).toBe(false)
  expect(clusterFolders()).toEqual([])
})

it('startCassandra() throws CANCELLED and ends its nodes when the signal is aborted', async () => {
  fakeJars()
  fakeJava(`echo $$ >${folder}/pid; exec tail -f /dev/null`)
  const calledOff = new AbortController()
  const start = startCassandra({ launchers: ['java'], signal: calledOff.signal })
  const outcome = start.catch((error: unknown) => error)
  await until('the node runs', () => existsSync(join(folder, 'pid')))
  calledOff.abort('enough')
  expect(await outcome).toMatchObject({ code: 'CANCELLED', cause: 'enough' })
  expect(isAlive(Number(readFileSync(join(folder, 'pid'), 'utf8')))).toBe(false)
  expect(clusterFolders()).toEqual([])
  await expect(startCassandra({ signal: calledOff.signal })).rejects.toMatchObject({ code: 'CANCELLED' })
})

it.each([0, 2, 4])('startCassandra() rejects %s nodes with INVALID_OPTION', async (nodes) => {
  await expect(startCassandra({ nodes: nodes as 1 })).rejects.toMatchObject({ code: 'INVALID_OPTION' })
})
