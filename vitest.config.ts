import { transform } from 'esbuild'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vitest/config'
import { startCassandra } from '@isotherm/cassandra/local'
import { startSpannerEmulator } from '@isotherm/spanner/local'
import { deepFiles } from './test/support/deep-files.js'
import { filesDone, ResultsReporter, writeResult } from './test/support/results-reporter.js'
import { sources } from './test/support/sources.js'
import { SlowestFirst } from './test/support/slowest-first.js'

const alias = sources.map(([find, replacement]) => ({ find, replacement }))

/** The first version of Drizzle that the adapter is for; other tests have the newest. */
const firstDrizzle = { find: /^drizzle-orm(?=\/|$)/, replacement: 'drizzle-orm-first' }

// `pnpm test` is the same each time. `pnpm test:deep` takes the long files too, a new seed and all runs of random tests.
const isDeep = process.env['ISOTHERM_DEEP'] !== undefined
process.env['ISOTHERM_SEED'] ??= isDeep ? String(Date.now() % 2 ** 31) : '20261125'
process.env['ISOTHERM_RUNS'] ??= isDeep ? '1' : '0.1'
/** Where results are written, and those of an interrupted run are found. */
const results = process.env['ISOTHERM_RESULTS']
const done = filesDone(results)
const excluded = (project: string): readonly string[] => [
  '**/node_modules/**',
  ...(isDeep ? [] : deepFiles),
  ...(done.get(project) ?? []),
]
/** For tests that hang: none is meant to come near it. */
const LIMIT = isDeep ? 3_600_000 : 600_000
/** `pnpm test` says how much of its time is left for a second look. */
const RUN_LIMITS = { minutes: Number(process.env['ISOTHERM_MINUTES'] ?? 30), failures: 20 }
const LIMITS = { testTimeout: LIMIT, hookTimeout: LIMIT }

/** Test files share what they import, which takes longer than most of them; what each has to put back is in `each-file.ts`. */
const SHARED_PROCESS = { ...LIMITS, isolate: false, setupFiles: 'test/support/each-file.ts' }

/** For tests whose engine, if they need one, is in this process or started by themselves. */
const WITHOUT_SERVER = {
  ...SHARED_PROCESS,
  setupFiles: ['test/support/unit-file.ts', SHARED_PROCESS.setupFiles],
  // A real `setImmediate` still comes within the tick of a fake timer; a fake one would come a millisecond later.
  fakeTimers: {
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  },
} satisfies object

/** How sources are compiled. Vitest's cache knows plugins by their names alone. */
const compilation = createHash('sha1')
for (const file of ['vitest.config.ts', 'tsconfig.base.json', 'tsconfig.json'])
  compilation.update(readFileSync(new URL(file, import.meta.url)))

/** Vite passes standard decorators through untouched, which Node does not run yet: esbuild compiles them. */
const standardDecorators: Plugin = {
  name: `standard-decorators-${compilation.digest('hex').slice(0, 12)}`,
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

const fastCheck = fileURLToPath(new URL('test/support/fast-check.ts', import.meta.url))

/** Gives tests the library for random tests as `test/support/fast-check.ts` sets it up. */
const seededFastCheck: Plugin = {
  name: 'seeded-fast-check',
  enforce: 'pre',
  resolveId: (source, importer) =>
    source === 'fast-check' && importer !== fastCheck && !importer?.includes('/node_modules/')
      ? fastCheck
      : undefined,
}

const plugins = [standardDecorators, seededFastCheck]

const onPglite = [
  'packages/postgresql/test/**/*.test.ts',
  'packages/*/test/**/pglite.test.ts',
  'examples/*/test/pglite.test.ts',
]

const onCassandra = 'examples/*/test/cassandra.test.ts'

/** Each file installs and starts a server of PostgreSQL. */
const onPostgresql = [
  'packages/postgresql/test/server/*.test.ts',
  'packages/*/test/postgresql/server.test.ts',
]

/** It starts an emulator of its own, of which there has to be one. */
const onEmulator = 'packages/spanner/test/local/environment.test.ts'

const projects = process.argv.flatMap((argument, at) =>
  argument.startsWith('--project=')
    ? [argument.slice('--project='.length)]
    : process.argv[at - 1] === '--project'
      ? [argument]
      : [],
)

/**
 * The engine for the tests that need one: started here, so that without it they are skipped, and say why. CI is refused one that
 * cannot be had after three tries.
 */
async function engineFor<Engine extends { readonly description: string }>(
  project: string,
  start: () => Promise<Engine>,
  tries = process.env['CI'] === 'true' ? 3 : 1,
): Promise<Engine | string> {
  if (projects.length > 0 && !projects.includes(project)) return 'not asked for'
  try {
    const engine = await start()
    console.log(`Engine: ${engine.description}`)
    return engine
  } catch (error) {
    const { message } = error as Error
    if (tries > 1) return engineFor(project, start, tries - 1)
    if (process.env['CI'] === 'true') {
      const missing = `CI needs the engine of project ${project}: ${message}`
      // A failure is repeated by its first line.
      writeResult(results, { unhandled: [missing.replaceAll(/\s*\n\s*/g, ' ')], hasGivenUp: true })
      throw new Error(missing, { cause: error })
    }
    console.log(`The tests of project ${project} are skipped: ${message}`)
    return message
  }
}

/**
 * The node that all files share is never killed and started again: it need not write each change of the schema to disk, which takes
 * it five times as long. Java reads the variable.
 */
async function startOneCassandra() {
  const { JDK_JAVA_OPTIONS: given } = process.env
  process.env['JDK_JAVA_OPTIONS'] = [given, '-Dcassandra.unsafesystem=true'].filter(Boolean).join(' ')
  try {
    return await startCassandra()
  } finally {
    if (given === undefined) delete process.env['JDK_JAVA_OPTIONS']
    else process.env['JDK_JAVA_OPTIONS'] = given
  }
}

const [engine, cassandra] = await Promise.all([
  engineFor('spanner', startSpannerEmulator),
  engineFor('cassandra', startOneCassandra),
])

export default defineConfig({
  test: {
    reporters: ['default', new ResultsReporter(results, isDeep ? undefined : RUN_LIMITS)],
    sequence: { sequencer: SlowestFirst },
    // A source is compiled once for all projects that compile it in the same way.
    experimental: { fsModuleCache: true },
    passWithNoTests: done.size > 0,
    // Tests on an engine mostly wait for it: one more of them than there are processors.
    maxWorkers: Number(process.env['ISOTHERM_WORKERS'] ?? availableParallelism() + 1),
    projects: [
      {
        resolve: { alias },
        plugins,
        test: {
          name: 'unit',
          include: [
            'packages/*/test/**/*.test.ts',
            'test/pretend-engine/**/*.test.ts',
            'examples/*/test/**/*.test.ts',
          ],
          exclude: [
            '**/docker.test.ts',
            '**/demo.test.ts',
            '**/legacy-*',
            onEmulator,
            onCassandra,
            ...onPglite,
            ...onPostgresql,
            ...excluded('unit'),
          ],
          ...WITHOUT_SERVER,
        },
      },
      {
        resolve: { alias },
        plugins,
        test: {
          name: 'pglite',
          include: [...onPglite],
          exclude: [...onPostgresql, ...excluded('pglite')],
          ...WITHOUT_SERVER,
        },
      },
      {
        resolve: { alias },
        plugins,
        test: {
          name: 'postgresql',
          include: [...onPostgresql],
          exclude: [...excluded('postgresql')],
          passWithNoTests: true,
          ...WITHOUT_SERVER,
        },
      },
      {
        resolve: { alias },
        plugins: [seededFastCheck],
        oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
        test: {
          name: 'legacy-decorators',
          include: [
            'packages/core/test/decorators/*.test.ts',
            'packages/core/test/decorators/legacy-*.ts',
            'packages/drizzle-adapter/test/to-drizzle/tables.test.ts',
          ],
          exclude: [...excluded('legacy-decorators')],
          setupFiles: ['reflect-metadata'],
          ...LIMITS,
        },
      },
      {
        resolve: { alias },
        plugins,
        test: {
          name: 'spanner',
          include:
            typeof engine === 'string'
              ? ['test/support/without-engine.ts']
              : ['test/**/*.test.ts', 'examples/*/test/demo.test.ts', onEmulator],
          exclude: [
            'test/cassandra/**',
            'test/pretend-engine/**',
            'examples/keyspaces-blog/**',
            ...excluded('spanner'),
          ],
          globalSetup: 'test/cli/support/folder.ts',
          provide: typeof engine === 'string' ? { engineMissing: engine } : { spannerHost: engine.host },
          ...SHARED_PROCESS,
        },
      },
      {
        resolve: { alias: [firstDrizzle, ...alias] },
        plugins,
        test: {
          name: 'drizzle-0.45.0',
          // All that needs no engine, and of the rest what goes through most of Drizzle.
          include: [
            'packages/drizzle-adapter/test/**/*.test.ts',
            'test/drizzle/{select,insert,relational,fan-out,session-database}.test.ts',
            'test/drizzle/postgresql/{select,write,relational}.test.ts',
          ],
          exclude: [...onPostgresql, ...excluded('drizzle-0.45.0')],
          env: { DRIZZLE_VERSION: '0.45.0' },
          ...LIMITS,
        },
      },
      {
        resolve: { alias },
        plugins,
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
                  onCassandra,
                ],
          exclude: [...excluded('cassandra')],
          provide:
            typeof cassandra === 'string'
              ? { engineMissing: cassandra }
              : { cassandraContactPoints: cassandra.contactPoints },
          ...SHARED_PROCESS,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'docker',
          include: ['packages/*/test/local/docker.test.ts'],
          ...LIMITS,
        },
      },
    ],
  },
})
