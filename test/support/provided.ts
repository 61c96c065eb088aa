declare module 'vitest' {
  interface ProvidedContext {
    /** `host:port` of the emulator that all test files share, each with databases of its own. */
    spannerHost: string
    /** `host:port` of the Cassandra that all test files share, each with keyspaces of its own. */
    cassandraContactPoints: readonly string[]
    /** Why there is no engine. */
    engineMissing: string
  }
}

export type Provided = 'spannerHost' | 'cassandraContactPoints' | 'engineMissing'
