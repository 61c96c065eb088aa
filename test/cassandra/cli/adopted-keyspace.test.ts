import { describe, expect, it } from 'vitest'
import { CqlProject } from './project.js'

describe('isotherm pull --baseline on an existing keyspace', () => {
  it('writes models and a first migration, after which check finds no difference', async () => {
    const project = await CqlProject.create([
      'CREATE TYPE address (street text, zip ascii)',
      'CREATE TABLE visit (day date, shard int, at timestamp, place frozen<address>, seen int static, PRIMARY KEY ((day, shard), at)) WITH CLUSTERING ORDER BY (at DESC)',
    ])
    project.write(
      'isotherm.config.ts',
      `export default { dialect: 'cql', schema: './src/models/*.ts', database: '${project.url}' }`,
    )
    const pulled = await project.run('pull', '--baseline')
    expect(pulled.text).toContain('1 table.')
    expect(project.list('src/models')).toEqual(['address.ts', 'index.ts', 'visit.ts'])
    expect(await project.run('check')).toEqual({
      code: 0,
      text: 'agree models and migrations\nagree migrations and history\nagree database and history',
    })
  })
})
