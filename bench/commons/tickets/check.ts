import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { gunzipSync } from 'node:zlib'
import type { NamedInterval } from '../../../engine/shared/input/region.ts'
import { hasTool, runTool } from '../../tools.ts'
import { bedText, type InputName } from '../slicing/layout.ts'
import { countRecords } from '../slicing/peers.ts'
import { PINS } from '../slicing/pins.ts'
import { type Client, readTicket, type Sink } from './client.ts'
import type { ByteRange } from './index-chunks.ts'
import { exactTicket, indexTicket, type Requests } from './requests.ts'

export interface Checked {
  readonly client: Client
  readonly byIndex: (intervals: readonly NamedInterval[]) => readonly ByteRange[]
  readonly scratch: string
  readonly layoutName: InputName
}

/**
 * Compares answers before anything is measured: the parts of a ticket have the records of the slice, and the
 * chunks of the index hold its records, of which samtools finds as many as are pinned.
 * @throws Error when they are not
 */
export async function mustAgree(of: Requests, checked: Checked): Promise<void> {
  const { client } = checked
  for (const intervals of of.tickets) {
    const slice = await inflated((sink) => client.slice(intervals, sink))
    const ticket = readTicket(await exactTicket(client, intervals))
    const parts = await inflated((sink) => client.parts(ticket, sink))
    if (slice === parts) continue
    throw new Error(`${of.set}: the parts of a ticket do not have the records of the slice`)
  }
  if (hasTool('samtools')) await mustHold(of, checked)
}

/** Returns the MD5 of what is in the blocks. Parts that are sent apart from each other are deflated apart. */
async function inflated(take: (sink: Sink) => Promise<unknown>): Promise<string> {
  const taken: Uint8Array[] = []
  await take((bytes) => void taken.push(bytes))
  return createHash('md5')
    .update(gunzipSync(Buffer.concat(taken)))
    .digest('hex')
}

async function mustHold({ set, requests }: Requests, checked: Checked): Promise<void> {
  const { client, byIndex, scratch, layoutName } = checked
  const [path, bed] = [join(scratch, 'chunks.bam'), join(scratch, 'chunks.bed')]
  let [ofSlices, ofChunks] = [0, 0]
  for (const intervals of requests) {
    await toFile(path, (sink) => client.slice(intervals, sink))
    ofSlices += await countRecords(path)
    const ticket = await indexTicket(client, byIndex(intervals))
    await toFile(path, (sink) => client.parts(ticket, sink))
    await writeFile(bed, bedText(intervals))
    ofChunks += Number((await runTool('samtools', ['view', '-c', '-L', bed, path])).output)
  }
  await rm(path)
  const pinned = PINS[layoutName][set]
  if (ofSlices === pinned && ofChunks === pinned) return
  throw new Error(
    `${set}: ${ofSlices} records in slices and ${ofChunks} of them in chunks instead of ${pinned}`,
  )
}

async function toFile(
  path: string,
  take: (sink: (bytes: Uint8Array) => void) => Promise<unknown>,
): Promise<void> {
  const file = createWriteStream(path)
  await take((bytes) => file.write(bytes))
  file.end()
  await finished(file)
}
