import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { installedPackages } from '../../cli/support/installation.js'
import { atEndOfFile } from '../../support/end-of-file.js'

const call = promisify(execFile)
const PROJECTS = fileURLToPath(new URL('../jest/', import.meta.url))

/** Projects in `test/packages/jest`: the tools of each are installed from its lockfile. */
export type JestProject = 'jest-29-ts-jest' | 'jest-30-swc' | 'nestjs-11' | 'nestjs-12'

/** The report of Jest about a run. */
export interface JestReport {
  readonly success: boolean
  readonly numPassedTests: number
  /** The errors of failed tests, and of test files that did not run. */
  readonly messages: readonly string[]
}

/**
 * Runs the tests of a project by Jest, with the packages as they are published.
 *
 * @param node the arguments of the process, the binary first
 */
export async function runJest(project: JestProject, node: readonly string[]): Promise<JestReport> {
  // The packages are in the folder above, and the tools in the folder of the project.
  const folder = mkdtempSync(join(await installedPackages(), `${project}-`))
  atEndOfFile(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(join(PROJECTS, project), folder, { recursive: true })
  cpSync(join(PROJECTS, 'src'), join(folder, 'src'), { recursive: true })
  if (project.startsWith('nestjs'))
    cpSync(join(PROJECTS, 'src-nestjs'), join(folder, 'src'), { recursive: true })
  await call('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder })
  const [binary, ...options] = node
  const { stdout } = await call(
    binary!,
    [...options, join(folder, 'node_modules/jest/bin/jest.js'), '--json'],
    // `NODE_PATH` may lead to this repository, and Vitest has variables that Jest reads too.
    { cwd: folder, env: { PATH: process.env['PATH'], HOME: process.env['HOME'] }, maxBuffer: 2 ** 26 },
  ).catch((error: { stdout: string }) => {
    if (!error.stdout.startsWith('{')) throw error
    return error
  })
  const report = JSON.parse(stdout) as Omit<JestReport, 'messages'> & {
    readonly testResults: readonly { readonly message: string }[]
  }
  return {
    success: report.success,
    numPassedTests: report.numPassedTests,
    messages: report.testResults.map(({ message }) => message).filter((message) => message !== ''),
  }
}
