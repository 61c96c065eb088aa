import { describe, expect, it } from 'vitest'
import { shards } from '../src/commands/shards.js'
import { createOutput } from '../src/terminal/output.js'

async function run(options: object, json = false) {
  let printed = ''
  const stream = { write: (text: string) => void (printed += text) }
  const output = createOutput({
    json,
    color: false,
    stdin: {},
    stdout: stream,
    stderr: stream,
    environment: {},
  })
  const code = await shards.run({
    args: [],
    options,
    output,
    directory: '/',
    environment: {},
    signal: new AbortController().signal,
  })
  return { code, printed }
}

const load = { writesPerSecond: '2000', rowBytes: '3000' }

describe('isotherm shards', () => {
  it('prints the calculation and its sources for Keyspaces and Spanner', async () => {
    expect(await run({ ...load, readsPerSecond: '500', nodes: '3' })).toStrictEqual({
      code: 0,
      printed: `\
Keyspaces   writes  2,000 rows/s × ⌈3,000 / 1,024⌉ = 6,000 write units/s; a partition takes 1,000: 6, and 9 with 50 % headroom
            reads   500 rows/s × ⌈3,000 / 4,096⌉ = 500 read units/s; a partition takes 3,000: 1, and 1 with 50 % headroom
            9 shards. A page of all of them costs at least 9 read units.
            https://docs.aws.amazon.com/keyspaces/latest/devguide/bp-partition-key-design.html
            https://docs.aws.amazon.com/keyspaces/latest/devguide/ReadWriteCapacityMode.html
Spanner     writes  2,000 rows/s; a split is assumed to take 1,000: 2, and 3 with 50 % headroom
            3 shards. Up to 30 spread them further on 3 nodes, and more do not.
            https://cloud.google.com/spanner/docs/performance
            https://cloud.google.com/spanner/docs/cpu-utilization
`,
    })
  })

  it('omits reads, nodes and headroom that were not requested', async () => {
    const { printed } = await run({
      writesPerSecond: '1',
      rowBytes: '1',
      headroom: '0',
      engine: ['spanner', 'cassandra'],
    })
    expect(printed).toBe(`\
Cassandra   writes  1 rows/s × ⌈1 / 1,024⌉ = 1 write units/s; a partition is assumed to take 1,000: 1
            1 shard.
            https://docs.aws.amazon.com/keyspaces/latest/devguide/bp-partition-key-design.html
            https://docs.aws.amazon.com/keyspaces/latest/devguide/ReadWriteCapacityMode.html
Spanner     writes  1 rows/s; a split is assumed to take 1,000: 1
            1 shard.
            https://cloud.google.com/spanner/docs/performance
            https://cloud.google.com/spanner/docs/cpu-utilization
`)
  })

  it('prints the figures as JSON under --json', async () => {
    const { printed } = await run(load, true)
    expect(JSON.parse(printed)).toMatchObject({
      load: { writesPerSecond: 2000, rowBytes: 3000, readsPerSecond: 0, headroom: 0.5 },
      engines: [
        { engine: 'keyspaces', shards: 9, figures: { writeUnits: 6000, writeUnitsPerRow: 3, forWrites: 9 } },
        { engine: 'spanner', shards: 3, figures: { writesPerSplit: 1000 } },
      ],
    })
  })

  it.each([
    [{ rowBytes: '1' }, '--writes-per-second is missing.'],
    [{ writesPerSecond: '1' }, '--row-bytes is missing.'],
    [{ ...load, writesPerSecond: '2,000' }, '--writes-per-second is "2,000".'],
    [{ ...load, writesPerSecond: '' }, '--writes-per-second is "".'],
    [{ ...load, rowBytes: '-1' }, '--row-bytes is "-1".'],
    [{ ...load, rowBytes: '0' }, '--row-bytes is "0".'],
    [{ ...load, rowBytes: '3kB' }, '--row-bytes is "3kB".'],
    [{ ...load, readsPerSecond: 'Infinity' }, '--reads-per-second is "Infinity".'],
    [{ ...load, headroom: '50%' }, '--headroom is "50%".'],
    [{ ...load, nodes: '0' }, '--nodes is "0".'],
    [{ ...load, nodes: '1.5' }, '--nodes is "1.5".'],
    [{ ...load, engine: ['mysql'] }, '--engine is "mysql", which is not an engine.'],
    [
      { ...load, rowBytes: '1048577' },
      '--row-bytes is 1,048,577, and a row of Keyspaces has up to 1,048,576.',
    ],
  ])('throws USAGE and names the missing or invalid option for %j', async (options, message) => {
    await expect(run(options)).rejects.toMatchObject({ code: 'USAGE', message })
  })
})
