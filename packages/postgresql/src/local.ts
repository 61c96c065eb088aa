export { startPglite, type StartedPglite } from './local/start-pglite.js'
