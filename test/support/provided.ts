declare module 'vitest' {
  interface ProvidedContext {
    /** `host:port` of the emulator that all test files share, each with databases of its own. */
    spannerHost: string
    /** `host:port` of the Cassandra that all test files share, each with keyspaces of its own. */
    cassandraContactPoints: readonly string[]
    /** The engine is PGlite, in the process of the tests. */
    isPglite: true
    /** Why there is no engine. */
    engineMissing: string
  }
}

export type Provided = 'spannerHost' | 'cassandraContactPoints' | 'isPglite' | 'engineMissing'
