export {
  defineConfig,
  type Config,
  type ConfiguredException,
  type DatabaseAddress,
  type LintConfig,
  type OpenDatabaseClient,
  type VendorDatabase,
} from './config/config.js'
