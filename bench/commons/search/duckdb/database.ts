import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { THREADS } from '../threads.ts'

/** All three are given two threads; the rest of the memory is for the page cache. */
const SETTINGS: Readonly<Record<string, string>> = {
  threads: String(THREADS),
  memory_limit: '6GB',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
}

interface Database {
  readonly version: string
  connect(): Promise<DuckDBConnection>
  close(): void
}

export async function openDatabase(
  path: string,
  access: 'READ_ONLY' | 'READ_WRITE',
): Promise<Database> {
  const settings = { ...SETTINGS, access_mode: access, temp_directory: `${path}.tmp` }
  const instance = await DuckDBInstance.create(path, settings)
  const connections: DuckDBConnection[] = []
  const connect = async () => {
    const connection = await instance.connect()
    connections.push(connection)
    return connection
  }
  const [row] = (await (await connect()).runAndReadAll('SELECT version()')).getRows()
  return {
    version: String(row?.[0]),
    connect,
    close: () => {
      for (const connection of connections) connection.closeSync()
      instance.closeSync()
    },
  }
}
