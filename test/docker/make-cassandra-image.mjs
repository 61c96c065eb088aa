#!/usr/bin/env node
// Makes the image cassandra:5 from this machine's Java and the server that Isotherm's own starter fetches, for a Docker engine
// that cannot pull it. Like the official one it has one node, which listens at 9042 on all addresses and says so in its log. Of
// that one's environment it heeds what the JVM itself does, JDK_JAVA_OPTIONS; it has no shell.
//
//   make-cassandra-image.mjs [name of the image]
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const image = process.argv[2] ?? 'cassandra:5'
const local = new URL('../../packages/cassandra/dist/local/', import.meta.url)
const { cassandraJars, findJava } = await import(new URL('java.js', local))
const { cassandraYaml, evenTokens, javaArguments, logback } = await import(new URL('server-node.js', local))

/** Where things are in the container. */
const [JAVA, JARS, DATA] = ['/opt/java', '/opt/cassandra', '/var/lib/cassandra']

const java = realpathSync(await findJava())
const home = dirname(dirname(java))
const jars = await cassandraJars(java, (line) => console.error(line))
const root = await mkdtemp(join(tmpdir(), 'isotherm-image-'))
try {
  const within = (path) => join(root, path)
  await mkdir(within('tmp'), { recursive: true })
  await mkdir(within(join(DATA, 'tmp')), { recursive: true })
  // Links of Debian's packages lead out of the folder; what stands there is what is wanted.
  for (const part of ['bin', 'conf', 'lib']) {
    await cp(join(home, part), within(join(JAVA, part)), {
      recursive: true,
      dereference: true,
      filter: isWanted,
    })
  }
  await cp(jars, within(JARS), { recursive: true })
  const libraries = await nativeLibraries(within(JAVA))
  for (const library of libraries) await cp(library, within(library), { dereference: true })

  const location = {
    folder: DATA,
    address: '127.0.0.1',
    seeds: ['127.0.0.1'],
    token: evenTokens(1)[0],
    storagePort: 7000,
    nativePort: 9042,
  }
  const yaml = cassandraYaml(location).replace(
    'rpc_address: 127.0.0.1',
    'rpc_address: 0.0.0.0\nbroadcast_rpc_address: 127.0.0.1',
  )
  await writeFile(within(join(DATA, 'cassandra.yaml')), yaml)
  await writeFile(within(join(DATA, 'logback.xml')), logback.replace('level="WARN"', 'level="INFO"'))

  const command = JSON.stringify([join(JAVA, 'bin/java'), ...javaArguments(location, JARS)])
  await imported(root, ['WORKDIR /', 'EXPOSE 9042', `CMD ${command}`])
  console.error(`make-cassandra-image: ${image} from ${home} and ${jars}`)
} finally {
  await rm(root, { recursive: true, force: true })
}

/** What the JDK is compiled from and compiles with is of no use to a server. */
function isWanted(path) {
  return !/\/(src\.zip|ct\.sym)$/.test(path)
}

/** What the JVM's own libraries, and the natives of jars, ask the system for. */
async function nativeLibraries(folder) {
  const own = (await readdir(join(folder, 'lib'), { recursive: true })).filter((name) => name.endsWith('.so'))
  const found = new Set()
  for (const name of ['bin/java', ...own.map((each) => join('lib', each))]) {
    let lines
    try {
      lines = execFileSync('ldd', [join(folder, name)], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      })
    } catch {
      // Not a library that this machine could load: sound and windows, which a server does without.
      continue
    }
    for (const [path] of lines.matchAll(/\/\S+/g)) {
      if (!path.startsWith(folder) && !path.endsWith(':')) found.add(path)
    }
  }
  return found
}

async function imported(folder, changes) {
  const tar = spawn('tar', ['-C', folder, '-c', '.'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const changed = changes.flatMap((change) => ['--change', change])
  const docker = spawn('docker', ['import', ...changed, '-', image], {
    stdio: [tar.stdout, 'ignore', 'inherit'],
  })
  const [[packed], [made]] = await Promise.all([once(tar, 'exit'), once(docker, 'exit')])
  if (packed !== 0 || made !== 0) throw new Error(`docker import ended with ${made}, tar with ${packed}`)
}
