import { execFile } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sharedCassandra } from '../../support/cassandra.js'
import { atEndOfFile } from '../../support/end-of-file.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))

export interface Ended {
  readonly code: number
  /** Both streams. */
  readonly text: string
}

/** Variables that would tell a command of these tests, rather than of its user. */
const OURS =
  /^(?:CI|VITEST.*|TEST|NODE_ENV|NODE_OPTIONS|NO_COLOR|FORCE_COLOR|DEBUG|ISOTHERM_\w*|SPANNER_EMULATOR_HOST)$/

/** The packages as they are built. */
let built: Promise<void> | undefined

/** A folder outside the repository with the packages in it, and a keyspace of its own. */
export class CqlProject {
  readonly folder: string
  readonly url: string
  readonly keyspace: string
  readonly #environment: Record<string, string>

  static async create(ddl: readonly string[] = []): Promise<CqlProject> {
    built ??= build()
    await built
    const cassandra = await sharedCassandra()
    const keyspace = await cassandra.keyspace({ ddl: [...ddl] })
    const folder = mkdtempSync(join(tmpdir(), 'isotherm-cql-'))
    atEndOfFile(() => rmSync(folder, { recursive: true, force: true }))
    for (const [name, path] of Object.entries(PACKAGES)) {
      mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true })
      symlinkSync(join(root, path), join(folder, 'node_modules', name))
    }
    const hosts = cassandra.contactPoints.join(',')
    const url = `cassandra://${hosts}/${keyspace}?dc=${cassandra.localDataCenter}`
    return new CqlProject(folder, keyspace, url)
  }

  private constructor(folder: string, keyspace: string, url: string) {
    this.folder = folder
    this.keyspace = keyspace
    this.url = url
    const inherited = Object.entries(process.env).filter(([name]) => !OURS.test(name))
    this.#environment = Object.fromEntries(inherited) as Record<string, string>
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true })
    writeFileSync(join(this.folder, path), text)
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8')
  }

  list(path: string): string[] {
    return readdirSync(join(this.folder, path)).toSorted()
  }

  /** `isotherm …`, until its end. */
  run(...args: readonly string[]): Promise<Ended> {
    const bin = join(root, 'packages/cli/bin/isotherm.js')
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        [bin, ...args],
        { cwd: this.folder, env: this.#environment },
        (error, stdout, stderr) => {
          const code = typeof error?.code === 'number' ? error.code : 0
          resolve({ code, text: this.#plain(`${stdout}${stderr}`) })
        },
      )
    })
  }

  /** What does not differ from run to run. */
  #plain(text: string): string {
    return text
      .trimEnd()
      .replaceAll(this.url, '<url>')
      .replaceAll(this.keyspace, '<keyspace>')
      .replace(/ at (?:[\d.]+:\d+(?:, )?)+/g, ' at <nodes>')
      .replace(/\b\d{14}_/g, '<stamp>_')
      .replace(/\b\d+ (?:ms|s)\b/g, '<duration>')
  }
}

const PACKAGES = {
  '@isotherm/core': 'packages/core',
  '@isotherm/cli': 'packages/cli',
  '@isotherm/cassandra': 'packages/cassandra',
  '@isotherm/migrations': 'packages/migrations',
  'cassandra-driver': 'packages/cassandra/node_modules/cassandra-driver',
}

function build(): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(join(root, 'node_modules/.bin/tsc'), ['-b', 'packages/cli'], { cwd: root }, (error, stdout) => {
      if (error) reject(new Error(`The packages cannot be built:\n${stdout}`))
      else resolve()
    })
  })
}
