declare module 'vitest' {
  interface ProvidedContext {
    /** `host:port` of the emulator that all test files share, each with databases of its own. */
    spannerHost: string
    /** Why there is no emulator. */
    engineMissing: string
  }
}

export type Provided = 'spannerHost' | 'engineMissing'
