import type { CallOptions, Reader } from '../../database/driver.js'

/** The database's clock: those of the machines that migrate may differ. */
export async function databaseTime(reader: Reader, call: CallOptions = {}): Promise<Date> {
  const statement = { text: 'SELECT CURRENT_TIMESTAMP', parameters: [] }
  const [row] = await reader.query(statement, [{ kind: 'timestamp' }], call)
  return row![0] as Date
}
