import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build as esbuild } from 'esbuild'
import { compileDdl, defineSchema, defineTable } from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import { googlesql } from '@isotherm/spanner'
import { build as vite } from 'vite'
import { beforeAll, expect, it } from 'vitest'
import webpack from 'webpack'
import { sharedEmulator } from '../support/spanner.js'
import { Consumer } from './support/consumer.js'

// An application of the packed packages, bundled to one file by common bundlers, and run. Google's client has to stay outside the
// bundle: it reads files beside it at run time.

/** Kilobytes of the minified application without Google's client: with fan-outs, and without fan-outs. */
const MAX_KILOBYTES = { openDatabase: 330, openRows: 260 }
const CLIENT = '@google-cloud/spanner'

const Visit = defineTable('Visit', (t) => ({
  shardId: t.shardKey({ shards: 8, of: ['userId'] }),
  at: t.descTimestamp({ default: 'now' }),
  userId: t.int64().key(),
  page: t.string({ length: 100 }),
}))

let consumer: Consumer
let environment: Record<string, string>

beforeAll(async () => {
  consumer = await Consumer.create('drizzle-orm')
  const emulator = await sharedEmulator()
  const database = await emulator.database({
    ddl: compileDdl(defineSchema([Visit]), { dialect: googlesql }),
  })
  environment = { SPANNER_EMULATOR_HOST: emulator.host, DATABASE: database.formattedName_ }
}, 300_000)

/** Bundles the application to `app.mjs` or `app.cjs` of a folder. */
type Bundle = (from: string, to: string, format: 'esm' | 'cjs') => Promise<unknown>

const bundlers: Readonly<Record<string, Bundle>> = {
  esbuild: (from, to, format) =>
    esbuild({
      entryPoints: [join(from, 'app.ts')],
      outfile: join(to, format === 'esm' ? 'app.mjs' : 'app.cjs'),
      bundle: true,
      minify: true,
      platform: 'node',
      target: 'node20',
      format,
      external: [CLIENT],
    }),
  Vite: (from, to, format) =>
    vite({
      root: from,
      configFile: false,
      logLevel: 'error',
      ssr: { noExternal: true, external: [CLIENT] },
      build: {
        ssr: join(from, 'app.ts'),
        outDir: to,
        minify: true,
        target: 'node20',
        rollupOptions: {
          external: [CLIENT],
          output: { format, entryFileNames: format === 'esm' ? 'app.mjs' : 'app.cjs' },
        },
      },
    }),
  webpack: (from, to, format) =>
    new Promise((resolve, reject) => {
      const isModule = format === 'esm'
      const compiler = webpack(
        {
          mode: 'production',
          target: 'node20',
          context: from,
          entry: './app.js',
          // Its minifier takes a minute, and is not part of the test.
          optimization: { minimize: false },
          experiments: { outputModule: isModule },
          externals: { [CLIENT]: `${isModule ? 'module' : 'commonjs'} ${CLIENT}` },
          output: {
            path: to,
            filename: isModule ? 'app.mjs' : 'app.cjs',
            ...(isModule && { library: { type: 'module' } }),
          },
        },
        (error, stats) => {
          const wrong = error ?? (stats?.hasErrors() ? new Error(stats.toString('errors-only')) : undefined)
          compiler?.close(() => (wrong ? reject(wrong) : resolve(stats)))
        },
      )
    }),
}

it.each(
  Object.entries(bundlers).flatMap(([name, bundle]) =>
    (['esm', 'cjs'] as const).flatMap((format) =>
      (['openDatabase', 'openRows'] as const).map((open) => [name, format, open, bundle] as const),
    ),
  ),
)(
  '%s bundles an application as %s that inserts and reads a row with %s',
  async (name, format, open, bundle) => {
    const program = readFileSync(join(import.meta.dirname, 'programs/bundled.ts'), 'utf8')
    consumer.write('app.ts', program.replaceAll('openDatabase', open))
    // Webpack does not compile TypeScript by itself.
    await esbuild({
      entryPoints: [join(consumer.folder, 'app.ts')],
      outfile: join(consumer.folder, 'app.js'),
      format: 'esm',
    })
    const folder = `out-${name}-${format}-${open}`
    await bundle(consumer.folder, join(consumer.folder, folder), format)
    const file = join(folder, format === 'esm' ? 'app.mjs' : 'app.cjs')
    expect(await consumer.run(file, environment)).toBe(`7 read from shard ${shardOf(7n, 8)}\n`)
    const kilobytes = Math.ceil(statSync(join(consumer.folder, file)).size / 1000)
    console.log(`${name}, ${format}, ${open}: ${kilobytes} kB`)
    expect(kilobytes).toBeLessThanOrEqual(name === 'webpack' ? Infinity : MAX_KILOBYTES[open])
  },
)
