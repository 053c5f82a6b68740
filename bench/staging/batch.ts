import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { runTool } from '../tools.ts'
import { type AlgorithmName, PATHS } from './input.ts'

/** A file of cases, and where they are staged. */
export interface BatchOrder {
  /** Of the service, such as `http://127.0.0.1:8080`. */
  readonly address: string
  readonly key: string
  readonly algorithm: AlgorithmName
  readonly cases: string
}

const FORMAT = '%{http_code} %{time_total}\\n'

/**
 * Sends a file of cases and writes the answers to another; milliseconds by the client's own clock.
 * The client is a native one, which leaves the processors to the service.
 */
export async function sendBatch(
  { address, key, algorithm, cases }: BatchOrder,
  answers: string,
): Promise<number> {
  const { output } = await runTool('curl', [
    ...['-sS', '--fail', '-X', 'POST', '-T', cases, '-o', answers, '-w', FORMAT],
    ...['-H', `X-SEERAPI-Key: ${key}`, '-H', 'Content-Type: application/x-ndjson', '-H', 'Expect:'],
    `${address}${PATHS[algorithm]}/stage/batch`,
  ])
  const [status, seconds] = output.trim().split(' ').map(Number)
  if (status !== 200) throw new Error(`the service answers ${status}`)
  return seconds! * 1000
}

export async function digestOf(path: string): Promise<string> {
  const hash = createHash('md5')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
