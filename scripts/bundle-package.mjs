// Makes what is published of a package, in its folder `lib`: `node ../../scripts/bundle-package.mjs`, in the package's folder. `pnpm pack`
// and `pnpm publish` run it (prepack) and pack that folder (publishConfig.directory). Everything else in this repository runs on `dist`,
// which `tsc -b` makes.
//
// Modules become one graph of chunks, since an application that imports hundreds of files pays for each. Declarations stay as the
// compiler makes them. There are no source maps: the code is as it was written, without types. Maps with
// their sources would make core's package larger than an application should download (770 kB in place of 340).

import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const LIB = 'lib'
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

const bundle = await rolldown({
  input: Object.fromEntries(entries.map((name) => [name, `dist/${name}.js`])),
  external: /^[^./]/,
  platform: 'node',
  treeshake: {
    // A package that says nothing of side effects has them anywhere.
    moduleSideEffects: (id) =>
      manifest.sideEffects === undefined || effects.some((file) => id.endsWith(file)),
  },
})
const { output } = await bundle.write({
  dir: LIB,
  cleanDir: true,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name].js',
  // A module with an effect is a file of its own, so that bundlers keep that file and may leave out all others.
  codeSplitting: {
    groups: effects.map((file) => ({
      name: nameOf(file),
      test: (id) => id.endsWith(file),
    })),
  },
})
await bundle.close()

/** What a module imports is a part of Node.js, or the manifest says so: else an installation would not have it. */
const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
for (const { fileName, imports = [], dynamicImports = [] } of output)
  for (const name of [...imports, ...dynamicImports])
    if (!/^node:|\.js$/.test(name) && !declared.some((each) => name === each || name.startsWith(`${each}/`)))
      throw new Error(`${fileName} imports ${name}, which package.json does not declare.`)

for (const file of reachable(entries.map((name) => `dist/${name}.d.ts`))) {
  const copy = join(LIB, relative('dist', file))
  mkdirSync(dirname(copy), { recursive: true })
  writeFileSync(copy, readFileSync(file, 'utf8').replace(/\n?\/\/# sourceMappingURL=.*\n?$/, '\n'))
}
for (const file of ['README.md', 'LICENSE']) copyFileSync(file, join(LIB, file))
const published = {
  ...manifest,
  ...(effects.length > 0 && { sideEffects: effects.map((file) => `./chunks/${nameOf(file)}.js`) }),
  exports: JSON.parse(JSON.stringify(manifest.exports).replaceAll('./dist/', './')),
  ...forNode10(manifest.exports),
}
writeFileSync(join(LIB, 'package.json'), `${JSON.stringify(published, undefined, 2)}\n`)

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
