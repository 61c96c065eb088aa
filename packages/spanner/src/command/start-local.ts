import type { LocalEngine, LocalOptions } from '@isotherm/core/command'
import { spanner } from '../driver/driver.js'
import { googlesql } from '../googlesql/tools/dialect.js'
import { emulatorSettings } from '../local/spanner-client.js'
import { startSpannerEmulator } from '../local/spanner-emulator.js'
import { spannerPostgresql } from '../postgresql/tools/dialect.js'

export async function startLocal({ signal, own }: LocalOptions): Promise<LocalEngine> {
  const emulator = await startSpannerEmulator({
    ...(own === true && { launchers: ['binary', 'docker'] }),
    ...(signal && { signal }),
  })
  const { projectId: project, instanceId: instance, host, description } = emulator
  return {
    description,
    environment: { SPANNER_EMULATOR_HOST: host, ...emulatorSettings },
    details: { host, project, instance },
    async createDatabase({ name, dialect, ddl }) {
      const database = await emulator.database({
        ...(name !== undefined && { name }),
        ...(ddl && { ddl }),
        dialect: dialect === spannerPostgresql ? spannerPostgresql : googlesql,
      })
      return { name: database.formattedName_, driver: spanner(database) }
    },
    // The instance around the first database.
    async createSurroundings() {
      const [, operation] = await emulator.client.createInstance(instance, {
        config: 'emulator-config',
        displayName: 'Isotherm',
        nodes: 1,
      })
      await operation.promise()
    },
    [Symbol.asyncDispose]: () => emulator.stop(),
  }
}
