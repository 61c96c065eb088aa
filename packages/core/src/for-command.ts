// The entry `@isotherm/core/command`: what an engine tells the command `isotherm`. It loads little.

export {
  type AddressFlag,
  type AddressPart,
  type AddressSyntax,
  CommandError,
  type ConnectCall,
  type EngineCommand,
  type EngineDialect,
  type FirstModel,
  type LocalDatabase,
  type LocalDatabaseRequest,
  type LocalEngine,
  type LocalOptions,
  type NameProblem,
  type OpenedDatabase,
  type PartForm,
  type ReadName,
  type ServeOptions,
  type ServedDatabase,
  type ShardAdvice,
  type ShardResult,
  type ShardStep,
  messageWithoutFix,
} from './command/engine-command.js'
export { quoted } from './errors.js'
export { nearName } from './options.js'
