import { existsSync } from 'node:fs'
import { type FileHandle, mkdir, open, readFile, rename, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Interval, missingOf, piecesOf } from './interval.ts'
import { bytesOf, get, textOf } from './python-request.ts'
import { type DonePart, keepParts, md5Of, partsThatHold } from './stored-state.ts'

interface FileTransfer {
  readonly url: string
  readonly folder: string
  readonly token: string | undefined
  readonly processes: number
}

/** The number of bytes that the client writes and records together. */
const CHUNK_BYTES = 1 << 20
/** The number of tries for a piece whose transfer broke off, keeping the bytes received. */
const PIECE_RETRIES = 5

/** The facts about a file in an answer's headers. */
interface Facts {
  readonly name: string
  readonly size: number
  readonly md5: string
}

/** A file that gets its final name only after its bytes were verified. */
interface TransferredFile extends Facts {
  readonly path: string
  /** Checks the md5 of the whole file, then renames it. */
  finish(): Promise<void>
}

/**
 * Fetches one file as the transfer client does: a first request only for its headers, broken off at once, then
 * concurrent ranges. Parts that an earlier run recorded are not requested again.
 */
export async function transferFile(transfer: FileTransfer): Promise<TransferredFile> {
  const facts = await askFacts(transfer)
  const { folder } = transfer
  await mkdir(join(folder, 'logs'), { recursive: true })
  const path = join(folder, facts.name)
  const partial = `${path}.partial`
  const finish = async () => {
    const isPartial = existsSync(partial)
    const md5 = md5Of(await readFile(isPartial ? partial : path))
    if (md5 !== facts.md5) throw new Error(`md5 of ${facts.name} is ${md5}, not ${facts.md5}`)
    if (isPartial) await rename(partial, path)
  }
  const file = { ...facts, path, finish }
  const statePath = join(folder, 'logs', `${facts.name}.parcel`)
  if (existsSync(path) && existsSync(statePath)) return file
  if (facts.size === 0) await writeFile(path, await whole(transfer))
  else await fill(partial, { statePath, facts, transfer })
  return file
}

/** @throws Error when a header that the client needs is missing */
async function askFacts({ url, token }: FileTransfer): Promise<Facts> {
  const answer = await get(url, { token })
  if (answer.status >= 400) throw new Error(`${answer.status}: ${await textOf(answer)}`)
  answer.close()
  const { headers } = answer
  const length = headers['content-length']
  const md5 = headers['content-md5']
  // If there is no length, the client would fetch the file without token, ranges and check.
  if (headers['content-encoding'] !== undefined) throw new Error(`${url} has a content coding`)
  if (length === undefined) throw new Error(`no Content-Length for ${url}`)
  if (typeof md5 !== 'string') throw new Error(`no Content-MD5 for ${url}`)
  const disposition = headers['content-disposition'] ?? 'filename=untitled'
  const after = disposition.split('filename=').at(-1) ?? ''
  return { name: basename(after.replace(/^"+|"+$/g, '')), size: Number(length), md5 }
}

/** Fetches an empty file as one of unknown size: in one request, without the token. */
async function whole({ url }: FileTransfer): Promise<Buffer> {
  const answer = await get(url)
  if (answer.status !== 200) throw new Error(`${answer.status}: ${url}`)
  return bytesOf(answer)
}

interface Filling {
  readonly statePath: string
  readonly facts: Facts
  readonly transfer: FileTransfer
}

async function fill(partial: string, { statePath, facts, transfer }: Filling): Promise<void> {
  const isResumed = existsSync(partial) && existsSync(statePath)
  const file = await open(partial, isResumed ? 'r+' : 'w+')
  try {
    const done = isResumed ? [...(await partsThatHold(statePath, file))] : []
    await file.truncate(facts.size)
    const pieces = [
      ...piecesOf(facts.size, missingOf(facts.size, done), transfer.processes),
    ].values()
    const work = async () => {
      for (const piece of pieces) await fetchPiece(piece, { file, done, transfer })
    }
    await Promise.all(Array.from({ length: transfer.processes }, work))
    await keepParts(statePath, done)
  } finally {
    await file.close()
  }
}

interface Piecework {
  readonly file: FileHandle
  readonly done: DonePart[]
  readonly transfer: FileTransfer
}

async function fetchPiece(piece: Interval, { file, done, transfer }: Piecework): Promise<void> {
  let at = piece.start
  for (let left = PIECE_RETRIES; at < piece.end && left >= 0; left--) {
    try {
      for await (const chunk of chunksOf(transfer, { start: at, end: piece.end })) {
        await file.write(chunk, 0, chunk.length, at)
        done.push({ start: at, end: at + chunk.length, md5: md5Of(chunk) })
        at += chunk.length
      }
    } catch {
      // Missing parts are requested again, and finally left to the check of the whole file.
    }
  }
  if (at > piece.end) throw new Error(`${at - piece.end} bytes too many for ${transfer.url}`)
}

async function* chunksOf(
  { url, token }: FileTransfer,
  { start, end }: Interval,
): AsyncGenerator<Buffer> {
  const answer = await get(url, { token, range: `bytes=${start}-${end - 1}` })
  if (answer.status >= 400) throw new Error(`${answer.status}: ${await textOf(answer)}`)
  let held: Buffer[] = []
  let bytes = 0
  for await (const part of answer.body as AsyncIterable<Buffer>) {
    held.push(part)
    bytes += part.length
    if (bytes < CHUNK_BYTES) continue
    const all = Buffer.concat(held)
    let used = 0
    for (; all.length - used >= CHUNK_BYTES; used += CHUNK_BYTES) {
      yield all.subarray(used, used + CHUNK_BYTES)
    }
    held = [all.subarray(used)]
    bytes = all.length - used
  }
  if (bytes > 0) yield Buffer.concat(held)
}
