/**
 * What the Google clients read from the environment, and what they must find there to work against the emulator.
 *
 * This emulator has no multiplexed sessions: with its defaults the client fails in ways that do not point here, up to
 * an unhandled `error` event. Without the last one, the client looks for a metadata server and warns that there is
 * none.
 */
export const emulatorSettings: Readonly<Record<string, string>> = {
  GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS: 'false',
  GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS_PARTITIONED_OPS: 'false',
  GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS_FOR_RW: 'false',
  METADATA_SERVER_DETECTION: 'none',
}

/**
 * Sets them for the whole process, for clients that users make themselves read them too; what is set already stays.
 * They are not taken back: the client reads them whenever a `Database` is made.
 */
export function applySessionSettings(environment: NodeJS.ProcessEnv = process.env): void {
  for (const [name, value] of Object.entries(emulatorSettings)) environment[name] ??= value
}
