export {
  defineConfig,
  type CassandraAddress,
  type Config,
  type ConfiguredException,
  type DatabaseAddress,
  type LintConfig,
  type OpenDatabaseClient,
  type VendorClient,
  type VendorDatabase,
} from './config/config.js'
