export {
  defineConfig,
  type Config,
  type ConfiguredSuppression,
  type DatabaseAddress,
  type LintConfig,
  type OpenDatabaseClient,
} from './config/config.js'
