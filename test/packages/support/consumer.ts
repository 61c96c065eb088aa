import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll } from 'vitest'
import { installedPackages } from '../../cli/support/installation.js'

const call = promisify(execFile)
const root = fileURLToPath(new URL('../../../', import.meta.url))

/** As it is called where the packages are installed. */
export type InstalledDrizzle = 'drizzle-orm' | 'drizzle-orm-first'

const folders: string[] = []

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A folder outside the repository, of somebody who uses the packages with this version of Drizzle. */
export class Consumer {
  readonly folder: string

  static async create(drizzle: InstalledDrizzle): Promise<Consumer> {
    const installed = join(await installedPackages(), 'node_modules')
    const folder = mkdtempSync(join(tmpdir(), 'isotherm-consumer-'))
    folders.push(folder)
    const own = join(folder, 'node_modules')
    mkdirSync(join(own, '@isotherm'), { recursive: true })
    for (const name of readdirSync(installed).filter((each) => !/^(?:\.|@isotherm$|drizzle-orm)/.test(each)))
      symlinkSync(join(installed, name), join(own, name))
    symlinkSync(join(installed, '@isotherm/core'), join(own, '@isotherm/core'))
    symlinkSync(join(installed, drizzle), join(own, 'drizzle-orm'))
    // A link would lead it to the other Drizzle.
    cpSync(join(installed, '@isotherm/drizzle-adapter'), join(own, '@isotherm/drizzle-adapter'), {
      recursive: true,
    })
    return new Consumer(folder)
  }

  private constructor(folder: string) {
    this.folder = folder
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.folder, path), text)
  }

  /** What a module prints. */
  async run(path: string, environment: Readonly<Record<string, string>> = {}): Promise<string> {
    const { stdout } = await call(process.execPath, ['--enable-source-maps', path], {
      cwd: this.folder,
      env: { ...process.env, ...environment },
      timeout: 120_000,
    })
    return stdout
  }

  /** What the compiler says of a module, one message a line; nothing where it has nothing to say. */
  async typeCheck(path: string, options: Readonly<Record<string, unknown>>): Promise<string[]> {
    const compilerOptions = {
      target: 'es2022',
      lib: ['es2023', 'esnext.disposable'],
      types: ['node'],
      strict: true,
      noEmit: true,
      ...options,
    }
    this.write('tsconfig.json', JSON.stringify({ compilerOptions, files: [path] }))
    const said = await call(join(root, 'node_modules/.bin/tsc'), ['-p', '.', '--pretty', 'false'], {
      cwd: this.folder,
      maxBuffer: 2 ** 26,
    }).then(
      ({ stdout }) => stdout,
      ({ stdout }: { stdout: string }) => stdout,
    )
    return said.split('\n').filter((line) => line.includes('error TS'))
  }
}
