// Checks the words of docs, messages, comments and test titles against scripts/prose/terms.yml, and names in code against
// scripts/prose/names.json: `node scripts/check-prose.mjs [file …]`. Code is checked by its comments and by its texts of several
// words, and so are the TypeScript examples of Markdown; code spans and other code blocks are left out.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { TextlintKernel } from '@textlint/kernel'
import markdown from '@textlint/textlint-plugin-markdown'
import plainText from '@textlint/textlint-plugin-text'
import { parseSync, Visitor } from 'oxc-parser'
import prh from 'textlint-rule-prh'

const root = fileURLToPath(new URL('..', import.meta.url))
/** By a word of an identifier: `onlyIn` is a folder of the path, `unless` has words before it with which it is meant otherwise. */
const bannedInNames = new Map(
  JSON.parse(readFileSync(new URL('prose/names.json', import.meta.url), 'utf8')).flatMap(
    ({ words, ...rule }) => words.map((word) => [word, rule]),
  ),
)
/** Written by programs, or the words of others: recorded statements, names of columns, lists of what is banned. */
const LEFT_OUT =
  /^(?:scripts\/prose\/|scripts\/check-prose-guards\.mjs|packages\/core\/src\/lint\/column-names\.ts|LICENSE|pnpm-lock\.yaml)|\/golden\/|\.snap$/

const kernel = new TextlintKernel()
const plugins = [
  { pluginId: 'markdown', plugin: markdown.default ?? markdown },
  { pluginId: 'text', plugin: plainText.default ?? plainText },
]
const rules = [
  {
    ruleId: 'prh',
    rule: prh.default ?? prh,
    options: { rulePaths: [fileURLToPath(new URL('prose/terms.yml', import.meta.url))] },
  },
]

const asked = process.argv.slice(2)
const files = asked.length > 0 ? asked : filesOfRepository()
const problems = []
for (const file of files) problems.push(...(await problemsOf(file)))
for (const problem of problems) console.error(problem)
console.log(`${files.length} files, ${problems.length} words or names to replace`)
process.exitCode = problems.length > 0 ? 1 : 0

function filesOfRepository() {
  return execFileSync('git', ['ls-files', '*.md', '*.ts', '*.mts', '*.cts', '*.mjs'], {
    cwd: root,
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .filter((file) => !LEFT_OUT.test(file))
}

async function problemsOf(file) {
  const source = readFileSync(file, 'utf8')
  if (file.endsWith('.md')) {
    const found = await wordsOf(file, source, '.md')
    for (const example of examplesOf(source))
      found.push(...(await problemsOfCode(file, 'example.ts', example)))
    return found
  }
  return problemsOfCode(file, file, source)
}

/** The TypeScript examples of a page, each at its own lines. */
function examplesOf(page) {
  return [...page.matchAll(/^```ts\b.*\n([^]*?)^```$/gm)].map(
    ({ 0: block, 1: code, index }) => '\n'.repeat(lineOf(page, index + block.indexOf('\n') + 1) - 1) + code,
  )
}

/** @param name by which the parser knows the language */
async function problemsOfCode(file, name, source) {
  const { prose, identifiers } = readCode(name, source)
  const found = identifiers.flatMap(([name, at]) => {
    const banned = bannedIn(name, file)
    return banned ? [`${file}:${lineOf(source, at)}: ${name}: use ${banned.use}`] : []
  })
  return [...found, ...(await wordsOf(file, prose, '.txt'))]
}

async function wordsOf(file, text, ext) {
  const { messages } = await kernel.lintText(text, { filePath: file, ext, plugins, rules })
  return messages.map(({ message, loc }) => `${file}:${loc.start.line}: ${message.split('\n')[0]}`)
}

/** The source with a space for every character that is not of a comment or of a text, and the names that it declares or uses. */
function readCode(file, source) {
  const { program, comments } = parseSync(file, source)
  const shown = []
  const identifiers = []
  const isProse = ({ start, end }) => /\S\s+\S/.test(source.slice(start, end))
  const name = ({ name, start }) => identifiers.push([name, start])
  new Visitor({
    Identifier: name,
    PrivateIdentifier: name,
    Literal: (node) => {
      if (typeof node.value === 'string' && isProse(node)) shown.push([node.start + 1, node.end - 1])
    },
    TemplateLiteral: (node) => {
      if (isProse(node)) for (const { start, end } of node.quasis) shown.push([start, end])
    },
  }).visit(program)
  for (const { start, end } of comments) shown.push([start + 2, end])
  const prose = source.replaceAll(/[^\n]/g, ' ').split('')
  for (const [start, end] of shown) for (let at = start; at < end; at++) prose[at] = source[at]
  return { prose: prose.join(''), identifiers }
}

/** The rule that an identifier breaks by one of its words, as in camelCase and CONSTANT_CASE. */
function bannedIn(name, file) {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[ _$]+/)
  for (const [at, word] of words.entries()) {
    const rule = bannedInNames.get(word)
    if (!rule || (rule.onlyIn && !file.split('/').includes(rule.onlyIn))) continue
    if (!rule.unless?.includes(words[at - 1])) return rule
  }
  return undefined
}

function lineOf(source, at) {
  return source.slice(0, at).split('\n').length
}
