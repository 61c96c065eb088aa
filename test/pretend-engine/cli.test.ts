import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failureOf } from '../../packages/cli/src/command-error.js'
import { commands } from '../../packages/cli/src/commands/index.js'
import { type Invocation, buildProgram } from '../../packages/cli/src/run.js'
import { createOutput } from '../../packages/cli/src/terminal/output.js'

// A project on the pretend engine, which the command finds in the configuration only.

const engine = fileURLToPath(new URL('cli.ts', import.meta.url))
const core = fileURLToPath(new URL('../../packages/core/src/index.ts', import.meta.url))

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'isotherm-pretend-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

interface Ended {
  readonly code: number
  readonly text: string
}

/** Runs a command as `isotherm` does, in the folder of the project. */
async function isotherm(...argv: string[]): Promise<Ended> {
  let called: Invocation | undefined
  buildProgram(commands, '0.0.0', (invocation) => {
    called = invocation
  }).parse(argv, { from: 'user' })
  const { definition, args, options } = called!
  const lines: string[] = []
  const stream = { write: (text: string) => lines.push(text.trimEnd()) }
  const output = createOutput({
    json: false,
    color: false,
    stdin: {},
    stdout: stream,
    stderr: stream,
    environment: {},
  })
  const signal = new AbortController().signal
  const context = { args, options, output, directory: folder, environment: {}, signal }
  try {
    const code = await definition.run(context)
    return { code, text: lines.join('\n') }
  } catch (error) {
    const { message, fix, exitCode } = failureOf(error)
    return { code: exitCode, text: [...lines, message, fix].join('\n') }
  }
}

let models = 0

/** Writes the models, and the configuration. Modules are loaded once in a process, so models that are changed are another file. */
function declare(...tables: readonly string[]): void {
  const schema = `models-${++models}.mjs`
  write(schema, [`import { defineTable } from '${core}'`, ...tables].join('\n'))
  const config = { engine, schema, out: 'migrations', database: `pretend:${join(folder, 'shop.map')}` }
  write('isotherm.config.json', JSON.stringify(config))
}

function write(path: string, text: string): void {
  writeFileSync(join(folder, path), text)
}

const hot = `export const Visit = defineTable('Visit', (t) => ({ at: t.timestamp({ default: 'now' }).key() }))`

const visits = `export const Visit = defineTable('Visit', (t) => ({
  shard: t.shardKey({ shards: 4, of: ['userId'] }),
  at: t.timestamp().key('desc'),
  userId: t.int64().key(),
}), { partitionKey: ['shard'] })`

const orders = `export const Order = defineTable('Order', (t) => ({ id: t.uuidV4(), note: t.string({ nullable: true }) }))`
const orderTotals = orders.replace('note:', 'total: t.numeric(), note:')

const AGREED = 'agree models and migrations\nagree migrations and history\nagree database and history'

// Each test continues after the previous test.
describe('the isotherm command with an engine from the configuration', () => {
  it('rejects a model with a hotspot in lint and in generate', async () => {
    declare(hot)
    const linted = await isotherm('lint')
    expect(linted.text).toMatch(/^error Visit\.at monotonic-first-key\n/)
    expect(linted.code).toBe(1)
    expect((await isotherm('generate')).code).toBe(1)
  })

  it('creates the tables of the models with generate and migrate', async () => {
    declare(visits)
    expect(await isotherm('lint')).toEqual({ code: 0, text: '1 table, nothing found.' })
    const generated = await isotherm('generate')
    expect(generated.text).toMatch(/^ {2}Visit: create the table\nwrote migrations\/\d+_create_table_visit, /)
    expect(await isotherm('status')).toMatchObject({ text: expect.stringContaining('pending') as string })
    expect(await isotherm('check')).toMatchObject({ code: 1 })
    const migrated = await isotherm('migrate')
    expect(migrated.text).toMatch(/^the pretend database [^]*\nUp to date: 1 migration, 1 statement in /)
    expect(await isotherm('check')).toEqual({ code: 0, text: AGREED })
    expect(await isotherm('migrate')).toMatchObject({
      code: 0,
      text: expect.stringContaining('Up to date: nothing to run.') as string,
    })
  })

  it('migrates the database to changed models', async () => {
    declare(visits, orders)
    expect((await isotherm('check')).text).toContain('Order: create the table')
    expect((await isotherm('generate')).code).toBe(0)
    expect((await isotherm('migrate')).code).toBe(0)
    expect(await isotherm('check')).toEqual({ code: 0, text: AGREED })
  })

  it('refuses to drop a table without --allow-data-loss', async () => {
    declare(visits, orderTotals)
    const refused = await isotherm('generate')
    expect(refused.text).toContain('Order: drop the table, with its data')
    expect(refused.code).toBe(2)
    expect((await isotherm('generate', '--allow-data-loss')).code).toBe(0)
    expect((await isotherm('migrate')).code).toBe(0)
    expect(await isotherm('check')).toEqual({ code: 0, text: AGREED })
  })

  it('lists the applied migrations with status', async () => {
    const { code, text } = await isotherm('status')
    expect(code).toBe(0)
    expect(text.match(/^applied /gm)).toHaveLength(3)
  })

  it('explains a fan-out over all shards', async () => {
    const { code, text } = await isotherm('explain', 'Visit', '--order-by', 'at:desc', '--limit', '5')
    expect(code).toBe(0)
    expect(text).toContain('merge-shards')
  })

  it('writes models of the live tables with pull', async () => {
    expect(await isotherm('pull', '--out', 'pulled')).toMatchObject({ code: 0 })
    const pulled = readFileSync(join(folder, 'pulled/order.ts'), 'utf8')
    expect(pulled).toContain('total')
  })

  it('reports the expected form of a database name when --database is invalid', async () => {
    expect(await isotherm('status', '--database', 'shop')).toEqual({
      code: 2,
      text: expect.stringContaining('not of the form pretend:file') as string,
    })
  })
})
