import type { Input } from '../input.ts'
import type { Kind } from '../questions.ts'
import type { Peer } from '../stage.ts'
import { PostgresClient } from './client.ts'
import { startCluster } from './cluster.ts'
import { postgresForms } from './forms.ts'

/** What takes long enough for compiled expressions to be worth trying. */
const COMPILED: ReadonlySet<Kind> = new Set([
  'count',
  'facets',
  'page',
  'aliquots',
  'table',
  'manifest',
  'export-tsv',
  'export-ndjson',
])

/** PostgreSQL as a server of its own, one connection over a socket; undefined when not installed. */
export async function withPostgres<Result>(
  { postgres }: Input,
  use: (peer: Peer | undefined) => Promise<Result>,
): Promise<Result> {
  if (!postgres) return use(undefined)
  const cluster = await startCluster(postgres.programs, postgres.folder, 'measuring')
  const plain = await cluster.connect()
  const compiling = await cluster.connect()
  try {
    await compiling.query('SET jit = on')
    const forms = postgresForms(new PostgresClient(plain))
    const compiled = postgresForms(new PostgresClient(compiling))
    return await use({
      name: 'PostgreSQL',
      version: cluster.version,
      place: cluster.socketFolder,
      forms: (kind) => [
        ...forms[kind],
        ...(COMPILED.has(kind)
          ? compiled[kind].map(({ name, ask }) => ({ name: `${name}, jit`, ask }))
          : []),
      ],
    })
  } finally {
    await plain.end()
    await compiling.end()
    await cluster.stop()
  }
}
