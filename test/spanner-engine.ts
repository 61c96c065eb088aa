import { startSpannerEmulator, type SpannerEmulator } from '@isotherm/core/engines'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** `host:port` of the emulator that all test files share, each with databases of its own. */
    spannerHost: string
  }
}

let engine: SpannerEmulator | undefined

export async function setup(project: TestProject): Promise<void> {
  engine = await startSpannerEmulator()
  console.log(`Engine: ${engine.description}`)
  project.provide('spannerHost', engine.host)
}

export async function teardown(): Promise<void> {
  await engine?.stop()
}
