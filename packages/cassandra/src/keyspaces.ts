export {
  keyspacesClientOptions,
  keyspacesEndpoint,
  type KeyspacesOptions,
} from './driver/keyspaces-client.js'
export { sigV4AuthProvider, type AwsCredentials, type SigV4Options } from './driver/sigv4.js'
