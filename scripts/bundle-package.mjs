// Makes what is published of a package, in its folder `lib`: `node ../../scripts/bundle-package.mjs`, in the package's folder. `pnpm pack`
// and `pnpm publish` run it (prepack) and pack that folder (publishConfig.directory). Everything else in this repository runs on `dist`,
// which `tsc -b` makes.
//
// Modules become one graph of chunks, since an application that imports hundreds of files pays for each. Declarations stay as the
// compiler makes them. There are no source maps: the code is as it was written, without types and comments. Maps with
// their sources would make core's package larger than an application should download. CommonJS files lie beside the ES modules, for
// those who cannot `require` an ES module: docs/decisions/0067-commonjs-files.md.

import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const LIB = 'lib'
const COMMON_JS = 'commonjs'
/** What `require` cannot load before Node 22.12 is in the files for `require`: dependencies that are ES modules only. */
const INLINED = new Set(['leven', 'p-limit', 'yocto-queue'])
/** Vitest cannot be required, nor can a package that imports it. */
const hasCommonJs = !process.argv.includes('--es-modules-only')
const root = fileURLToPath(new URL('../', import.meta.url))
const {
  devDependencies: _,
  scripts: __,
  publishConfig: ___,
  files: ____,
  ...manifest
} = readJson('package.json')

execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b'], { stdio: 'inherit' })

/** The entries: `./dist/keys/index.js` is `keys/index`; `./dist/data/*.js` is every file of `data`. */
const entries = Object.values(manifest.exports)
  .map(({ default: file }) => /^\.\/dist\/(.*)\.js$/.exec(file ?? '')?.[1])
  .filter((name) => name !== undefined)
  .flatMap((name) =>
    name.endsWith('/*')
      ? readdirSync(`src/${dirname(name)}`).map((file) => `${dirname(name)}/${file.replace(/\.ts$/, '')}`)
      : [name],
  )
const effects = (manifest.sideEffects || []).map((file) => file.replace('./dist/', ''))

/**
 * TypeScript writes `_a = Planner` below a class that a private method of it names. This statement is an effect, and keeps the class,
 * and all that it uses, in every application that a bundler makes with anything of the same file.
 */
function withoutAliases(code) {
  const classes = new Map([...code.matchAll(/^(_[a-z]) = (\w+);$/gm)].map(([, alias, name]) => [alias, name]))
  if (classes.size === 0) return undefined
  return code
    .replaceAll(/^_[a-z] = \w+;$/gm, '')
    .replace(/^var (_[a-z](?:, _[a-z])*);$/m, (_, declared) => {
      const others = declared.split(', ').filter((each) => !classes.has(each))
      return others.length === 0 ? '' : `var ${others.join(', ')};`
    })
    .replaceAll(/\b_[a-z]\b/g, (each) => classes.get(each) ?? each)
}

/** Modules become files of one format in a folder of `lib`. @returns what was written */
async function build({ external, ...options }) {
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((name) => [name, `dist/${name}.js`])),
    external,
    platform: 'node',
    // No line before each module that names its file in `dist`, which the package does not have.
    experimental: { attachDebugInfo: 'none' },
    plugins: [{ name: 'classes-by-their-names', transform: withoutAliases }],
    treeshake: {
      // A package that says nothing of side effects has them anywhere.
      moduleSideEffects: (id) =>
        manifest.sideEffects === undefined || effects.some((file) => id.endsWith(file)),
    },
  })
  const { output } = await bundle.write({
    // A module with an effect is a file of its own, so that bundlers keep that file and may leave out all others.
    codeSplitting: {
      groups: effects.map((file) => ({
        name: nameOf(file),
        test: (id) => id.endsWith(file),
      })),
    },
    // What is written over a function is in its declaration, which editors show.
    comments: { jsdoc: false },
    ...options,
  })
  await bundle.close()
  return output
}

const output = await build({
  external: /^[^./]/,
  dir: LIB,
  cleanDir: true,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name].js',
})
if (hasCommonJs)
  output.push(
    ...(await build({
      external: (id) => /^[^./]/.test(id) && !INLINED.has(id),
      dir: join(LIB, COMMON_JS),
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: 'chunks/[name].cjs',
      // Jest has no `import()`. What is loaded so are CommonJS packages of others, and files of this package.
      dynamicImportInCjs: false,
      comments: false,
      // Names of functions and classes stay, and lines are short: a stack trace and the line that Node.js prints with it can be read.
      minify: {
        compress: false,
        mangle: { toplevel: true, keepNames: true },
        codegen: { removeWhitespace: false },
      },
    })),
  )

/** What a module imports is a part of Node.js, or the manifest says so: else an installation would not have it. */
const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
for (const { fileName, imports = [], dynamicImports = [] } of output)
  for (const name of [...imports, ...dynamicImports])
    if (
      !/^node:|\.c?js$/.test(name) &&
      !declared.some((each) => name === each || name.startsWith(`${each}/`))
    )
      throw new Error(`${fileName} imports ${name}, which package.json does not declare.`)

for (const file of reachable(entries.map((name) => `dist/${name}.d.ts`))) {
  const copy = join(LIB, relative('dist', file))
  mkdirSync(dirname(copy), { recursive: true })
  writeFileSync(copy, readFileSync(file, 'utf8').replace(/\n?\/\/# sourceMappingURL=.*\n?$/, '\n'))
}
// Each has the declarations of the ES module: a class that comes by `require` has the type of the one that comes by `import`.
if (hasCommonJs)
  for (const name of entries)
    writeFileSync(
      join(LIB, COMMON_JS, `${name}.d.cts`),
      `export * from '${'../'.repeat(name.split('/').length)}${name}.js'\n`,
    )
// The licenses of what is not a dependency in the files for `require`, but a part of them.
const inlined = output.flatMap(({ moduleIds = [] }) =>
  moduleIds.filter((id) => id.includes('/node_modules/')),
)
for (const folder of new Set(inlined.map((id) => dirname(id)))) {
  const license = readFileSync(join(folder, 'license'), 'utf8')
  writeFileSync(join(LIB, COMMON_JS, `LICENSE-${basename(folder)}`), license)
}
for (const file of ['README.md', 'LICENSE']) copyFileSync(file, join(LIB, file))
const published = {
  ...manifest,
  ...(effects.length > 0 && { sideEffects: effects.flatMap((file) => sideEffectsOf(nameOf(file))) }),
  exports: Object.fromEntries(
    Object.entries(manifest.exports).map(([entry, files]) => [entry, publishedFiles(files)]),
  ),
  ...forNode10(manifest.exports),
}
writeFileSync(join(LIB, 'package.json'), `${JSON.stringify(published, undefined, 2)}\n`)

/**
 * The files of an entry. Code that can `require` an ES module gets the one that `import` gives, so that a process has one copy of each
 * class: Node.js 20.19, 22.12 and newer, by the condition `module-sync`, and bundlers, by `module`. Node.js 22.0 to 22.11 and Jest
 * do not know these conditions.
 */
function publishedFiles(files) {
  if (typeof files === 'string') return files
  const { types, default: file } = JSON.parse(JSON.stringify(files).replaceAll('./dist/', './'))
  const module = { ...(types && { types }), default: file }
  if (!hasCommonJs) return module
  const required = commonJsOf(file)
  return {
    'module-sync': module,
    module,
    require: { types: required.replace(/cjs$/, 'd.cts'), default: required },
    ...module,
  }
}

function sideEffectsOf(name) {
  const module = `./chunks/${name}.js`
  return hasCommonJs ? [module, commonJsOf(module)] : [module]
}

function commonJsOf(module) {
  return module.replace(/^\.\/(.*)\.js$/, `./${COMMON_JS}/$1.cjs`)
}

/** For TypeScript's `moduleResolution: node10`, which does not read `exports`: before TypeScript 5.8, a CommonJS project needs it. */
function forNode10({ '.': main, ...others }) {
  const types = Object.entries(others).flatMap(([entry, { types: file }]) =>
    file === undefined ? [] : [[entry.slice('./'.length), [file.replace('./dist/', './')]]],
  )
  return {
    main: main.default.replace('./dist/', './'),
    types: main.types.replace('./dist/', './'),
    ...(types.length > 0 && { typesVersions: { '*': Object.fromEntries(types) } }),
  }
}

function nameOf(file) {
  return /([^/]+)\.js$/.exec(file)[1]
}

/** Declarations, and all that they import from this package. */
function reachable(files) {
  const found = new Set(files.map((file) => resolve(file)))
  for (const file of found) {
    // Examples in comments import files of an application.
    const text = readFileSync(file, 'utf8').replaceAll(/\/\*[^]*?\*\//g, '')
    for (const [, path] of text.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.js['"]/g))
      found.add(resolve(dirname(file), `${path}.d.ts`))
  }
  return found
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}
