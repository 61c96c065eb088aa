import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { PACKAGES } from '../lint/folders.mjs'
import { root } from './pages.mjs'
import { check } from './plan.mjs'

export const PAGE = 'docs/architecture.md'
/** The maximum number of files in each path. */
const LIMITS = { 'an insert': 10, 'a row of a fan-out': 15, 'a migration': 12, 'a Drizzle select': 15 }

/** The page of the architecture against the code: the order of the folders, and each path, file by file. */
export function architectureChecks(pages) {
  const page = pages.find(({ path }) => path === PAGE)
  if (!page) return [check('architecture', [`${PAGE} is missing.`])]
  const text = readFileSync(join(root, PAGE), 'utf8')
  const paths = [...text.matchAll(/^## The path of (.+)\n([^]*?)(?=^## |(?![^]))/gm)]
  return [
    ...Object.entries(PACKAGES).map(([name, order]) =>
      check(
        'folders, as the linter has them',
        text.includes(folderRow(name, order)) ? [] : [`${PAGE}:1: lacks the row: ${folderRow(name, order)}`],
      ),
    ),
    check(
      'paths, all of them',
      Object.keys(LIMITS).flatMap((name) =>
        paths.some(([, each]) => each === name) ? [] : [`${PAGE}:1: lacks the path of ${name}.`],
      ),
    ),
    ...paths.map(([, name, list]) =>
      check('paths, through files that import each other', mistakesOf(name, list)),
    ),
  ]
}

export function folderRow(name, { shared, folders }) {
  const list = (names) => names.map((each) => `\`${each}\``).join(', ')
  return `| ${name} | ${list(shared)} | ${list(folders)} |`
}

/**
 * Each file imports another one of its path, or is imported by one. A call through an object names the file of the object's type,
 * which both sides import: "(by `core/layout/layout.ts`)"; or the seam, which is in another package.
 */
function mistakesOf(name, list) {
  const stops = [
    ...list.matchAll(/^\d+\. `([\w-]+)\/([^`]+)`(?: \((across the seam|by `[\w-]+\/[^`]+`)\))?:/gm),
  ].map(([, pack, file, how]) => ({ file: sourceOf(pack, file), how }))
  if (stops.length === 0) return [`${PAGE}:1: the path of ${name} lists no files.`]
  if (stops.length > LIMITS[name])
    return [`${PAGE}:1: the path of ${name} has ${stops.length} files, more than ${LIMITS[name]}.`]
  const missing = stops.find(({ file }) => !existsSync(join(root, file)))
  if (missing) return [`${PAGE}:1: there is no ${missing.file}.`]
  return stops.flatMap(({ file, how }) => {
    if (how === 'across the seam') return []
    const others = stops.map((stop) => stop.file).filter((each) => each !== file)
    const [, pack, type] = /^by `([\w-]+)\/([^`]+)`$/.exec(how ?? '') ?? []
    const isConnected =
      pack === undefined
        ? others.some((each) => importsOf(each).has(file) || importsOf(file).has(each))
        : [
            others.some((each) => importsOf(each).has(sourceOf(pack, type))),
            importsOf(file).has(sourceOf(pack, type)),
          ].every(Boolean)
    return isConnected
      ? []
      : [`${PAGE}:1: in the path of ${name}, ${file} has nothing to do with the other files.`]
  })
}

function sourceOf(pack, file) {
  return `packages/${pack}/src/${file}`
}

function importsOf(file) {
  const text = readFileSync(join(root, file), 'utf8')
  return new Set(
    [...text.matchAll(/from '(\.[^']+)'/g)].map(([, path]) =>
      normalize(join(dirname(file), path)).replace(/\.js$/, '.ts'),
    ),
  )
}
