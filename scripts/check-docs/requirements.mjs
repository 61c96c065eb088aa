import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { root } from './pages.mjs'
import { check } from './plan.mjs'

export const PAGE = 'docs/requirements.md'
const PARTS = 'packages/testing/src/parts'

/** Rows whose tests on an engine are all left to the deep suite, by their beginnings, with the reason. */
const DEEP_ONLY = {
  '| A1 | The packed package, as an ES module': 'packages are installed',
}

const read = (file) => readFileSync(join(root, file), 'utf8')

/** Each row that names tests on an engine names one that `pnpm test` runs. */
export function requirementChecks({ path, links }, rows = read(path).split('\n'), deepOnly = DEEP_ONLY) {
  const tests = new Map()
  for (const { target, line } of links) {
    const file = join(dirname(path), target)
    if (isOnEngine(file)) tests.set(line, [...(tests.get(line) ?? []), file])
  }
  return [...tests].map(([line, files]) => {
    const isInGate = files.some((file) => !isDeep(runnerOf(file)))
    const isExcepted = Object.keys(deepOnly).some((start) => rows[line - 1].startsWith(start))
    if (isInGate !== isExcepted) return check('requirements, tested by every change')
    const mistake = isInGate
      ? 'the row needs no exception in scripts/check-docs/requirements.mjs any more.'
      : `of the tests on an engine, pnpm test runs none: ${files.join(', ')}.`
    return check('requirements, tested by every change', [`${path}:${line}: ${mistake}`])
  })
}

function isOnEngine(file) {
  return /^test\/(?!pretend-engine\/)|\/demo\.test\.ts$/.test(file) || dirname(file) === PARTS
}

const deep = [...read('test/support/deep-files.ts').matchAll(/^ {2}'(.+)',$/gm)].map(([, glob]) => {
  const pattern = glob.replaceAll('.', '\\.').replaceAll('**/', '(.+/)?').replaceAll('*', '[^/]*')
  return new RegExp(`^${pattern}$`)
})

/** What is not a test file is run by none that is known here. */
function isDeep(file) {
  return !file?.endsWith('.test.ts') || deep.some((pattern) => pattern.test(file))
}

/** The test file that runs a part of the conformance suite; others run by themselves. */
function runnerOf(file) {
  if (dirname(file) !== PARTS) return file
  const parts = read(`${PARTS}/parts.ts`)
  const [, variable] =
    new RegExp(`import { (\\w+) } from './${basename(file, '.ts')}\\.js'`).exec(parts) ?? []
  const [, name = variable] = new RegExp(`^ {2}'?([^':]+)'?: ${variable},`, 'm').exec(parts) ?? []
  const [, runner] =
    new RegExp(`^ {2}'?([\\w-]+)'?: \\[[^\\]]*'${name}'`, 'm').exec(read('test/conformance/files.ts')) ?? []
  return runner && `test/conformance/${runner}.test.ts`
}
