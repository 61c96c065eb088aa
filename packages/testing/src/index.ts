export type { Capabilities, Capability, EngineUnderTest, RunningEngine } from './engine.js'
export type { OwnConnection, Sample, SuiteEngine, TestDatabase, Traits } from './part.js'
export {
  type LeftOut,
  type TestEngineOptions,
  conformanceParts,
  suiteEngine,
  testEngine,
} from './test-engine.js'
export type { PartName } from './parts/parts.js'
