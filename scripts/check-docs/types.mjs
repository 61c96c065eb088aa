import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { sourceOf } from './module-source.mjs'
import { root } from './pages.mjs'
import { check } from './plan.mjs'

/** Inside node_modules, so that it is not committed and imports are resolved; gone with this process. */
const workshop = newWorkshop()

const COMPILER_OPTIONS = {
  target: 'es2022',
  lib: ['es2024', 'esnext.decorators', 'esnext.disposable'],
  module: 'nodenext',
  moduleDetection: 'force',
  types: ['node'],
  strict: true,
  skipLibCheck: true,
  sourceMap: true,
}

/** Compiles every module, in its decorator mode; each block is one check. */
export async function typeChecks(modules) {
  linkPackages()
  for (const module of modules) {
    module.source = sourceOf(module)
    module.failures = new Map(module.blocks.map((block) => [block, []]))
  }
  const elsewhere = []
  for (const legacy of [false, true]) {
    const ofMode = modules.filter((module) => module.legacy === legacy)
    if (ofMode.length > 0) elsewhere.push(...(await compile(ofMode, legacy)))
  }
  return [
    ...modules.flatMap(({ failures }) =>
      [...failures.values()].map((found) => check('ts blocks, type-checked', found)),
    ),
    ...(elsewhere.length > 0 ? [check('built packages', elsewhere)] : []),
  ]
}

function newWorkshop() {
  const cache = join(root, 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'check-docs-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The workspace's packages as an application would see them, built. */
function linkPackages() {
  for (const folder of readdirSync(join(root, 'packages'))) {
    const target = join(root, 'packages', folder)
    if (!existsSync(join(target, 'package.json'))) continue
    const { name } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'))
    if (!existsSync(join(target, 'dist'))) {
      throw new Error(`${name} is not built yet. Build first: npx -y pnpm@12 build`)
    }
    const link = join(workshop, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(target, link)
  }
}

async function compile(modules, legacy) {
  const folder = join(workshop, legacy ? 'legacy' : 'standard')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  for (const module of modules) {
    writeFileSync(join(folder, `${module.name}.ts`), module.source.map(({ text }) => text).join('\n'))
    module.script = join(folder, `${module.name}.js`)
  }
  const mode = legacy ? { experimentalDecorators: true, emitDecoratorMetadata: true } : {}
  const files = modules.map(({ name }) => `${name}.ts`)
  const config = { compilerOptions: { ...COMPILER_OPTIONS, ...mode }, files }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config, undefined, 2))

  const said = await tsc(folder)
  const elsewhere = []
  for (const message of messagesOf(said)) {
    const module = modules.find(({ name }) => message.file === `${name}.ts`)
    const origin = module?.source[message.line - 1]
    if (origin?.block) {
      const line = origin.block.line + origin.offset
      const where = `${module.path}:${line}:${message.column + origin.block.indent}`
      module.failures.get(origin.block).push(`${where}: ${message.text}`)
    } else {
      elsewhere.push(`${message.file}:${message.line}:${message.column}: ${message.text}`)
    }
  }
  return elsewhere
}

async function tsc(folder) {
  const child = spawn(join(root, 'node_modules', '.bin', 'tsc'), ['-p', '.', '--pretty', 'false'], {
    cwd: folder,
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  if (code !== 0 && messagesOf(said).length === 0) throw new Error(`tsc ended with ${code}: ${said}`)
  return said
}

/** tsc's messages; a line that begins with spaces goes on with the one before. */
function messagesOf(said) {
  const messages = []
  for (const line of said.split('\n')) {
    const [, file, row, column, text] = /^(.+?)\((\d+),(\d+)\): error (.*)$/.exec(line) ?? []
    if (file !== undefined) messages.push({ file, line: Number(row), column: Number(column), text })
    else if (line.startsWith(' ') && messages.length > 0) messages.at(-1).text += `\n  ${line}`
    else if (line.startsWith('error '))
      messages.push({ file: 'tsconfig.json', line: 1, column: 1, text: line })
  }
  return messages
}
