import { transform } from 'esbuild'
import { availableParallelism } from 'node:os'
import { defineConfig, type Plugin } from 'vitest/config'
import { startCassandra } from '@isotherm/cassandra/local'
import { startSpannerEmulator } from '@isotherm/spanner/local'
import { sources } from './test/support/sources.js'

const alias = sources.map(([find, replacement]) => ({ find, replacement }))

/** The first version of Drizzle that the adapter is for; other tests have the newest. */
const firstDrizzle = { find: /^drizzle-orm(?=\/|$)/, replacement: 'drizzle-orm-first' }

/** Vite passes standard decorators through untouched, which Node does not run yet: esbuild compiles them. */
const standardDecorators: Plugin = {
  name: 'standard-decorators',
  enforce: 'pre',
  async transform(code, id) {
    if (!id.endsWith('.ts') || !/^\s*@\w+/m.test(code)) return undefined
    return transform(code, {
      loader: 'ts',
      target: 'es2022',
      sourcefile: id,
      sourcemap: true,
      tsconfigRaw: { compilerOptions: { experimentalDecorators: false, useDefineForClassFields: true } },
    })
  },
}

/** The engine for the tests that need one: started here, so that without it they are skipped, and say why. */
async function engineFor<Engine extends { readonly description: string }>(
  project: string,
  start: () => Promise<Engine>,
): Promise<Engine | string> {
  const projects = process.argv.filter((_, at) => process.argv[at - 1] === '--project')
  if (projects.length > 0 && !projects.includes(project)) return 'not asked for'
  try {
    const engine = await start()
    console.log(`Engine: ${engine.description}`)
    return engine
  } catch (error) {
    console.log(`The tests of project ${project} are skipped: ${(error as Error).message}`)
    return (error as Error).message
  }
}

const engine = await engineFor('spanner', startSpannerEmulator)
const cassandra = await engineFor('cassandra', startCassandra)

// Where CI wants the results as data, beside what is printed.
const results = process.env['VITEST_RESULTS']

export default defineConfig({
  test: {
    reporters: results ? ['default', 'json'] : ['default'],
    ...(results && { outputFile: { json: results } }),
    // Tests on an engine mostly wait for it: more of them than there are processors.
    maxWorkers: Math.max(4, availableParallelism()),
    projects: [
      {
        resolve: { alias },
        plugins: [standardDecorators],
        test: {
          name: 'unit',
          include: [
            'packages/*/test/**/*.test.ts',
            'test/pretend-engine/**/*.test.ts',
            'examples/*/test/**/*.test.ts',
          ],
          exclude: ['**/docker.test.ts', '**/demo.test.ts', '**/legacy-*', '**/node_modules/**'],
          // Pure parts share what they import, which takes longer than most of them.
          isolate: false,
          testTimeout: 120_000,
        },
      },
      {
        resolve: { alias },
        oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
        test: {
          name: 'legacy-decorators',
          include: [
            'packages/core/test/decorators/*.test.ts',
            'packages/core/test/decorators/legacy-*.ts',
            'packages/drizzle-adapter/test/to-drizzle/tables.test.ts',
          ],
          setupFiles: ['reflect-metadata'],
        },
      },
      {
        resolve: { alias },
        plugins: [standardDecorators],
        test: {
          name: 'spanner',
          include:
            typeof engine === 'string'
              ? ['test/support/without-engine.ts']
              : ['test/**/*.test.ts', 'examples/*/test/demo.test.ts'],
          exclude: [
            'test/cassandra/**',
            'test/pretend-engine/**',
            'examples/keyspaces-blog/**',
            '**/node_modules/**',
          ],
          globalSetup: 'test/cli/support/folder.ts',
          provide: typeof engine === 'string' ? { engineMissing: engine } : { spannerHost: engine.host },
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        resolve: { alias: [firstDrizzle, ...alias] },
        plugins: [standardDecorators],
        test: {
          name: 'drizzle-0.45.0',
          // All that needs no engine, and of the rest what goes through most of Drizzle.
          include: [
            'packages/drizzle-adapter/test/**/*.test.ts',
            'test/drizzle/{select,insert,relational,fan-out,session-database}.test.ts',
            'test/drizzle/postgresql/{select,write,relational}.test.ts',
          ],
          env: { DRIZZLE_VERSION: '0.45.0' },
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        resolve: { alias },
        plugins: [standardDecorators],
        test: {
          name: 'cassandra',
          include:
            typeof cassandra === 'string'
              ? ['test/support/without-engine.ts']
              : [
                  'test/cassandra/**/*.test.ts',
                  'test/shared/**/*.test.ts',
                  'test/conformance/**/*.test.ts',
                  'examples/keyspaces-blog/test/demo.test.ts',
                ],
          exclude: ['**/node_modules/**'],
          provide:
            typeof cassandra === 'string'
              ? { engineMissing: cassandra }
              : { cassandraContactPoints: cassandra.contactPoints },
          testTimeout: 180_000,
          hookTimeout: 300_000,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'docker',
          include: ['packages/*/test/local/docker.test.ts'],
          testTimeout: 120_000,
        },
      },
    ],
  },
})
