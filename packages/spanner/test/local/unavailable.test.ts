import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { startSpannerEmulator } from '@isotherm/spanner/local'
import { scriptFolder } from '../../../core/test/local/support/child-script.js'
import { fakeSdk } from '../../../core/test/local/support/fake-sdk.js'
import { isAlive } from '../../../core/test/local/support/processes.js'

// An emulator starts in half a second, but not on a machine that is busy with other tests.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 })

const cleanUp: (() => unknown)[] = []

afterEach(async () => {
  vi.unstubAllEnvs()
  for (const step of cleanUp.splice(0).toReversed()) await step()
})

function fake(script: string): { readonly binary: string; readonly root: string } {
  const sdk = fakeSdk(script)
  cleanUp.push(() => sdk.remove())
  vi.stubEnv('CLOUDSDK_ROOT_DIR', sdk.root)
  return sdk
}

/** Makes Docker unavailable on any machine: DOCKER_HOST names a socket that does not exist. */
function withoutDocker(): void {
  vi.stubEnv('DOCKER_HOST', 'unix:///nowhere/docker.sock')
}

it('startSpannerEmulator() lists all three launchers with the error of each launcher', async () => {
  const { binary } = fake('echo "a library is missing" >&2; exit 3')
  vi.stubEnv('SPANNER_EMULATOR_HOST', '')
  vi.stubEnv('PATH', '')
  withoutDocker()
  const start = startSpannerEmulator({ launchers: ['environment', 'binary'] })
  await expect(start).rejects.toMatchObject({
    name: 'IsothermError',
    code: 'ENGINE_UNAVAILABLE',
    message: [
      'No Cloud Spanner emulator is available:',
      '  - environment: SPANNER_EMULATOR_HOST is not set.',
      `  - binary: ${binary}: it ended with exit code 3. Its output ends:`,
      '      a library is missing',
      '  - docker: not asked for (launchers: environment, binary).',
      'To fix it: Set SPANNER_EMULATOR_HOST to a running emulator, or install the emulator of the Google Cloud CLI ' +
        '(gcloud components install cloud-spanner-emulator), or run Docker and install the package testcontainers.',
    ].join('\n'),
  })
})

it('startSpannerEmulator() names the npm packages that are not installed', async () => {
  const scripts = await scriptFolder('spanner', tmpdir())
  cleanUp.push(() => scripts.remove())
  const script = scripts.run(`
    import { mkdirSync, writeFileSync } from 'node:fs'
    import { startSpannerEmulator } from './engines.mjs'
    const said = async (launchers) => {
      const { code, message } = await startSpannerEmulator({ launchers }).catch((error) => error)
      return { code, message }
    }
    const first = await said(['docker'])
    const client = new URL('./node_modules/@google-cloud/spanner/', import.meta.url)
    mkdirSync(client, { recursive: true })
    writeFileSync(new URL('index.js', client), '')
    console.log(JSON.stringify([first, await said(['docker'])]))
  `)
  expect(await script.firstLine).toEqual([
    {
      code: 'ENGINE_UNAVAILABLE',
      message:
        'A Spanner emulator needs the package @google-cloud/spanner. Install it: npm install @google-cloud/spanner ' +
        '(version 8 on Node.js 20, 8 or 9 from Node.js 22).',
    },
    {
      code: 'ENGINE_UNAVAILABLE',
      message: expect.stringContaining('  - docker: The package testcontainers is not installed.\n'),
    },
  ])
  await script.ended
})

it('startSpannerEmulator() passes its options to the emulator as flags', async () => {
  fake('echo "flags: $*" >&2; exit 1')
  const start = startSpannerEmulator({
    launchers: ['binary'],
    faultInjection: true,
    disableNullFilteredIndexCheck: true,
    overrideMaxDatabasesPerInstance: 500,
  })
  await expect(start).rejects.toThrow(
    'flags: --host_port 127.0.0.1:0 --enable_fault_injection --disable_query_null_filtered_index_check ' +
      '--override_max_databases_per_instance=500',
  )
})

it('startSpannerEmulator() ends an emulator that names no port within timeoutMs', async () => {
  const { root } = fake('echo $$ >"$0.pid"; exec tail -f /dev/null')
  await expect(startSpannerEmulator({ launchers: ['binary'], timeoutMs: 500 })).rejects.toThrow(
    'emulator_main: it named no port (within 0.5 s).',
  )
  const pid = Number(readFileSync(join(root, 'bin/cloud_spanner_emulator/emulator_main.pid'), 'utf8'))
  expect(pid).toBeGreaterThan(0)
  expect(isAlive(pid)).toBe(false)
})

it('startSpannerEmulator() throws when the port accepts connections but sends no answer', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  cleanUp.push(() => silent.close())
  const { port } = silent.address() as AddressInfo
  fake(`echo "Server address: 127.0.0.1:${port}" >&2; exec tail -f /dev/null`)
  await expect(startSpannerEmulator({ launchers: ['binary'], timeoutMs: 800 })).rejects.toThrow(
    new RegExp(
      `no answer from 127\\.0\\.0\\.1:${port} \\(within .* s\\)\\..*Its output ends:.*Server address`,
      's',
    ),
  )
})

it('startSpannerEmulator() throws ENGINE_UNAVAILABLE when Docker does not run', async () => {
  withoutDocker()
  vi.stubEnv('HOME', '/nowhere')
  await expect(startSpannerEmulator({ launchers: ['docker'] })).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
    message: expect.stringMatching(/docker: .*container runtime/),
  })
})

it('startSpannerEmulator() throws CANCELLED and ends the emulator when the signal is aborted', async () => {
  const { root } = fake('echo $$ >"$0.pid"; exec tail -f /dev/null')
  const calledOff = new AbortController()
  const start = startSpannerEmulator({ launchers: ['binary'], signal: calledOff.signal })
  const outcome = start.catch((error: unknown) => error)
  const file = join(root, 'bin/cloud_spanner_emulator/emulator_main.pid')
  const pid = await vi.waitUntil(
    () => {
      try {
        return Number(readFileSync(file, 'utf8'))
      } catch {
        return 0
      }
    },
    { timeout: 5_000, interval: 20 },
  )
  calledOff.abort('enough')
  expect(await outcome).toMatchObject({ code: 'CANCELLED', cause: 'enough' })
  expect(isAlive(pid)).toBe(false)
})

it.each([0, -1, 1.5, Number.NaN])(
  'startSpannerEmulator() rejects overrideMaxDatabasesPerInstance %s with INVALID_OPTION',
  async (count) => {
    await expect(startSpannerEmulator({ overrideMaxDatabasesPerInstance: count })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    })
  },
)
