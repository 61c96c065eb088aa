import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parsePage } from './markdown.mjs'

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** The pages whose code is checked; the links of every page are. */
const CODE_PAGES = [/^README\.md$/, /^docs\/.*\.md$/, /^packages\/[^/]+\/README\.md$/]
const SKIPPED = new Set(['node_modules', 'dist', 'coverage'])

/** Every Markdown file of the repository, parsed. */
export function readPages() {
  return markdownFiles(root)
    .map((file) => relative(root, file))
    .toSorted()
    .map((path) => ({
      ...parsePage(path, readFileSync(join(root, path), 'utf8')),
      hasCode: CODE_PAGES.some((pattern) => pattern.test(path)),
    }))
}

function markdownFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory())
      return SKIPPED.has(entry.name) || entry.name.startsWith('.') ? [] : markdownFiles(path)
    return entry.name.endsWith('.md') ? [path] : []
  })
}
