import { compileDdl } from '@isotherm/core'
import { spanner } from '@isotherm/spanner'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { script, type Script } from '../support/other-process.js'
import { dialects, sharedEmulator } from '../support/spanner.js'
import { AFTER, BEFORE } from './crash/log.js'
import type { ReshardTask } from './crash/reshard-child.js'
import { trialOn } from './reshard-support.js'

let child: Script

beforeAll(async () => {
  child = await script(new URL('./crash/reshard-child.ts', import.meta.url))
})
afterAll(() => child.remove())

const BATCH = 5

it.each(dialects)(
  'a reshard copy that is killed continues after its last batch and loses no row, in $name',
  async (dialect) => {
    const emulator = await sharedEmulator()
    const client = await emulator.database({ dialect, ddl: compileDdl(BEFORE, { dialect }) })
    const trial = trialOn(spanner(client), dialect, BEFORE, AFTER, 'Log')
    await trial.run(['create'])
    const db = await trial.application()
    const rows = Array.from({ length: 20 }, (_, at) => ({ id: BigInt(at), text: `text ${at}` }))
    await db.insert('Log', rows)
    await trial.run(['begin'])
    const task: ReshardTask = {
      projectId: emulator.projectId,
      instance: emulator.instanceId,
      database: client.id!,
      dialect: dialect.name,
      batch: BATCH,
      // The first two transactions empty the new table and record this; the third copies a batch.
      dieAt: 4,
    }
    await expect(child.run(task, { SPANNER_EMULATOR_HOST: emulator.host })).rejects.toMatchObject({
      signal: 'SIGKILL',
    })
    const progress: number[] = []
    await trial.run(['copy'], { batch: BATCH, onProgress: ({ rows: copied }) => progress.push(copied) })
    expect(progress[0]).toBe(BATCH)
    expect(progress.at(-1)).toBe(rows.length)
    await trial.run(['verify', 'switch', 'finish', 'drop'])
    expect(await db.fanOut('Log').orderBy('id').all()).toMatchObject(rows)
  },
)
