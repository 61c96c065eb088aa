import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { emulatorBinaryLocations } from '../../src/local/emulator-launchers.js'

const packaged = '/usr/lib/google-cloud-sdk/bin/cloud_spanner_emulator/emulator_main'
let folder: string

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'isotherm-places-')))
  for (const name of ['path', 'sdk/bin', 'elsewhere']) mkdirSync(join(folder, name), { recursive: true })
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('emulatorBinaryLocations() returns the packaged binary when no variable is set', () => {
  expect(emulatorBinaryLocations({})).toEqual([packaged])
})

it('emulatorBinaryLocations() lists CLOUDSDK_ROOT_DIR first and the PATH last', () => {
  expect(
    emulatorBinaryLocations({ PATH: join(folder, 'path'), CLOUDSDK_ROOT_DIR: join(folder, 'sdk') }),
  ).toEqual([
    join(folder, 'sdk/bin/cloud_spanner_emulator/emulator_main'),
    packaged,
    join(folder, 'path/emulator_main'),
  ])
})

it('emulatorBinaryLocations() follows links on the PATH to gcloud and to gateway_main', () => {
  writeFileSync(join(folder, 'sdk/bin/gcloud'), '')
  symlinkSync(join(folder, 'sdk/bin/gcloud'), join(folder, 'path/gcloud'))
  writeFileSync(join(folder, 'elsewhere/gateway_main'), '')
  symlinkSync(join(folder, 'elsewhere/gateway_main'), join(folder, 'path/gateway_main'))
  expect(emulatorBinaryLocations({ PATH: join(folder, 'path') })).toEqual([
    packaged,
    join(folder, 'sdk/bin/cloud_spanner_emulator/emulator_main'),
    join(folder, 'path/emulator_main'),
    join(folder, 'elsewhere/emulator_main'),
  ])
})
