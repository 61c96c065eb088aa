// Writes docs/reference/cli.md from the definitions of the commands: `node scripts/write-cli-reference.mjs [--check]`, after a
// build. With --check it writes nothing, and fails if the page is not what it would write.

import { readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commands as definitions } from '../packages/cli/dist/commands/index.js'
import { installedEngines } from '../packages/cli/dist/config/engines.js'
import { listedEngines } from '../packages/cli/dist/engines.js'
import { exitCodeMeanings } from '../packages/cli/dist/command-error.js'
import { optionText, withOptions } from '../packages/cli/dist/run.js'

const root = fileURLToPath(new URL('../', import.meta.url))
const page = fileURLToPath(new URL('../docs/reference/cli.md', import.meta.url))
const script = relative(root, fileURLToPath(import.meta.url))

const { engines } = await installedEngines(listedEngines)
const commands = definitions.map((each) =>
  withOptions(
    each,
    engines.map(({ command }) => command),
  ),
)

const text = [
  '# The command `isotherm`',
  '',
  `<!-- Written by ${script}: change the definitions in packages/cli/src/commands instead. -->`,
  '',
  'From the package `@isotherm/cli`. [Migrations](../guide/migrations.md) tells what to do with it.',
  '',
  '| command | |',
  '| --- | --- |',
  ...commands.map(({ name, summary }) => `| [\`isotherm ${name}\`](#isotherm-${name}) | ${cell(summary)} |`),
  '',
  '`isotherm <command> --help` prints what stands here. A flag goes before the environment, and that before',
  '[the configuration](../guide/migrations.md#configuration).',
  '',
  '## Exit codes',
  '',
  '| | |',
  '| --- | --- |',
  ...exitCodeMeanings.map(([code, meaning]) => `| ${code} | ${meaning} |`),
  ...commands.flatMap(sectionOf),
  '',
].join('\n')

const shown = relative(root, page)
if (!process.argv.includes('--check')) {
  writeFileSync(page, text)
  console.log(`wrote ${shown}`)
} else if (read(page) === text) {
  console.log(`${shown} is what the definitions say`)
} else {
  console.error(`${shown} is not what the definitions say: node ${script}`)
  process.exitCode = 1
}

function sectionOf(command) {
  const { name, description, arguments: args, options, examples, exits = [] } = command
  const usage = ['isotherm', name, ...args.map((each) => each.name), '[options]'].join(' ')
  return [
    '',
    `## isotherm ${name}`,
    '',
    `    ${usage}`,
    '',
    description,
    ...table(
      'argument',
      args.map((each) => [each.name, each.description]),
    ),
    ...table(
      'option',
      options.map((each) => [each.flags, optionText(each)]),
    ),
    ...table(
      'example',
      examples.map((each) => [each.command, each.what]),
    ),
    ...(exits.length === 0
      ? []
      : ['', 'Exit codes:', '', ...exits.map((line) => `- ${line.replace(/ +/, ': ')}`)]),
  ]
}

function table(title, rows) {
  if (rows.length === 0) return []
  return [
    '',
    `| ${title} | |`,
    '| --- | --- |',
    ...rows.map(([code, what]) => `| \`${cell(code)}\` | ${cell(what)} |`),
  ]
}

/** A bar would begin another cell. */
function cell(value) {
  return value.replaceAll('|', '\\|')
}

function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
