import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { SinkReport, SinkRequest } from './sink.ts'

/** Has another process fetch and drop everything. @throws Error when one is not answered in full */
export async function fetchAway(request: SinkRequest): Promise<SinkReport> {
  const words = [join(import.meta.dirname, 'sink.ts')]
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.end(JSON.stringify(request))
  const [output, complaint] = await Promise.all([text(child.stdout), text(child.stderr)])
  if (output === '') throw new Error(`reading from ${request.address} failed: ${complaint}`)
  return JSON.parse(output) as SinkReport
}
