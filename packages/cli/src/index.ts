export {
  defineConfig,
  type Config,
  type ConfiguredException,
  type DatabaseAddress,
  type LintConfig,
  type OpenDatabaseClient,
} from './config/config.js'
