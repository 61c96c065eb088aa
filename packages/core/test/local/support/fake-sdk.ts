import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A Google Cloud CLI whose emulator is a shell script, for what a real emulator cannot be made to do. */
export function fakeSdk(script: string): { readonly root: string; readonly binary: string; remove(): void } {
  const root = mkdtempSync(join(tmpdir(), 'isotherm-sdk-'))
  const folder = join(root, 'bin', 'cloud_spanner_emulator')
  const binary = join(folder, 'emulator_main')
  mkdirSync(folder, { recursive: true })
  writeFileSync(binary, `#!/bin/sh\n${script}\n`)
  chmodSync(binary, 0o755)
  return { root, binary, remove: () => rmSync(root, { recursive: true, force: true }) }
}
