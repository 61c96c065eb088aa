import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root } from './pages.mjs'
import { check } from './plan.mjs'

/** Where files of this repository are in the web: pages that a registry shows link to them there. */
const REPOSITORY = 'https://github.com/isotherm-orm/isotherm/blob/main'

/** Whether what the chosen pages link to is there: files, folders, headings, lines. Other web addresses are not asked. */
export function linkChecks(chosen, all) {
  return chosen.flatMap((page) => [
    ...page.links.map(({ target, line }) => {
      const problem = problemOf(page, target, all)
      return check('links', problem === undefined ? [] : [`${page.path}:${line}: ${target} ${problem}`])
    }),
    ...page.references
      .filter(({ name }) => !page.definitions.has(name))
      .map(({ name, line }) =>
        check('links', [`${page.path}:${line}: [${name}] is defined nowhere on the page.`]),
      ),
  ])
}

function problemOf(page, link, all) {
  const target = link.startsWith(`${REPOSITORY}/`) ? link.slice(REPOSITORY.length) : link
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return URL.canParse(target) ? undefined : 'is not a web address.'
  const [path, anchor] = target.split('#', 2)
  let decoded
  try {
    decoded = decodeURIComponent(path)
  } catch {
    return 'is not an address.'
  }
  const file =
    decoded === '' ? join(root, page.path) : join(root, decoded[0] === '/' ? '' : dirname(page.path), decoded)
  if (relative(root, file).startsWith('..')) return 'leads out of the repository.'
  if (!existsSync(file)) return 'is not there.'
  if (anchor === undefined || anchor === '') return undefined
  const linked = all.find(({ path: each }) => each === relative(root, file))
  if (linked) return linked.anchors.has(anchor) ? undefined : 'has no such heading.'
  const [, first] = /^L(\d+)/.exec(anchor) ?? []
  if (first === undefined || statSync(file).isDirectory()) return 'is not a page with headings.'
  return readFileSync(file, 'utf8').split('\n').length >= Number(first) ? undefined : 'has fewer lines.'
}
