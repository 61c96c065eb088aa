import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { compileDdl, defineSchema, defineTable, introspect, type Dialect, type Driver } from '@isotherm/core'
import { compareWithLive, isMigrationTable, recordedSql } from '@isotherm/migrations'
import { expect } from 'vitest'
import type { KillPoint } from './killable-calls.js'
import { Person, Visit } from './push/models.js'

const bin = fileURLToPath(new URL('../../../packages/cli/bin/isotherm.js', import.meta.url))

/** The statements that create the database before `isotherm push`. */
export function ddlBefore(dialect: Dialect): string[] {
  return compileDdl(defineSchema([defineTable('person', (t) => ({ id: t.uuidV4() }))]), { dialect })
}

interface Ended {
  readonly code: unknown
  readonly signal: unknown
  readonly text: string
}

/** `isotherm push` of the last build, in a separate process. */
function push(folder: URL, environment: NodeJS.ProcessEnv, task: object): Promise<Ended> {
  const env = { ...process.env, ...environment, PUSH_TASK: JSON.stringify(task) }
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, 'push'], { cwd: fileURLToPath(folder), env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, signal: error?.signal, text: `${stdout}${stderr}` }),
    )
  })
}

/**
 * Kills `isotherm push` before the second of its statements, and runs it again.
 *
 * @param driver of the database, with the dialect that is configured
 * @param folder of the configuration, which is given the task
 */
export async function killPush(
  { driver, dialect }: { readonly driver: Driver; readonly dialect: Dialect },
  folder: URL,
  environment: NodeJS.ProcessEnv,
  task: object,
): Promise<void> {
  const killPoint: KillPoint = { dieAt: 2 }
  expect(await push(folder, environment, { ...task, ...killPoint })).toMatchObject({ signal: 'SIGKILL' })
  const again = await push(folder, environment, task)
  expect(again).toMatchObject({ code: 0, text: expect.stringContaining('3 statements.') })
  const models = defineSchema([Person, Visit])
  const live = await introspect({ driver, dialect })
  const recorded = await recordedSql(driver, { dialect })
  const ignore = (table: string) => isMigrationTable(table)
  expect(compareWithLive(models, live, { dialect, recorded, ignore })).toEqual({ changes: [], refusals: [] })
}
