export { startPglite, type PgliteOptions, type StartedPglite } from './local/start-pglite.js'
export { servePglite, type ServePgliteOptions, type ServedPglite } from './local/serve-pglite.js'
