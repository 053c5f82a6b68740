import { existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { isRegular } from '../deliver.ts'
import type { Terminal } from '../terminal.ts'
import { Broken, Spoiled } from './errors.ts'
import { readFacts, strongTag } from './facts.ts'
import { type Retrying, retrying } from './retry.ts'

/** A slice to fetch: a file's id with regions and genes. */
export interface RequestedSlice {
  readonly id: string
  readonly regions: readonly string[]
  readonly genes: readonly string[]
}

/** Destination of a slice. */
interface SliceTarget {
  write(bytes: Buffer): Promise<void>
  /**
   * Discards the bytes written so far, because the slice has changed.
   * @throws Spoiled if they cannot be discarded
   */
  restart(): Promise<void>
}

interface OpenTarget extends SliceTarget {
  finish(): Promise<void>
  discard(): Promise<void>
}

/**
 * Fetches a slice. After an interruption, it requests the rest of the same slice. If the slice has no validator
 * or has changed, it starts from the beginning.
 * @throws ResponseError, Broken, Spoiled if the slice cannot be fetched
 */
export async function fetchSlice(
  { id, regions, genes }: RequestedSlice,
  target: SliceTarget,
  trip: Retrying,
): Promise<void> {
  let at = 0
  let furthest = 0
  let known: { readonly etag: string; readonly size: number } | undefined
  await retrying(trip, async (advanced) => {
    if (known && at === known.size) return
    const resumed = known && at > 0 ? { Range: `bytes=${at}-`, 'If-Range': known.etag } : {}
    const answer = await trip.link.ask({
      path: `slicing/view/${encodeURIComponent(id)}`,
      headers: resumed,
      json: { regions, geneannot: genes },
      isGuarded: true,
      signal: trip.signal,
    })
    try {
      const { range, size, etag } = readFacts(answer)
      if (range && (range[0] !== at || size !== known?.size || etag !== known?.etag)) {
        throw new Spoiled('the server sent a different part of the slice than requested', 1)
      }
      if (!range) {
        if (at > 0) await target.restart()
        at = 0
        const tag = strongTag(etag)
        known = tag === undefined || size === undefined ? undefined : { etag: tag, size }
      }
      for await (const chunk of answer.body) {
        await target.write(chunk)
        at += chunk.length
        // Bytes that were received before are no progress.
        if (at <= furthest) continue
        furthest = at
        advanced()
      }
      if (size !== undefined && at < size) throw new Broken('the connection ended early')
    } finally {
      answer.close()
    }
  })
}

/** Opens the destination: standard output, or a file that gets its name when it is complete. */
export async function openTarget(
  output: string | undefined,
  terminal: Pick<Terminal, 'write'>,
): Promise<OpenTarget> {
  if (output === undefined) {
    return {
      write: (bytes) => terminal.write(bytes),
      restart: async () => {
        throw cannotRestart()
      },
      finish: async () => {},
      discard: async () => {},
    }
  }
  const isNamed = !existsSync(output) || (await isRegular(output))
  const path = isNamed ? `${output}.part` : output
  const file = await open(path, 'w')
  let at = 0
  return {
    async write(bytes) {
      if (!isNamed) return file.writeFile(bytes)
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at)
        done += bytesWritten
        at += bytesWritten
      }
    },
    async restart() {
      if (!isNamed) throw cannotRestart()
      at = 0
      await file.truncate(0)
    },
    async finish() {
      await file.close()
      if (isNamed) await rename(path, output)
    },
    async discard() {
      await file.close()
      if (isNamed) await rm(path, { force: true })
    },
  }
}

const cannotRestart = () =>
  new Spoiled('the slice became another one while it was written; begin again', 1)
