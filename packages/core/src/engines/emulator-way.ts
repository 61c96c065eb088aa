import type { Spanner } from '@google-cloud/spanner'

/** How an emulator came to be there: a host named in the environment, a binary on this machine, or a container. */
export type SpannerEmulatorWay = 'environment' | 'binary' | 'docker'

/** What the emulator can be told when it starts, and hence never through `SPANNER_EMULATOR_HOST`. */
export interface EmulatorFlags {
  readonly faultInjection?: boolean | undefined
  readonly disableNullFilteredIndexCheck?: boolean | undefined
  readonly overrideMaxDatabasesPerInstance?: number | undefined
}

/** What every way needs to start an emulator and to find out that it serves. */
export interface EmulatorRequest {
  readonly flags: EmulatorFlags
  readonly projectId: string
  readonly image: string
  readonly timeoutMs: number | undefined
  readonly signal: AbortSignal | undefined
}

/** An emulator that has answered a real call. */
export interface RunningEmulator {
  readonly way: SpannerEmulatorWay
  /** `host:port` of the gRPC server. */
  readonly host: string
  readonly description: string
  readonly pid: number | undefined
  readonly client: Spanner
  /** Settles when the emulator is found to have ended by itself, with what it said; else never. */
  readonly died: Promise<string> | undefined
  /** Ends the emulator if it is ours to end. */
  end(): Promise<void>
}

/** The flags of `emulator_main` and of `gateway_main`, which share their names. */
export function flagArguments(flags: EmulatorFlags): string[] {
  const max = flags.overrideMaxDatabasesPerInstance
  return [
    ...(flags.faultInjection === true ? ['--enable_fault_injection'] : []),
    ...(flags.disableNullFilteredIndexCheck === true ? ['--disable_query_null_filtered_index_check'] : []),
    ...(max === undefined ? [] : [`--override_max_databases_per_instance=${max}`]),
  ]
}
