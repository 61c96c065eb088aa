import { existsSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { scriptFolder, type ScriptFolder } from '../../../packages/core/test/local/support/child-script.js'
import { until } from '../../../packages/core/test/local/support/until.js'
import { folderIn, folderOf, isAlive, isOpen } from '../../support/cassandra-processes.js'

let scripts: ScriptFolder

beforeAll(async () => {
  scripts = await scriptFolder('cassandra')
})
afterAll(() => scripts.remove())

it('a node ends, and its port and folder are freed, after its parent process was killed', async () => {
  const script = scripts.run(`
    import { startCassandra } from './engines.mjs'
    const cassandra = await startCassandra({ launchers: ['java'] })
    const client = await cassandra.client(await cassandra.keyspace())
    const { pid, host } = cassandra.node(1)
    console.log(JSON.stringify({ pid, host, description: cassandra.description }))
  `)
  const started = (await script.firstLine) as { pid: number; host: string; description: string }
  const { pid, host, description } = started
  expect(description).toBe(`Cassandra 5.0.8 (Java, ${host})`)
  expect(isAlive(pid)).toBe(true)
  const folder = folderOf(pid)
  expect(existsSync(folder)).toBe(true)

  script.process.kill('SIGKILL')
  expect(await script.ended).toMatchObject({ signal: 'SIGKILL' })
  await until('the node is gone', () => !isAlive(pid))
  await until('its port is free', async () => !(await isOpen(host)))
  await until('its folder is gone', () => !existsSync(folder))
})

it('a node does not keep its parent process alive, and ends with that process', async () => {
  const script = scripts.run(`
    import { readFileSync } from 'node:fs'
    import { startCassandra } from './engines.mjs'
    const { pid } = (await startCassandra({ launchers: ['java'] })).node(1)
    console.log(JSON.stringify({ pid, command: readFileSync('/proc/' + pid + '/cmdline', 'utf8') }))
  `)
  const { pid, command } = (await script.firstLine) as { pid: number; command: string }
  expect(await script.ended).toMatchObject({ code: 0, signal: null })
  await until('the node is gone', () => !isAlive(pid))
  await until('its folder is gone', () => !existsSync(folderIn(command)))
})
