import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { runTool } from '../tools.ts'
import type { UploadAnswer } from './home.ts'
import { PROGRAM } from './input.ts'

/** Where the service is, and whose token is sent. */
export interface Door {
  readonly address: string
  readonly token: string
}

const FORMAT = '%{http_code} %{time_total}\\n'

/**
 * Submits a table from a file and writes the answer to another; milliseconds by the client's own
 * clock. The client is a native one, which leaves the processors to the service.
 */
export async function submit(
  { address, token }: Door,
  table: { readonly path: string; readonly code: string },
): Promise<number> {
  const { output } = await runTool('curl', [
    ...['-sS', '-X', 'POST', '-T', table.path, '-o', `${table.path}.answer`, '-w', FORMAT],
    ...['-H', `X-Auth-Token: ${token}`, '-H', 'Content-Type: text/tsv', '-H', 'Expect:'],
    `${address}/submission/${PROGRAM}/${table.code}`,
  ])
  const [status, seconds] = output.trim().split(' ').map(Number)
  if (status !== 201) throw new Error(`the service answers ${status} to a table`)
  return seconds! * 1000
}

export async function answerOf(path: string): Promise<UploadAnswer> {
  return JSON.parse(await readFile(`${path}.answer`, 'utf8')) as UploadAnswer
}

/** Between two reads; whoever reads all the time measures himself. */
const PAUSE_MILLISECONDS = 5

/** Milliseconds of reads one after the other until the end. */
export async function readUntil(
  { address, token }: Door,
  path: string,
  hasEnded: () => boolean,
): Promise<readonly number[]> {
  const times: number[] = []
  while (!hasEnded()) {
    const start = performance.now()
    const response = await fetch(`${address}${path}`, { headers: { 'X-Auth-Token': token } })
    await response.arrayBuffer()
    times.push(performance.now() - start)
    if (response.status !== 200)
      throw new Error(`the service answers ${response.status} to ${path}`)
    await sleep(PAUSE_MILLISECONDS)
  }
  return times
}
