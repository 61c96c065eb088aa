import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { sources } from './sources.js'

const packages = fileURLToPath(new URL('../../packages/', import.meta.url))

export interface Script {
  /** Runs the script in a separate process and returns its output as JSON. A signal kills it. */
  run(task: unknown, environment: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<unknown>
  remove(): void
}

/** A script on the present sources, not on the last build. */
export async function script(file: URL): Promise<Script> {
  // Inside the package, so that it finds the dependencies of core; the vendors' clients are in a folder above.
  const parent = join(packages, 'core/node_modules/.isotherm-tests')
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'script-'))
  const outfile = join(folder, 'script.mjs')
  await build({
    entryPoints: [fileURLToPath(file)],
    outfile,
    bundle: true,
    alias: Object.fromEntries(sources),
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  })
  return {
    async run(task, environment, signal) {
      const running = promisify(execFile)(process.execPath, [outfile, JSON.stringify(task)], {
        env: { ...process.env, ...environment },
        maxBuffer: 2 ** 26,
        timeout: 180_000,
      })
      // The option of Node.js sends a signal that a process can handle and ignore.
      signal?.addEventListener('abort', () => running.child.kill('SIGKILL'))
      const { stdout } = await running
      return JSON.parse(stdout)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
