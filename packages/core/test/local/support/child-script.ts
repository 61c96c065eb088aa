import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const packages = fileURLToPath(new URL('../../../../', import.meta.url))

/** The package whose entry `local` starts an engine. */
export type EnginePackage = 'spanner' | 'cassandra'

export interface ScriptFolder {
  /** Starts Node.js on a module that may import from './engines.mjs'. */
  run(source: string, environment?: NodeJS.ProcessEnv): ChildScript
  /** Also ends what still runs, for a test that failed half-way. */
  remove(): Promise<void>
}

export interface ChildScript {
  readonly process: ChildProcess
  /** The first line on stdout, parsed as JSON. */
  readonly firstLine: Promise<unknown>
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; output: string }>
}

/** Scripts that run in a process of their own on the sources as they are now, not on what was last built. */
export async function scriptFolder(
  engine: EnginePackage,
  // Inside the package, so that a script finds the vendor's client as the package does.
  parent = join(packages, engine, 'node_modules', '.isotherm-tests'),
): Promise<ScriptFolder> {
  const { peerDependencies } = JSON.parse(readFileSync(join(packages, engine, 'package.json'), 'utf8')) as {
    readonly peerDependencies: Readonly<Record<string, string>>
  }
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'engines-'))
  await build({
    absWorkingDir: join(packages, engine),
    entryPoints: ['src/local.ts'],
    outfile: join(folder, 'engines.mjs'),
    bundle: true,
    // What the package depends on comes with it; what its user installs is looked for where the script is.
    external: Object.keys(peerDependencies).filter((name) => name !== '@isotherm/core'),
    alias: {
      '@isotherm/core/engine': join(packages, 'core/src/for-engines.ts'),
      '@isotherm/core/local': join(packages, 'core/src/for-local.ts'),
    },
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  })
  const scripts: ChildScript[] = []
  return {
    run: (source, environment = process.env) => {
      const file = join(folder, `script-${scripts.length}.mjs`)
      writeFileSync(file, source)
      const child = spawn(process.execPath, [file], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
      const script = follow(child)
      scripts.push(script)
      return script
    },
    remove: async () => {
      for (const script of scripts) script.process.kill('SIGKILL')
      await Promise.allSettled(scripts.map((script) => script.ended))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function follow(child: ReturnType<typeof spawn>): ChildScript {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  }
  const ended: ChildScript['ended'] = new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal, output }))
  })
  const firstLine = new Promise((resolve, reject) => {
    if (child.stdout === null) throw new Error('no stdout')
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)))
    ended.then(() => reject(new Error(`ended without a line: ${output}`)), reject)
  })
  firstLine.catch(() => {})
  return { process: child, firstLine, ended }
}
