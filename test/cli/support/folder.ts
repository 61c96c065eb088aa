import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the packages are installed, once a test has asked for them. */
    installation: string
  }
}

// For one run of all tests: where the packages are installed, if a test asks for them. Gone after the run.

let folder: string | undefined

export function setup(project: TestProject): void {
  folder = mkdtempSync(join(tmpdir(), 'isotherm-installed-'))
  project.provide('installation', folder)
}

export function teardown(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
}
