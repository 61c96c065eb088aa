// Writes the messages in docs/reference/errors.md by making each mistake: `node scripts/write-error-messages.mjs [--check]`, after a
// build. With --check it writes nothing, and fails if the page has other messages. It needs no server: PGlite runs in this process.

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { calls, close } from './error-messages/calls.mjs'
import { commands } from './error-messages/commands.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const page = join(root, 'docs/reference/errors.md')
const BEGIN = '<!-- Written by scripts/write-error-messages.mjs. -->\n'
const problems = []
let count = 0

const both = await Promise.all([messagesOfCalls(), messagesOfCommands()])
await close()
const written = both.flat().join('\n')
const text = readFileSync(page, 'utf8')
const wanted = `${text.split(BEGIN)[0]}${BEGIN}\n${written}`
if (!process.argv.includes('--check')) {
  writeFileSync(page, wanted)
  console.log(`wrote ${count} messages into docs/reference/errors.md`)
} else if (text === wanted) {
  console.log(`docs/reference/errors.md has the ${count} messages that are printed`)
} else {
  problems.push(
    'docs/reference/errors.md has other messages than are printed: node scripts/write-error-messages.mjs',
  )
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0

async function messagesOfCalls() {
  const parts = []
  for (const [group, mistakes] of Object.entries(calls)) {
    parts.push(`### ${group}\n`)
    for (const [title, names, call] of mistakes) {
      const error = await failureOf(call)
      if (error?.docs === undefined) {
        problems.push(`${title}: ${error?.stack ?? 'no error'}`)
        continue
      }
      const { code, message, fix, findings } = error
      judge(
        title,
        names,
        message,
        fix !== undefined || findings !== undefined || / takes .+, not /.test(message),
      )
      parts.push(shown(title, sourceOf(call), `${code} ${message}`))
    }
  }
  return parts
}

async function failureOf(call) {
  try {
    await call()
  } catch (error) {
    return error
  }
}

/** `() => db.insert(…)` without the arrow, in one line. */
function sourceOf(call) {
  return String(call)
    .replace(/^(?:async )?\(\) =>\s*/, '')
    .replaceAll(/,?\s*\n\s*(?=[.)\]])|(?<=[([])\s*\n\s*/g, '')
    .replaceAll(/,?\s*\n\s*(?=\})/g, ' ')
    .replaceAll(/\s*\n\s*/g, ' ')
}

async function messagesOfCommands() {
  const parts = ['### The command\n']
  const folder = mkdtempSync(join(root, 'node_modules', '.error-messages-'))
  try {
    for (const { title, names, args, files = {} } of commands) {
      for (const [path, content] of Object.entries(files)) write(folder, path, content)
      const { code, output } = await run(folder, args)
      if (title === undefined) {
        if (code !== 0) problems.push(`isotherm ${args.join(' ')}: ${output}`)
        continue
      }
      if (code === 0) problems.push(`${title}: no error`)
      judge(title, names, output, /\n|\. /.test(output))
      parts.push(shown(title, `isotherm ${args.join(' ')}`, output))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return parts
}

async function run(folder, args) {
  const child = spawn(process.execPath, [join(root, 'packages/cli/bin/isotherm.js'), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const output = (await Promise.all([textOf(child.stdout), textOf(child.stderr)])).join('')
  const shownOutput = output
    .trim()
    .replaceAll(folder, '<folder>')
    .replaceAll(/\d{14}_/g, '<stamp>_')
    .replaceAll(/PostgreSQL 18\.\d+/g, 'PostgreSQL 18.x')
  return { code: await ended, output: shownOutput }
}

/** In a path, the name of a migration stands for its folder, which begins with a time stamp. */
function write(folder, path, content) {
  const full = join(
    folder,
    path.replace(/(?<=^migrations\/)\w+/, (name) =>
      readdirSync(join(folder, 'migrations')).find((each) => each.endsWith(`_${name}`)),
    ),
  )
  mkdirSync(dirname(full), { recursive: true })
  writeFileSync(full, typeof content === 'function' ? content(readFileSync(full, 'utf8')) : content)
}

/** What every message has to do: name the thing, and say what to do. */
function judge(title, names, message, hasFix) {
  count++
  if (!message.includes(names)) problems.push(`${title}: does not name ${names}: ${message}`)
  if (!hasFix) problems.push(`${title}: does not say what to do: ${message}`)
}

function shown(title, asked, answer) {
  return `${title[0].toUpperCase()}${title.slice(1)}:\n\n\`\`\`text\n> ${asked}\n${answer}\n\`\`\`\n`
}
