import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { MARKER, sections } from './module-source.mjs'
import { check } from './plan.mjs'
import { differences } from './text.mjs'

/** For what hangs. */
const TIME_LIMIT = 600_000
const TOGETHER = fileURLToPath(new URL('run-together.mjs', import.meta.url))
const AT_ONCE = 2

/** Executes the modules that say so and compares what they print with what the pages say. */
export async function runChecks(modules, engines) {
  const runnable = modules.filter(({ run }) => run)
  const waiting = runnable.filter(({ failures }) =>
    [...failures.values()].every((found) => found.length === 0),
  )
  const checks = runnable
    .filter((module) => !waiting.includes(module))
    .map(({ path, blocks }) =>
      check('modules, executed', [`${path}:${blocks[0].line}: not executed: it does not compile.`]),
    )
  const ofEngine = new Map(waiting.map((module) => [module, engines.usedBy(codeOf(module))]))
  const pure = waiting.filter((module) => ofEngine.get(module).length === 0)
  const work = [
    () => runTogether(pure),
    ...waiting
      .filter((module) => !pure.includes(module))
      .map((module) => async () => {
        const environment = await engines.environmentOf(ofEngine.get(module))
        return checksOf(module, await execute([module.script], environment))
      }),
  ]
  const results = await inParallel(work, (each) => each())
  return [...checks, ...results.flat()]
}

const codeOf = ({ source }) => source.map(({ text }) => text).join('\n')

const runAlone = async (module) => checksOf(module, await execute([module.script], {}))

/** Those without an engine share a process: most of their time would go into starting one. */
async function runTogether(modules) {
  if (modules.length === 0) return []
  const scripts = modules.map(({ script }) => script)
  const end = await execute([TOGETHER, ...scripts], {})
  // Which of them it was shows when each has a process of its own.
  if (end.code !== 0) return (await inParallel(modules, runAlone)).flat()
  const told = end.printed
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  return modules.flatMap((module, at) => {
    if (told[at] === undefined) return checksOf(module, { ...end, code: 1 })
    const { printed, complained = '' } = told[at]
    return checksOf(module, { printed, complained, code: complained === '' ? 0 : 1 })
  })
}

async function inParallel(items, work) {
  const results = []
  const queue = [...items.entries()]
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) results[next[0]] = await work(next[1])
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return results
}

/** In a process of its own, which has to end by itself. */
async function execute(scripts, engines) {
  // Colours would be part of what is printed.
  const { FORCE_COLOR: _, ...environment } = process.env
  const child = spawn(process.execPath, ['--enable-source-maps', ...scripts], {
    env: { ...environment, ...engines },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  let complained = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => (printed += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk) => (complained += chunk))
  const timer = setTimeout(() => child.kill('SIGKILL'), TIME_LIMIT)
  const [code, signal] = await new Promise((resolve) => {
    child.on('close', (...end) => resolve(end))
  })
  clearTimeout(timer)
  return { printed, complained, code, signal }
}

function checksOf(module, { printed, complained, code, signal }) {
  const { path, blocks } = module
  const failures = []
  if (signal === 'SIGKILL')
    failures.push(`${path}:${blocks[0].line}: does not end within ${TIME_LIMIT / 1000} s.`)
  else if (code !== 0)
    failures.push(`${positionOf(module, complained)}: ends with exit code ${code}: ${complained.trim()}`)
  const checks = [check('modules, executed', failures)]
  if (failures.length > 0) return checks

  const found = sections(printed)
  for (const [at, { output, ddl }] of blocks.entries()) {
    if (output) checks.push(check('outputs', compared(output, found.get(`output ${at}`))))
    if (ddl)
      checks.push(check('sql blocks, compared with the DDL', compared(ddl.block, found.get(`ddl ${at}`))))
  }
  return checks
}

/** The line of the page from which an error was thrown: the first in its stack that is one. */
function positionOf({ path, name, source, blocks }, complained) {
  for (const [, line] of complained.matchAll(new RegExp(`${name}\\.ts:(\\d+)`, 'g'))) {
    const { block, offset } = source[Number(line) - 1] ?? {}
    if (block) return `${path}:${block.line + offset}`
  }
  return `${path}:${blocks[0].line}`
}

function compared(block, actual = '') {
  const lines = actual.replaceAll(MARKER, '').split('\n')
  const difference = differences(block.lines, lines, block.language === 'sql')
  return difference === undefined ? [] : [`${block.path}:${block.line + difference.at}: ${difference.text}`]
}
