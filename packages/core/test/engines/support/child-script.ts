import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const core = fileURLToPath(new URL('../../../', import.meta.url))

/** Inside the package, so that a script finds the vendor's client as the package does. */
const insidePackage = join(core, 'node_modules', '.isotherm-tests')

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
export async function scriptFolder(parent = insidePackage): Promise<ScriptFolder> {
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'engines-'))
  await build({
    absWorkingDir: core,
    entryPoints: ['src/engines/index.ts'],
    outfile: join(folder, 'engines.mjs'),
    bundle: true,
    packages: 'external',
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
