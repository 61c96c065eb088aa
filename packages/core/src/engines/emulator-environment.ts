import { flagArguments } from './emulator-way.js'
import type { EmulatorRequest, RunningEmulator } from './emulator-way.js'
import { IsothermError } from '../errors.js'
import { messageOf, WayRefused } from './resolve.js'
import { awaitAnswer, closeSpanner, connectSpanner } from './spanner-client.js'

/** The emulator that `SPANNER_EMULATOR_HOST` names; it is the user's, and is never ended. */
export async function emulatorOfEnvironment(request: EmulatorRequest): Promise<RunningEmulator> {
  const host = process.env['SPANNER_EMULATOR_HOST']
  if (host === undefined || host === '') throw new WayRefused('SPANNER_EMULATOR_HOST is not set.')
  const flags = flagArguments(request.flags)
  if (flags.length > 0) {
    throw new WayRefused(
      `SPANNER_EMULATOR_HOST=${host} is running already, so it can't be given ${flags.join(' ')}.`,
    )
  }
  const { projectId, timeoutMs = 10_000, signal } = request
  try {
    const client = await connectSpanner(host, projectId)
    try {
      await awaitAnswer(client, { host, projectId, timeoutMs }, signal)
    } catch (error) {
      await closeSpanner(client)
      throw error
    }
    return {
      way: 'environment',
      host,
      description: `Cloud Spanner emulator (SPANNER_EMULATOR_HOST=${host})`,
      pid: undefined,
      client,
      died: undefined,
      end: async () => {},
    }
  } catch (error) {
    if (error instanceof IsothermError) throw error
    throw new WayRefused(`SPANNER_EMULATOR_HOST=${host} does not serve: ${messageOf(error)}`, {
      final: true,
      cause: error,
    })
  }
}
