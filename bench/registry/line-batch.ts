import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { runTool } from '../tools.ts'

/** A file of lines, and where they are posted. */
interface LineOrder {
  /** Of the service, such as `http://127.0.0.1:8080`. */
  readonly address: string
  readonly key: string
  /** Such as `/rest/mph/batch`. */
  readonly path: string
  readonly lines: string
}

const FORMAT = '%{http_code} %{time_total}\\n'

/**
 * Sends a file of lines and writes the answers to another; milliseconds by the client's own clock.
 * The client is a native one, which leaves the processors to the service.
 */
export async function sendLines(
  { address, key, path, lines }: LineOrder,
  answers: string,
): Promise<number> {
  const { output } = await runTool('curl', [
    ...['-sS', '--fail', '-X', 'POST', '-T', lines, '-o', answers, '-w', FORMAT],
    ...['-H', `X-SEERAPI-Key: ${key}`, '-H', 'Content-Type: application/x-ndjson', '-H', 'Expect:'],
    `${address}${path}`,
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
