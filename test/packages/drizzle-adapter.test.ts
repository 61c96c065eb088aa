import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedEmulator } from '../support/spanner.js'
import { Consumer } from './support/consumer.js'

// The packed packages, in the folder of a user who has nothing else of this repository.

const programs = ['googlesql', 'postgresql'] as const
const versions = [
  ['the newest Drizzle', 'drizzle-orm'],
  ['the first Drizzle', 'drizzle-orm-first'],
] as const

interface Manifest {
  readonly dependencies?: object
  readonly peerDependencies: object
  readonly peerDependenciesMeta?: object
}

function sourceOf(program: string): string {
  return readFileSync(join(import.meta.dirname, `programs/${program}.ts`), 'utf8')
}

it(
  '@isotherm/drizzle-adapter has peer dependencies only, and contains built files only',
  { timeout: 300_000 },
  async () => {
    const { folder } = await Consumer.create('drizzle-orm')
    const installed = join(folder, 'node_modules/@isotherm/drizzle-adapter')
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Manifest
    expect(manifest.dependencies).toBeUndefined()
    expect(manifest.peerDependencies).toEqual({
      '@google-cloud/spanner': '>=8 <10',
      '@isotherm/core': '^0.1.0',
      '@isotherm/spanner': '^0.1.0',
      'drizzle-orm': '>=0.45 <0.46',
    })
    expect(manifest.peerDependenciesMeta).toBeUndefined()
    const files = readdirSync(installed, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
    expect(files.filter((name) => !/\.(?:c?js|d\.c?ts)$/.test(name)).toSorted()).toEqual([
      'LICENSE',
      'README.md',
      'package.json',
    ])
  },
)

describe.each(versions)('@isotherm/drizzle-adapter with %s', (_, drizzle) => {
  let consumer: Consumer
  let environment: Record<string, string>

  beforeAll(async () => {
    consumer = await Consumer.create(drizzle)
    environment = { SPANNER_EMULATOR_HOST: (await sharedEmulator()).host }
    for (const program of programs) consumer.write(`${program}.mts`, sourceOf(program))
  }, 300_000)

  describe.each(programs)('the %s program', (program) => {
    it.each([
      ['an ES module', 'esm', 'mjs'],
      ['CommonJS with its own copy of Drizzle', 'cjs', 'cjs'],
    ] as const)('the application runs as %s', async (__, format, extension) => {
      const { code } = await transform(sourceOf(program), {
        loader: 'ts',
        format,
        target: 'es2022',
        sourcemap: 'inline',
        sourcefile: `${program}.ts`,
      })
      consumer.write(`${program}.${extension}`, code)
      expect(await consumer.run(`${program}.${extension}`, environment)).toBe('all of it works\n')
    })

    it.each([
      ['nodenext', { module: 'nodenext' }],
      ['node16', { module: 'node16' }],
      ['bundler', { module: 'preserve', moduleResolution: 'bundler' }],
    ] as const)('the application type-checks with the module option %s', async (__, options) => {
      expect(await consumer.typeCheck(`${program}.mts`, { ...options, skipLibCheck: true })).toEqual([])
    })
  })

  it.each(programs)(
    'a library can emit declarations for everything that the %s adapter creates',
    async (program) => {
      consumer.write('declared.mts', sourceOf(`${program}-declared`))
      expect(
        await consumer.typeCheck('declared.mts', {
          module: 'nodenext',
          skipLibCheck: true,
          declaration: true,
        }),
      ).toEqual([])
    },
  )

  it('the declarations of the adapter compile with skipLibCheck: false', async () => {
    consumer.write(
      'all.mts',
      [
        "export * from '@isotherm/drizzle-adapter'",
        "export * as postgresql from '@isotherm/drizzle-adapter/postgresql'",
      ].join('\n'),
    )
    const found = await consumer.typeCheck('all.mts', { module: 'nodenext', skipLibCheck: false })
    // Declarations of other packages have their own errors.
    expect(found.filter((message) => !/node_modules\/(?!@isotherm\/)/.test(message))).toEqual([])
  })
})
