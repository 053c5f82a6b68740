import { join } from 'node:path'
import type { SinkTarget } from '../download/sink.ts'
import type { CrowdReport, CrowdRequest } from './crowd-child.ts'
import { LineChild } from './line-child.ts'

interface Crowd {
  /** All clients leave in the middle of what they are reading. */
  stop(): Promise<CrowdReport>
}

/** Resolves when every client is being answered. */
export async function startCrowd(
  address: string,
  { path, body = '' }: SinkTarget,
  clients: number,
): Promise<Crowd> {
  const child = new LineChild(process.execPath, [join(import.meta.dirname, 'crowd-child.ts')])
  const request: CrowdRequest = { address, path, body, clients }
  await child.ask(JSON.stringify(request))
  return {
    // The process ends by itself then.
    stop: async () => JSON.parse(await child.ask('')),
  }
}
