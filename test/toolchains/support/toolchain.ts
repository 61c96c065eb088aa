import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { compileDdl } from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import { googlesql } from '@isotherm/spanner'
import { expect } from 'vitest'
import { atEndOfFile } from '../../support/end-of-file.js'
import { sharedEmulator } from '../../support/spanner.js'
import { idOf, type ToolchainRow } from '../rows.mjs'
import { schema } from './schema.js'

const call = promisify(execFile)
const own = fileURLToPath(new URL('../', import.meta.url))
/** Milliseconds after which a hanging process is killed. */
const LIMIT_MS = 300_000

const ddl = compileDdl(schema, { dialect: googlesql })
/** A time in the form of the client, which has nanoseconds. */
const recorded = '2026-11-27T10:00:00.000000000Z'

/** Installs the tools of a folder of `tools/` from its lockfile. The packages of Isotherm are in the folder above. */
export async function installTools(name: string, folder: string): Promise<void> {
  mkdirSync(join(folder, name), { recursive: true })
  for (const file of ['package.json', 'package-lock.json'])
    cpSync(join(own, 'tools', name, file), join(folder, name, file))
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--legacy-peer-deps']
  await call('npm', ['ci', ...options], { cwd: join(folder, name) })
}

function textOf({ importsTypesAsValues }: ToolchainRow, text: string): string {
  return importsTypesAsValues ? text.replaceAll(/, type (?=\w+ \} from '@isotherm)/g, ', ') : text
}

/** The application for a row, in a separate folder. */
function writeApplication(row: ToolchainRow, folder: string): void {
  const extension = { extensionless: '', '.ts': '.ts', '.js': '.js' }[row.imports ?? '.js']
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    const isSource = path.startsWith('src/')
    writeFileSync(
      join(folder, path),
      isSource ? text.replaceAll(/(from '\.\/\w+)\.js'/g, `$1${extension}'`) : text,
    )
  }
  const type = row.format === 'esm' ? 'module' : 'commonjs'
  write('package.json', JSON.stringify({ name: 'application', private: true, type }))
  const application = join(own, 'application')
  for (const file of readdirSync(application))
    write(`src/${file}`, textOf(row, readFileSync(join(application, file), 'utf8')))
  for (const [path, content] of Object.entries(row.files))
    write(path, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2))
}

let database: Promise<string> | undefined
let customers = 0n

/** One database for all rows of a file: each row inserts its own customer. */
function databaseName(): Promise<string> {
  if (database) return database
  // The next test file has another emulator.
  atEndOfFile(() => (database = undefined))
  database = sharedEmulator()
    .then((emulator) => emulator.database({ ddl }))
    .then((created) => created.formattedName_)
  return database
}

/**
 * Builds a row's application, starts it, and compares what it has inserted.
 *
 * @param folder has the folder of the row's tools, and our packages
 */
export async function runToolchain(row: ToolchainRow, folder: string): Promise<void> {
  const { host } = await sharedEmulator()
  const customerId = ++customers
  const home = join(folder, row.tools, idOf(row))
  writeApplication(row, home)
  const said: string[] = []
  let hasFailed = false
  for (const command of [...row.build, row.start]) {
    const { output, isDone } = await run(command, home, {
      PATH: [join(folder, row.tools, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
      SPANNER_EMULATOR_HOST: host,
      DATABASE: await databaseName(),
      CUSTOMER: String(customerId),
    })
    said.push(`$ ${command}\n${output}`)
    if (isDone) continue
    hasFailed = true
    break
  }
  const output = said.join('\n')
  if (row.fails) {
    expect(output).toMatch(row.fails)
    expect(hasFailed).toBe(true)
    return
  }
  const result = join(home, 'result.json')
  if (hasFailed || !existsSync(result)) throw new Error(`${idOf(row)} inserts nothing:\n${output}`)
  expect(JSON.parse(readFileSync(result, 'utf8'))).toEqual({
    ddl,
    rows: [
      { recorded, author: null, customerId: `${customerId}n`, name: 'Ada' },
      { recorded, author: 'Ada', customerId: `${customerId}n`, orderId: '7n', note: { pages: 3 } },
      {
        shardId: `${shardOf(customerId, 64)}n`,
        lastAccess: recorded,
        userId: `${customerId}n`,
        page: '/docs',
      },
    ],
  })
}

async function run(
  command: string,
  cwd: string,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly output: string; readonly isDone: boolean }> {
  const [program, ...words] = command.split(' ')
  const env: NodeJS.ProcessEnv = { ...process.env, ...environment, NEXT_TELEMETRY_DISABLED: '1' }
  // The test runner must not detect that it runs inside this test runner.
  for (const name of ['VITEST', 'NODE_ENV', 'NODE_OPTIONS']) delete env[name]
  const options = { cwd, env, timeout: LIMIT_MS, maxBuffer: 2 ** 26 }
  return call(program!, words, options).then(
    ({ stdout, stderr }) => ({ output: stdout + stderr, isDone: true }),
    ({ message, stdout = '', stderr = '' }: { message: string; stdout?: string; stderr?: string }) => ({
      output: stdout + stderr || message,
      isDone: false,
    }),
  )
}
