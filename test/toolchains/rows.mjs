// What Isotherm is compiled by, as data: `toolchains.test.ts` builds, starts and inserts by each row, and
// `scripts/write-toolchains.mjs` writes them into docs/guide/toolchains.md. `rows.d.mts` tells what the properties mean.

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

/** What a test calls in runners of tests. */
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

const typescript = [
  tsc('typescript-5.2', '5.2', 'standard', 'esm'),
  tsc('typescript-5.2', '5.2', 'legacy', 'esm'),
  tsc('typescript-5.2', '5.2', 'standard', 'commonjs', { ...node10, needs: NEEDS_NODE10 }),
  tsc('typescript-5.2', '5.2', 'legacy', 'commonjs', {
    ...node10,
    needs: `${NEEDS_NODE10}, \`experimentalDecorators\``,
  }),
  tsc('typescript-5.4', '5.4', 'standard', 'esm'),
  tsc('typescript-5.4', '5.4', 'standard', 'commonjs', { ...node10, needs: NEEDS_NODE10 }),
  tsc('typescript', '7.0', 'standard', 'esm', { isMain: true }),
  tsc('typescript', '7.0', 'legacy', 'esm', { isMain: true }),
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

const runners = [
  runner('tsx', '4.23', 'standard', 'esm', TSX, { isMain: true }),
  runner('tsx', '4.23', 'legacy', 'esm', TSX, { isMain: true }),
  runner('tsx', '4.23', 'standard', 'commonjs', TSX),
  runner('tsx', '4.23', 'legacy', 'commonjs', TSX),
  swc('standard', 'esm', { isMain: true }),
  swc('legacy', 'esm', { isMain: true }),
  swc('standard', 'commonjs'),
  swc('legacy', 'commonjs'),
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
  esbuild('legacy', 'esm', 'node20', { isMain: true }),
  esbuild('standard', 'commonjs', 'node20'),
  esbuild('legacy', 'commonjs', 'node20'),
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
        ...(format === 'commonjs' ? ['@babel/plugin-transform-modules-commonjs'] : []),
      ],
    },
  },
  needs:
    '`@babel/plugin-proposal-decorators` with `"version": "2023-11"`, [after the plugin for TypeScript](#babel)',
  ...rest,
})

const runnersOfTests = [
  vitest('4.1', 'bundlers', 'standard', { isMain: true }),
  vitest('4.1', 'bundlers', 'legacy', { isMain: true }),
]

export const rows = [
  ...typescript,
  ...runners,
  ...bundlers,
  babel('7', 'standard', 'esm', { version: '2023-11' }),
  babel('7', 'standard', 'commonjs', { version: '2023-11' }),
  babel('8', 'standard', 'esm', { version: '2023-11' }),
  babel('8', 'standard', 'commonjs', { version: '2023-11' }),
  ...runnersOfTests,
]

/** A name that no other row has, and a folder can have. */
export function idOf(row) {
  const name = `${row.tool} ${row.version} ${row.mode} ${row.format}${row.fails ? ' refused' : ''}`
  return name.replaceAll(/[^\w.]+/g, '-')
}
