export { keyspacesClientOptions, type KeyspacesOptions } from './cassandra/keyspaces-client.js'
export { sigV4AuthProvider, type AwsCredentials, type SigV4Options } from './cassandra/sigv4.js'
