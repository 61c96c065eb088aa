import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { installedPackages, packedPackages, versionOf } from '../../cli/support/installation.js'
import { atEndOfFile } from '../../support/end-of-file.js'

const call = promisify(execFile)
const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The name of the package in the folder where it is installed. */
export type InstalledDrizzle = 'drizzle-orm' | 'drizzle-orm-first'

/** A folder outside the repository, of a user of the packages with this version of Drizzle. */
export class Consumer {
  readonly folder: string

  static async create(drizzle: InstalledDrizzle): Promise<Consumer> {
    const installed = join(await installedPackages(), 'node_modules')
    const folder = mkdtempSync(join(tmpdir(), 'isotherm-consumer-'))
    atEndOfFile(() => rmSync(folder, { recursive: true, force: true }))
    const own = join(folder, 'node_modules')
    mkdirSync(join(own, '@isotherm'), { recursive: true })
    for (const name of readdirSync(installed).filter((each) => !/^(?:\.|@isotherm$|drizzle-orm)/.test(each)))
      symlinkSync(join(installed, name), join(own, name))
    for (const name of ['core', 'spanner'])
      symlinkSync(join(installed, '@isotherm', name), join(own, '@isotherm', name))
    symlinkSync(join(installed, drizzle), join(own, 'drizzle-orm'))
    // A link would resolve to the other Drizzle.
    cpSync(join(installed, '@isotherm/drizzle-adapter'), join(own, '@isotherm/drizzle-adapter'), {
      recursive: true,
    })
    return new Consumer(folder)
  }

  /** Has these packages of Isotherm and these other packages, and no optional peer dependencies. */
  static async withOnly(own: readonly string[], others: readonly string[]): Promise<Consumer> {
    const tarballs = await packedPackages(...own)
    const versions = await Promise.all(others.map(async (name) => `${name}@${await versionOf(name)}`))
    const folder = mkdtempSync(join(tmpdir(), 'isotherm-consumer-'))
    atEndOfFile(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
    const options = ['--prefer-offline', '--no-audit', '--no-fund']
    await call('npm', ['install', ...options, ...tarballs, ...versions], { cwd: folder })
    return new Consumer(folder)
  }

  private constructor(folder: string) {
    this.folder = folder
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true })
    writeFileSync(join(this.folder, path), text)
  }

  /** The names of all installed packages, including dependencies. */
  get installed(): readonly string[] {
    const folder = join(this.folder, 'node_modules')
    return readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .flatMap((name) =>
        name.startsWith('@') ? readdirSync(join(folder, name)).map((each) => `${name}/${each}`) : [name],
      )
  }

  /** Runs a module. @returns its output */
  async run(path: string, environment: Readonly<Record<string, string>> = {}): Promise<string> {
    const { stdout } = await call(process.execPath, ['--enable-source-maps', path], {
      cwd: this.folder,
      env: { ...process.env, ...environment },
      timeout: 120_000,
    })
    return stdout
  }

  /** The messages of the compiler for a module, one per line; empty if there are none. */
  typeCheck(path: string, options: Readonly<Record<string, unknown>>): Promise<string[]> {
    return this.compile([path], { noEmit: true, ...options })
  }

  /**
   * Compiles modules, beside their sources unless an option says otherwise.
   *
   * @param compiler of another version of TypeScript than this repository's
   * @returns the messages of the compiler, one per line, without their explanations
   */
  async compile(
    paths: readonly string[],
    options: Readonly<Record<string, unknown>>,
    compiler?: string,
  ): Promise<string[]> {
    const said = await this.explain(paths, options, compiler)
    return said.split('\n').filter((line) => line.includes('error TS'))
  }

  /** The same. @returns all that the compiler says */
  async explain(
    paths: readonly string[],
    options: Readonly<Record<string, unknown>>,
    compiler = join(root, 'node_modules/typescript/bin/tsc'),
  ): Promise<string> {
    const compilerOptions = {
      target: 'es2022',
      lib: ['es2023', 'esnext.disposable'],
      types: ['node'],
      strict: true,
      ...options,
    }
    this.write('tsconfig.json', JSON.stringify({ compilerOptions, files: paths }))
    const { code, said } = await call(process.execPath, [compiler, '-p', '.', '--pretty', 'false'], {
      cwd: this.folder,
      maxBuffer: 2 ** 26,
    }).then(
      ({ stdout }) => ({ code: 0, said: stdout }),
      ({ code, stdout }: { code: number; stdout: string }) => ({ code, said: stdout }),
    )
    // A compiler that does not run has no messages either.
    if (code !== 0 && !said.includes('error TS')) throw new Error(`The compiler ended with ${code}: ${said}`)
    return said
  }
}
