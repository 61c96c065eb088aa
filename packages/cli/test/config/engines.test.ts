import { describe, expect, it } from 'vitest'
import { installedEngines, loadEngine, ruleNames } from '../../src/config/engines.js'
import { listedEngines } from '../../src/engines.js'

const missing = Object.assign(new Error("Cannot find package '@isotherm/cassandra' imported from /x.js"), {
  code: 'ERR_MODULE_NOT_FOUND',
})
const spannerAlone: typeof loadEngine = (entry) =>
  entry.module.includes('cassandra') ? Promise.reject(missing) : loadEngine(entry)

describe('ruleNames() with the package of one engine', () => {
  it('returns the general rules and the rules of the installed engine', async () => {
    const rules = await ruleNames(['redundant-index', 'spanner/key-limits'], listedEngines, spannerAlone)
    expect(rules).toEqual(expect.arrayContaining(['redundant-index', 'spanner/key-limits']))
    expect(rules.filter((rule) => rule.startsWith('cassandra/'))).toEqual([])
  })

  it('throws when the configuration names a rule of an engine that is not installed', async () => {
    await expect(ruleNames(['cassandra/limits'], listedEngines, spannerAlone)).rejects.toBe(missing)
  })
})

describe('the list of engines', () => {
  it('has the same dialects and database URLs as the package of each engine', async () => {
    const { engines } = await installedEngines(listedEngines)
    expect(engines).toHaveLength(listedEngines.length)
    for (const { command, dialects, databases } of engines) {
      expect(Object.keys(command.dialects)).toEqual(dialects)
      for (const form of databases) {
        const read = command.address.read(form.replaceAll('…', 'a').replace(',host', ''))
        expect(read).toHaveProperty('address')
      }
      for (const [name, { load, example }] of Object.entries(command.dialects)) {
        expect((await load()).name).toBe(name)
        const read = command.address.read(example)
        expect(read && 'address' in read && (read.dialect ?? name)).toBe(name)
      }
    }
  })
})
