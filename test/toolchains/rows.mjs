// The toolchains that compile Isotherm, as data: `toolchains.test.ts` builds and starts an application with each row, and
// `scripts/write-toolchains.mjs` writes the rows into docs/reference/toolchains.md. `rows.d.mts` documents the properties.

const NODE = 'node --enable-source-maps dist/main.js'

/** For a program that type-checks, or reads these options. */
const tsconfig = (mode, options = {}, rest = {}) => ({
  compilerOptions: {
    target: 'es2022',
    lib: ['es2023', 'esnext.disposable'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    skipLibCheck: true,
    rootDir: 'src',
    outDir: 'dist',
    ...(mode === 'legacy' && { experimentalDecorators: true }),
    ...options,
  },
  include: ['src'],
  ...rest,
})

const bundled = { module: 'esnext', moduleResolution: 'bundler' }

/** A test file for test runners. */
const testFile = (imports) => `${imports}
import { insertRows } from './insert.js'

test('inserts', () => insertRows(), 60_000)
`

const tsc = (name, version, mode, format, { options = {}, needs, ...rest } = {}) => ({
  tool: 'tsc',
  version,
  mode,
  format,
  tools: 'typescript',
  build: [`node ../node_modules/${name}/bin/tsc -p .`],
  start: NODE,
  files: { 'tsconfig.json': tsconfig(mode, options) },
  needs: needs ?? (mode === 'legacy' ? '`experimentalDecorators`' : 'nothing'),
  ...rest,
})

const node10 = {
  options: { module: 'commonjs', moduleResolution: 'node10' },
  imports: 'extensionless',
}
const NEEDS_NODE10 = '`"module": "commonjs"` and `"moduleResolution": "node10"`'

const BELOW_ESNEXT = '[`target`](#target) below `esnext`'

const metadata = { options: { emitDecoratorMetadata: true } }

/** Beside the row of the same tool whose models write `import { type Generated }`. */
const withoutType = (tool, rest) => ({
  ...rest,
  tool: `${tool}, \`import { Generated }\` without \`type\``,
  importsTypesAsValues: true,
})

/** Its decorators are standard, without the metadata that was added to the standard later. */
const withoutMetadata = {
  options: { lib: ['es2023'] },
  fails: /the compiler gave the decorator no metadata object\. Use TypeScript 5\.2 or newer/,
  needs: 'TypeScript 5.2 or newer: this one gives decorators no metadata',
}

const typescript = [
  tsc('typescript-5.0', '5.0', 'standard', 'esm', withoutMetadata),
  tsc('typescript-5.1', '5.1', 'standard', 'esm', withoutMetadata),
  tsc('typescript-5.2', '5.2', 'standard', 'esm'),
  tsc('typescript-5.2', '5.2', 'legacy', 'esm'),
  tsc('typescript-5.2', '5.2', 'standard', 'commonjs', { ...node10, needs: NEEDS_NODE10 }),
  tsc('typescript-5.2', '5.2', 'legacy', 'commonjs', {
    ...node10,
    needs: `${NEEDS_NODE10}, \`experimentalDecorators\``,
  }),
  tsc('typescript-5.4', '5.4', 'standard', 'esm'),
  tsc('typescript-5.4', '5.4', 'standard', 'commonjs', { ...node10, needs: NEEDS_NODE10 }),
  tsc('typescript-5.4', '5.4', 'standard', 'commonjs', {
    tool: 'tsc, `"module": "nodenext"`',
    imports: 'extensionless',
  }),
  tsc('typescript-5.9', '5.9', 'standard', 'esm'),
  tsc('typescript-5.9', '5.9', 'legacy', 'esm'),
  tsc('typescript-5.9', '5.9', 'standard', 'commonjs'),
  tsc('typescript-5.9', '5.9', 'legacy', 'commonjs'),
  tsc('typescript-5.9', '5.9', 'legacy', 'esm', withoutType('tsc', metadata)),
  tsc('typescript-6.0', '6.0', 'standard', 'esm'),
  tsc('typescript-6.0', '6.0', 'legacy', 'esm'),
  tsc('typescript-6.0', '6.0', 'standard', 'commonjs'),
  tsc('typescript-6.0', '6.0', 'legacy', 'commonjs'),
  tsc('typescript', '7.0', 'standard', 'esm', { isMain: true }),
  tsc('typescript', '7.0', 'legacy', 'esm', { isMain: true }),
  tsc('typescript', '7.0', 'standard', 'commonjs'),
  tsc('typescript', '7.0', 'legacy', 'commonjs'),
  tsc('typescript', '7.0', 'standard', 'esm', {
    options: { target: 'esnext' },
    fails: /SyntaxError: Invalid or unexpected token/,
    needs: BELOW_ESNEXT,
  }),
]

const runner = (tool, version, mode, format, start, rest) => ({
  tool,
  version,
  mode,
  format,
  tools: 'runners',
  build: [],
  start,
  files: { 'tsconfig.json': tsconfig(mode, rest?.options) },
  needs: mode === 'legacy' ? '`experimentalDecorators` in `tsconfig.json`' : 'nothing',
  ...rest,
})

const TSX = 'node ../node_modules/tsx/dist/cli.mjs src/main.ts'

const swcrc = (mode, format) => ({
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform:
      mode === 'legacy'
        ? { legacyDecorator: true, decoratorMetadata: true }
        : { decoratorVersion: '2023-11' },
    target: 'es2022',
  },
  module: { type: format === 'esm' ? 'es6' : 'commonjs' },
})

const swc = (mode, format, rest) => ({
  tool: 'SWC',
  version: '1.16',
  mode,
  format,
  tools: 'runners',
  build: ['node swc.mjs'],
  start: NODE,
  files: {
    '.swcrc': swcrc(mode, format),
    // What `swc src --out-dir dist` of @swc/cli does.
    'swc.mjs': `import { transformFile } from '@swc/core'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
mkdirSync('dist')
for (const file of readdirSync('src'))
  writeFileSync('dist/' + file.replace('.ts', '.js'), (await transformFile('src/' + file)).code)
`,
  },
  needs:
    mode === 'legacy'
      ? '`jsc.transform.legacyDecorator`'
      : '`jsc.transform.decoratorVersion: "2023-11"`, and `jsc.parser.decorators`',
  ...rest,
})

const TS_NODE = 'node -r ts-node/register src/main.ts'
const SWC_NODE = 'node -r @swc-node/register src/main.ts'
const SWC_NODE_ESM = 'node --import @swc-node/register/esm-register src/main.ts'

const runners = [
  runner('tsx', '4.23', 'standard', 'esm', TSX, { isMain: true }),
  runner('tsx', '4.23', 'legacy', 'esm', TSX),
  runner('tsx', '4.23', 'standard', 'commonjs', TSX),
  runner('tsx', '4.23', 'legacy', 'commonjs', TSX),
  swc('standard', 'esm', { isMain: true }),
  swc('legacy', 'esm'),
  swc('standard', 'commonjs'),
  swc('legacy', 'commonjs'),
  swc('legacy', 'esm', withoutType('SWC')),
  runner('tsx', '4.23', 'legacy', 'esm', TSX, withoutType('tsx')),
  runner('ts-node', '10.9', 'standard', 'commonjs', TS_NODE, { ...node10, needs: NEEDS_NODE10 }),
  runner('ts-node', '10.9', 'legacy', 'commonjs', TS_NODE, {
    ...node10,
    needs: `${NEEDS_NODE10}, \`experimentalDecorators\``,
  }),
  runner('@swc-node/register', '1.12', 'legacy', 'esm', SWC_NODE_ESM),
  runner('@swc-node/register', '1.12', 'legacy', 'commonjs', SWC_NODE, node10),
  runner('@swc-node/register', '1.12', 'legacy', 'esm', SWC_NODE_ESM, withoutType('@swc-node/register')),
  ...[
    ['esm', SWC_NODE_ESM, {}],
    ['commonjs', SWC_NODE, node10],
  ].map(([format, start, rest]) =>
    runner('@swc-node/register', '1.12', 'standard', format, start, {
      ...rest,
      fails: /Expression expected/,
      needs: 'set `experimentalDecorators`',
    }),
  ),
]

const node24 = [
  tsc('typescript', '24.11', 'standard', 'esm', {
    tool: 'Node',
    tools: 'node-24',
    build: ['node ../node_modules/typescript/bin/tsc -p .'],
    start: '../node_modules/node/bin/node dist/main.js',
    needs: 'a build, by tsc for example',
  }),
  tsc('typescript', '24.11', 'standard', 'commonjs', {
    tool: 'Node',
    tools: 'node-24',
    build: ['node ../node_modules/typescript/bin/tsc -p .'],
    start: '../node_modules/node/bin/node dist/main.js',
    needs: 'a build, by tsc for example',
  }),
  tsc('typescript', '24.11', 'standard', 'esm', {
    tool: "Node's own type stripping",
    tools: 'node-24',
    build: [],
    imports: '.ts',
    start: '../node_modules/node/bin/node src/main.ts',
    fails: /SyntaxError: Invalid or unexpected token/,
    needs: 'it compiles no decorators: [`defineTable`](../guide/models.md#with-definetable), or a build',
  }),
]

const ESBUILD = 'esbuild src/main.ts --bundle --platform=node --packages=external --outfile=dist/main.js'

const esbuild = (mode, format, target, rest) => ({
  tool: 'esbuild',
  version: '0.28',
  mode,
  format,
  tools: 'bundlers',
  build: [`${ESBUILD} --format=${format === 'esm' ? 'esm' : 'cjs'} --target=${target}`],
  start: NODE,
  files: { 'tsconfig.json': tsconfig(mode, bundled) },
  needs:
    mode === 'legacy'
      ? '`experimentalDecorators` in `tsconfig.json`'
      : '`target` below `esnext`, such as `node20`',
  ...rest,
})

const swcPlugin = (mode) => `{
  name: 'decorators-by-swc',
  enforce: 'pre',
  async transform(code, id) {
    if (!/\\.ts$/.test(id.split('?')[0]) || !/^\\s*@\\w+/m.test(code)) return undefined
    return transform(code, ${JSON.stringify({
      filename: 'model.ts',
      sourceMaps: true,
      swcrc: false,
      jsc: swcrc(mode, 'esm').jsc,
    })})
  },
}`

const viteConfig = (mode, rest, imports = "import { transform } from '@swc/core'") => `${imports}
export default {
  ${rest}
  plugins: [${mode === 'standard' ? swcPlugin(mode) : ''}],
}
`

const SSR = `build: { ssr: 'src/main.ts', outDir: 'dist', rollupOptions: { output: { entryFileNames: 'main.js' } } },`
const BY_SWC = 'a plugin that compiles decorators by SWC or esbuild, [see below](#vite-and-vitest)'

const vite = (version, tools, mode, rest) => ({
  tool: 'Vite',
  version,
  mode,
  format: 'esm',
  tools,
  build: ['node ../node_modules/vite/bin/vite.js build --logLevel error'],
  start: NODE,
  files: {
    'tsconfig.json': tsconfig(mode, bundled),
    'vite.config.mjs': viteConfig(mode, SSR),
  },
  needs: mode === 'standard' ? BY_SWC : '`experimentalDecorators` in `tsconfig.json`',
  ...rest,
})

const vitest = (version, tools, mode, rest) => ({
  tool: 'vitest',
  version,
  mode,
  format: 'esm',
  tools,
  build: [],
  start: 'node ../node_modules/vitest/vitest.mjs run --root .',
  files: {
    'tsconfig.json': tsconfig(mode, bundled),
    'vitest.config.mjs': viteConfig(mode, "test: { include: ['src/*.test.ts'] },"),
    'src/insert.test.ts': testFile("import { test } from 'vitest'"),
  },
  needs: mode === 'standard' ? BY_SWC : '`experimentalDecorators` in `tsconfig.json`',
  ...rest,
})

/** Vite 7 compiles with esbuild, and sets its own target. */
const viteSeven = (rest) => ({
  files: {
    'tsconfig.json': tsconfig('standard', bundled),
    'vite.config.mjs': `export default {\n  ${rest}\n  esbuild: { target: 'es2022' },\n}\n`,
    'src/insert.test.ts': testFile("import { test } from 'vitest'"),
  },
  needs: "`esbuild: { target: 'es2022' }` in Vite's configuration",
})

const webpack = (loader, mode, rule, needs) => ({
  tool: `webpack, ${loader}`,
  version: '5.113',
  mode,
  format: 'esm',
  tools: 'bundlers',
  build: ['node webpack.mjs'],
  start: NODE,
  files: {
    'tsconfig.json': tsconfig(mode, bundled),
    'webpack.mjs': `import webpack from 'webpack'
webpack(
  {
    mode: 'production',
    target: 'node20',
    entry: './src/main.ts',
    optimization: { minimize: false },
    experiments: { outputModule: true },
    externals: /^@(google-cloud|isotherm)\\//,
    externalsType: 'module',
    output: { path: import.meta.dirname + '/dist', filename: 'main.js', library: { type: 'module' } },
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    module: { rules: [{ test: /\\.ts$/, ...${JSON.stringify(rule)} }] },
  },
  (error, stats) => {
    if (!error && !stats.hasErrors()) return
    console.error(error ?? stats.toString('errors-only'))
    process.exitCode = 1
  },
)
`,
  },
  needs,
})

const bundlers = [
  esbuild('standard', 'esm', 'node20', { isMain: true }),
  esbuild('legacy', 'esm', 'node20'),
  esbuild('standard', 'commonjs', 'node20'),
  esbuild('legacy', 'commonjs', 'node20'),
  esbuild('standard', 'esm', 'esnext', {
    fails: /SyntaxError: Invalid or unexpected token/,
    needs: BELOW_ESNEXT,
  }),
  { ...vite('7.3', 'vite-7', 'standard'), ...viteSeven(SSR) },
  vite('7.3', 'vite-7', 'legacy'),
  vite('8.3', 'bundlers', 'standard'),
  vite('8.3', 'bundlers', 'legacy'),
  webpack('ts-loader', 'standard', { loader: 'ts-loader' }, 'nothing'),
  webpack('ts-loader', 'legacy', { loader: 'ts-loader' }, '`experimentalDecorators`'),
  webpack(
    'swc-loader',
    'standard',
    { loader: 'swc-loader', options: { jsc: swcrc('standard', 'esm').jsc } },
    'the options of SWC',
  ),
  webpack(
    'swc-loader',
    'legacy',
    { loader: 'swc-loader', options: { jsc: swcrc('legacy', 'esm').jsc } },
    'the options of SWC',
  ),
]

const babel = (version, mode, format, decorators, rest) => ({
  tool: 'Babel',
  version,
  mode,
  format,
  tools: `babel-${version}`,
  build: ['babel src --out-dir dist --extensions .ts'],
  start: NODE,
  files: {
    'babel.config.json': {
      plugins: [
        ['@babel/plugin-transform-typescript', { ...(version === '7' && { allowDeclareFields: true }) }],
        ['@babel/plugin-proposal-decorators', decorators],
        ...(mode === 'legacy' ? ['@babel/plugin-transform-class-properties'] : []),
        ...(format === 'commonjs' ? ['@babel/plugin-transform-modules-commonjs'] : []),
      ],
    },
  },
  needs:
    mode === 'legacy'
      ? '`@babel/plugin-proposal-decorators` with `"version": "legacy"`, `@babel/plugin-transform-class-properties` [after it](#babel)'
      : '`@babel/plugin-proposal-decorators` with `"version": "2023-11"`, [after the plugin for TypeScript](#babel)',
  ...rest,
})

const jest = (transformer, version, mode, transform, needs) => ({
  tool: `Jest, ${transformer}`,
  version,
  mode,
  format: 'commonjs',
  tools: `jest-${version}`,
  build: [],
  start: 'node ../node_modules/jest/bin/jest.js',
  files: {
    'tsconfig.json': tsconfig(mode, { ...node10.options, esModuleInterop: true }),
    'jest.config.json': { transform: { '^.+\\.ts$': transform }, testMatch: ['**/src/*.test.ts'] },
    'src/insert.test.ts': testFile("import { test } from '@jest/globals'"),
  },
  imports: 'extensionless',
  needs,
})

const runnersOfTests = [
  vitest('4.1', 'bundlers', 'standard', { isMain: true }),
  vitest('4.1', 'bundlers', 'legacy'),
  vitest('3.2', 'vite-7', 'standard', viteSeven("test: { include: ['src/*.test.ts'] },")),
  vitest('3.2', 'vite-7', 'legacy'),
  vitest('5.1', 'vitest-5', 'standard'),
  vitest('5.1', 'vitest-5', 'legacy'),
  ...['29', '30'].flatMap((version) =>
    ['standard', 'legacy'].flatMap((mode) => [
      jest('ts-jest', version, mode, 'ts-jest', mode === 'legacy' ? '`experimentalDecorators`' : 'nothing'),
      jest('@swc/jest', version, mode, ['@swc/jest', swcrc(mode, 'commonjs')], 'the options of SWC'),
    ]),
  ),
]

const bun = (mode, rest) => runner('Bun', '1.4', mode, 'esm', 'bun src/main.ts', { tools: 'bun', ...rest })

const deno = (mode, rest) =>
  runner('Deno', '2.9', mode, 'esm', 'deno run --allow-all src/main.ts', {
    tools: 'deno',
    imports: '.ts',
    files: {
      'deno.json': {
        nodeModulesDir: 'manual',
        ...(mode === 'legacy' && { compilerOptions: { experimentalDecorators: true } }),
      },
    },
    needs: mode === 'legacy' ? '`experimentalDecorators` in `deno.json`' : 'nothing',
    ...rest,
  })

/** Inserts rows in a request, like an application of `nest new`, and stops. */
const NEST = {
  'src/insert-controller.ts': `import { Controller, Get, Injectable } from '@nestjs/common'
import { insertRows } from './insert.js'

@Injectable()
export class InsertService {
  insert(): Promise<void> {
    return insertRows()
  }
}

@Controller()
export class InsertController {
  constructor(private readonly service: InsertService) {}

  @Get() async insert(): Promise<string> {
    await this.service.insert()
    return 'inserted'
  }
}
`,
  'src/main.ts': `import 'reflect-metadata'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { InsertController, InsertService } from './insert-controller.js'

@Module({ controllers: [InsertController], providers: [InsertService] })
class AppModule {}

async function bootstrap(): Promise<void> {
  const app = await NestFactory.create(AppModule)
  await app.listen(0, '127.0.0.1')
  const response = await fetch(await app.getUrl())
  if (!response.ok) throw new Error(await response.text())
  await app.close()
}
void bootstrap()
`,
}

const nest = (version, builder, format) => ({
  tool: `NestJS, ${builder === 'swc' ? 'SWC' : 'tsc'}`,
  version,
  mode: 'legacy',
  format,
  tools: `nestjs-${version}`,
  build: ['node ../node_modules/@nestjs/cli/bin/nest.js build'],
  start: NODE,
  files: {
    ...NEST,
    'nest-cli.json': {
      collection: '@nestjs/schematics',
      sourceRoot: 'src',
      compilerOptions: { deleteOutDir: true, builder },
    },
    // With the options of `nest new`.
    'tsconfig.json': tsconfig('legacy', {
      target: 'es2023',
      // With it, SWC of version 11 writes `dist/src/main.js`.
      ...(version === '11' && { rootDir: undefined }),
      resolvePackageJsonExports: true,
      esModuleInterop: true,
      isolatedModules: true,
      declaration: true,
      removeComments: true,
      emitDecoratorMetadata: true,
      allowSyntheticDefaultImports: true,
      sourceMap: true,
      incremental: true,
    }),
  },
  ...(format === 'commonjs' && { imports: 'extensionless' }),
  needs: '`experimentalDecorators`, which `nest new` sets',
})

const EXTERNAL = ['@google-cloud/spanner', '@isotherm/core', '@isotherm/spanner']

const next = (bundler, mode, rest) => ({
  tool: `Next.js, ${bundler}`,
  version: '16',
  mode,
  format: 'esm',
  tools: 'next-16',
  build: [`node ../node_modules/next/dist/bin/next build --${bundler.toLowerCase()}`],
  start: 'node start.mjs',
  imports: 'extensionless',
  files: {
    'tsconfig.json': tsconfig(mode, {
      ...bundled,
      lib: ['dom', 'es2023', 'esnext.disposable'],
      // Next.js writes files that it compiles with these.
      rootDir: '.',
    }),
    // Our packages are installed two folders above.
    'next.config.mjs': `export default {
  serverExternalPackages: ${JSON.stringify(EXTERNAL)},
  turbopack: { root: import.meta.dirname + '/../..' },
}
`,
    'src/app/route.ts': `import { insertRows } from '../insert'

export const dynamic = 'force-dynamic'

export async function GET(): Promise<Response> {
  await insertRows()
  return new Response('inserted')
}
`,
    // Like `next start`, at a free port.
    'start.mjs': `import { createServer } from 'node:http'
import next from 'next'

const app = next({ dev: false })
await app.prepare()
const server = createServer(app.getRequestHandler())
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const response = await fetch('http://127.0.0.1:' + server.address().port)
process.exit(response.ok ? 0 : 1)
`,
  },
  needs: '`experimentalDecorators`, and [`serverExternalPackages`](#nextjs)',
  ...rest,
})

const frameworks = [
  nest('11', 'tsc', 'commonjs'),
  nest('11', 'swc', 'commonjs'),
  nest('12', 'tsc', 'esm'),
  nest('12', 'swc', 'esm'),
  nest('12', 'tsc', 'commonjs'),
  nest('12', 'swc', 'commonjs'),
  next('Turbopack', 'legacy'),
  next('webpack', 'legacy'),
  next('Turbopack', 'standard', {
    fails: /set "experimentalDecorators": true in tsconfig\.json/,
    needs: 'set `experimentalDecorators`',
  }),
  next('webpack', 'standard', {
    fails: /Expression expected/,
    needs: 'set `experimentalDecorators`: the build says [`Expression expected`](#nextjs) at a decorator',
  }),
  bun('standard'),
  bun('legacy'),
  bun('legacy', withoutType('Bun')),
  deno('standard'),
  deno('legacy'),
]

const refused2023 = {
  fails: /set version: "2023-11" or "legacy"/,
  needs: '`"version": "2023-11"`: `"2023-01"` gives decorators no metadata',
}

export const rows = [
  ...typescript,
  ...runners,
  ...bundlers,
  babel('7', 'standard', 'esm', { version: '2023-11' }),
  babel('7', 'standard', 'commonjs', { version: '2023-11' }),
  babel('7', 'legacy', 'esm', { version: 'legacy' }),
  babel('7', 'standard', 'esm', { version: '2023-01' }, refused2023),
  babel('8', 'standard', 'esm', { version: '2023-11' }),
  babel('8', 'standard', 'commonjs', { version: '2023-11' }),
  babel('8', 'legacy', 'esm', { version: 'legacy' }),
  ...node24,
  ...frameworks,
  ...runnersOfTests,
]

/** A name that no other row has, and a folder can have. */
export function idOf(row) {
  const name = `${row.tool} ${row.version} ${row.mode} ${row.format}${row.fails ? ' refused' : ''}`
  return name.replaceAll(/[^\w.]+/g, '-')
}
