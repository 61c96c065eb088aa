import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { installedPackages } from '../cli/support/installation.js'
import { atEndOfFile } from '../support/end-of-file.js'
import { type JestProject, runJest } from './support/jest.js'
import { installedNode } from './support/node-versions.js'

// The packages as they are published, in applications that call `require`.

const call = promisify(execFile)

/** Before 22.12, Node.js 22 cannot `require` an ES module. */
const NODE_VERSIONS = ['20.19.0', '22.11.0', '22.12.0', '24.11.0'] as const

let binaries: Readonly<Record<string, string>>

beforeAll(async () => {
  const paths: Record<string, string> = {}
  for (const version of NODE_VERSIONS) paths[version] = await installedNode(version)
  binaries = paths
}, 600_000)

describe('require and import in one process', () => {
  interface Printed {
    readonly missing: readonly string[]
    readonly same: number
    readonly other: number
    readonly ddl: readonly string[]
  }

  let folder: string

  beforeAll(async () => {
    folder = mkdtempSync(join(await installedPackages(), 'required-'))
    atEndOfFile(() => rmSync(folder, { recursive: true, force: true }))
    cpSync(join(import.meta.dirname, 'programs/required.cjs'), join(folder, 'required.cjs'))
  }, 600_000)

  async function run(version: string): Promise<Printed> {
    // Not `NODE_PATH`, which may lead to this repository.
    const { stdout } = await call(binaries[version]!, ['required.cjs'], { cwd: folder, env: {} })
    return JSON.parse(stdout) as Printed
  }

  it.each(['20.19.0', '22.12.0', '24.11.0'])(
    'return the same classes and functions on Node.js %s',
    async (version) => {
      const { missing, same, other, ddl } = await run(version)
      expect({ missing, other, ddl: ddl.length }).toEqual({ missing: [], other: 0, ddl: 1 })
      expect(same).toBeGreaterThan(300)
    },
  )

  it('return two copies on Node.js 22.11, where each copy compiles the models of the other', async () => {
    const { missing, other, ddl } = await run('22.11.0')
    expect({ missing, ddl: ddl.length }).toEqual({ missing: [], ddl: 1 })
    expect(other).toBeGreaterThan(300)
  })
})

it.each<[project: JestProject, node: readonly string[], tests: number]>([
  ['jest-29-ts-jest', ['20.19.0'], 5],
  ['jest-30-swc', ['20.19.0'], 5],
  ['jest-30-swc', ['22.11.0'], 5],
  ['jest-30-swc', ['24.11.0'], 5],
  ['nestjs-11', ['20.19.0'], 6],
  ['nestjs-11', ['24.11.0'], 6],
  ['nestjs-12', ['24.11.0', '--experimental-vm-modules'], 6],
])(
  'the Jest project %s passes its tests without configuration on Node.js %s',
  async (project, node, tests) => {
    const [version, ...options] = node
    const report = await runJest(project, [binaries[version!]!, ...options])
    expect(report).toEqual({ success: true, numPassedTests: tests, messages: [] })
  },
)
